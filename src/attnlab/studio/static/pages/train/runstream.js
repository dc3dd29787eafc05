// The news of runs, as events of the server. A page that is hidden does not listen: a browser has few connections.

import { get } from "../../api.js";

const RETRY = 2000; // milliseconds

export function stream(runs, heard, failed, signal) {
  const query = new URLSearchParams(runs.map((run) => ["run", run]));
  let source = null, over = false;
  const close = () => { source?.close(); source = null; };

  function connect() {
    close();
    source = new EventSource(`api/train/watch?${query}`);
    let fresh = true;
    source.onopen = () => { fresh = true; }; // the server tells all from the beginning
    source.onmessage = ({ data }) => {
      const told = JSON.parse(data);
      if (fresh) for (const news of told.runs) news.again = true;
      fresh = false;
      over = !told.live;
      if (over) close();
      heard(told);
    };
    source.onerror = async () => {
      const broken = source;
      try {
        await get("home", signal); // shows the banner if the server has gone
        if (broken?.readyState !== EventSource.CLOSED || over || signal.aborted || broken !== source) return;
        await get(`train/runs?${query}`, signal); // says what is wrong
        setTimeout(() => signal.aborted || over || connect(), RETRY);
      } catch (error) {
        if (error.name !== "AbortError") failed(error);
      }
    };
  }

  signal.addEventListener("abort", close);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else if (!over) connect();
  }, { signal });
  connect();
}
