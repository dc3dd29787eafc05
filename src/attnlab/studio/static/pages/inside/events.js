import { LabError } from "../../api.js";

// The events that the server sends in answer to a request with a body, which EventSource cannot send.
export async function* events(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`api/${path}`, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (!answer.ok) throw new LabError(await answer.json(), answer.status);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const whole = (waiting + value).split("\n\n");
    waiting = whole.pop();
    for (const event of whole) yield JSON.parse(event.replace(/^data: /, ""));
  }
}
