// A function that asks the server the newest question, `wait` milliseconds after the last one came, and one at a time.
// `listener(told, question)` gets the answer unless a newer question has come; `failed(error)` gets an error.
export function newest(wait, ask, listener, failed) {
  let next = null, timer = 0, asking = false;

  async function run() {
    if (asking) return;
    asking = true;
    while (next !== null) {
      const question = next;
      next = null;
      try {
        const told = await ask(question);
        if (next === null) listener(told, question);
      } catch (error) {
        if (next === null && error.name !== "AbortError") failed(error);
      }
    }
    asking = false;
  }

  return (question) => {
    next = question;
    clearTimeout(timer);
    timer = setTimeout(run, wait);
  };
}
