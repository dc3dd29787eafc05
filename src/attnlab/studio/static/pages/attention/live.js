// Asks questions, always the newest, and at most two at a time: the second is on its way while the first is answered.
// Every answer is shown, so that the numbers follow the hand, unless a newer one was shown before it. A question that
// may take long, because it is not `hasty`, is given up for a newer one. How long an answer takes, from the hand to the
// screen, is kept as a measure of the browser, for benchmarks/studio/studio.py.
const AT_ONCE = 2;

export function live(ask, listener, failed, signal) {
  let next = null, asking = 0, slow = null, asked = 0, shown = 0;

  return async (question) => {
    next = { question, start: performance.now() };
    slow?.abort();
    if (asking === AT_ONCE) return;
    asking += 1;
    while (next) await answer(next, ++asked);
    asking -= 1;
  };

  async function answer({ question, start }, number) {
    const stop = new AbortController();
    next = null;
    slow = question.hasty ? null : stop;
    try {
      const found = await ask(question, AbortSignal.any([signal, stop.signal]));
      if (number < shown) return;
      shown = number;
      listener(found, question);
      requestAnimationFrame(() => performance.measure("law", { start, end: performance.now() }));
    } catch (error) {
      if (error.name === "AbortError" || number < asked || next) return;
      shown = number;
      failed(error);
    }
  }
}
