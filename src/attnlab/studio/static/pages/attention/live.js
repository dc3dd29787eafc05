// Asks one question at a time, always the newest; every answer is shown, so that the numbers follow the hand. A
// question that may take long, because it is not `hasty`, is given up for a newer one. How long an answer takes, from
// the hand to the screen, is kept as a measure of the browser, for benchmarks/studio.py.
export function live(ask, listener, failed, signal) {
  let next = null, asking = false, slow = null;

  return async (question) => {
    next = { question, start: performance.now() };
    slow?.abort();
    if (asking) return;
    asking = true;
    while (next) {
      const { question: now, start } = next, stop = new AbortController();
      next = null;
      slow = now.hasty ? null : stop;
      try {
        listener(await ask(now, AbortSignal.any([signal, stop.signal])), now);
        requestAnimationFrame(() => performance.measure("law", { start, end: performance.now() }));
      } catch (error) {
        if (error.name !== "AbortError" && !next) failed(error);
      }
    }
    asking = false;
  };
}
