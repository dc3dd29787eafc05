// Asks one question at a time, always the newest; every answer is shown, so that the numbers follow the hand. How long
// an answer takes, from the hand to the screen, is kept as a measure of the browser, for benchmarks/studio.py.
export function live(ask, listener, failed) {
  let next = null, asking = false;

  return async (question) => {
    next = { question, start: performance.now() };
    if (asking) return;
    asking = true;
    while (next) {
      const { question: now, start } = next;
      next = null;
      try {
        listener(await ask(now), now);
        requestAnimationFrame(() => performance.measure("law", { start, end: performance.now() }));
      } catch (error) {
        if (error.name !== "AbortError" && !next) failed(error);
      }
    }
    asking = false;
  };
}
