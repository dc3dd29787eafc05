import { errorBox } from "../../components/error.js";

// Ask the server once for each state. What was asked before is given up, so the newest answer is the one that is shown.
export function latest(made, signal, waiting) {
  let last = "", asking = new AbortController();
  signal.addEventListener("abort", () => asking.abort());

  return async function ask(body, request, shown) {
    const key = JSON.stringify(body);
    if (key === last) return;
    last = key;
    asking.abort();
    asking = new AbortController();
    const { signal: stop } = asking;
    made.replaceChildren(waiting());
    try {
      const answer = await request(body, stop);
      if (!stop.aborted) made.replaceChildren(...shown(answer, body, stop));
    } catch (error) {
      if (error.name === "AbortError" || stop.aborted) return;
      last = "";
      made.replaceChildren(errorBox(error));
    }
  };
}
