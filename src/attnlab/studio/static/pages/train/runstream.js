// The news of runs, as events of the server.

import { get } from "../../api.js";
import { stream } from "../../stream.js";

export function newsOf(runs, listener, failed, signal) {
  const query = new URLSearchParams(runs.map((run) => ["run", run]));
  const heard = (told, first) => {
    if (first) for (const news of told.runs) news.again = true;
    listener(told);
    return told.live;
  };
  const check = async (refused) => {
    await get("home", signal); // shows the banner if the server has gone
    if (refused) await get(`train/runs?${query}`, signal); // says what is wrong
  };
  stream(`train/watch?${query}`, heard, (refused) => check(refused).catch((error) => {
    if (error.name !== "AbortError") failed(error);
    throw error;
  }), signal);
}
