import { LabError } from "../../api.js";
import { inPlace } from "../../stream.js";

const PLACES = ["writing-0", "writing-1"]; // so that the other connections of the browser stay free

// Call `heard` with each event that the server sends in answer to a request with a body, which EventSource cannot send.
export async function events(path, body, heard, signal) {
  await inPlace(() => listen(path, body, heard, signal), PLACES, signal);
  signal.throwIfAborted();
}

async function listen(path, body, heard, signal) {
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
    for (const event of whole) heard(JSON.parse(event.replace(/^data: /, "")));
  }
}
