// The events of the server. A browser has six connections to a server, for all of its tabs together: so it opens at
// most two streams at a time. Where more of them are wanted, in several windows, they take turns; a page that is hidden
// has none. The server tells each new stream everything from the beginning.

const PLACES = ["stream-0", "stream-1"]; // locks of this browser
const TURN = 1000; // milliseconds after which a stream makes room for one that waits
const RETRY = 1000; // milliseconds before a stream that broke is opened again

// Call `heard(told, first)` for each event, until it returns false or `signal` says that nobody looks any more.
// `first`: whether this event tells everything from the beginning. When the stream breaks, `check(refused)` asks the
// server what is wrong: it resolves if the stream is to be opened again, and rejects if not.
export async function stream(path, heard, check, signal) {
  for (let more = true; more && !signal.aborted;) {
    await until(() => !document.hidden, signal);
    const sight = new AbortController(), stop = AbortSignal.any([signal, sight.signal]);
    until(() => document.hidden, stop).then(() => sight.abort());
    const end = await inPlace(() => listen(path, heard, stop), PLACES, stop);
    sight.abort();
    if (end === "broken" || end === "refused") {
      more = await check(end === "refused").then(() => pause(RETRY), () => false);
    } else {
      more = end !== "over";
    }
  }
}

// Do some work while this page holds one of some locks, which it waits for. Undefined if `stop` comes first.
export async function inPlace(work, places, stop) {
  const found = new AbortController(), waiting = AbortSignal.any([stop, found.signal]);
  const take = (name) => navigator.locks.request(name, { signal: waiting }, () => {
    if (waiting.aborted) return undefined; // the other place came first
    found.abort();
    return work();
  }).catch((error) => {
    if (error.name !== "AbortError") throw error;
  });
  return (await Promise.all(places.map(take))).find((each) => each !== undefined);
}

function listen(path, heard, stop) {
  return new Promise((resolve) => {
    const source = new EventSource(`api/${path}`);
    let first = true;
    const turn = setInterval(async () => !first && (await othersWait()) && end("turn"), TURN);
    const end = (how) => {
      clearInterval(turn);
      source.close();
      resolve(how);
    };
    stop.addEventListener("abort", () => end("left"));
    if (stop.aborted) end("left");
    source.onmessage = ({ data }) => {
      const more = heard(JSON.parse(data), first);
      first = false;
      if (!more) end("over");
    };
    source.onerror = () => end(source.readyState === EventSource.CLOSED ? "refused" : "broken");
  });
}

const othersWait = async () => (await navigator.locks.query()).pending.some(({ name }) => PLACES.includes(name));

// Resolves once this is so; asked whenever the page is hidden or shown.
function until(so, signal) {
  return new Promise((resolve) => {
    const over = new AbortController(), ask = () => (so() || signal.aborted) && (over.abort(), resolve());
    document.addEventListener("visibilitychange", ask, { signal: over.signal });
    signal.addEventListener("abort", ask, { signal: over.signal });
    ask();
  });
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(() => resolve(true), milliseconds));
