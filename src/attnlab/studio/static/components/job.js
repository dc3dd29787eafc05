import { follow, post } from "../api.js";
import { element, say } from "./element.js";
import { errorBox } from "./error.js";

const ENDED = { cancelled: "Cancelled.", done: "Done." };

// The progress of a job, with the last words that it said, and a button that cancels it. `ended(job)` is called once it
// has ended.
export function jobProgress(id, what, ended, signal) {
  const bar = element("progress", { "aria-label": what });
  const words = element("span", { class: "faint" }, "starting …");
  const cancel = element("button", { type: "button", onclick: () => stop() }, "Cancel");
  const said = element("pre", { hidden: true });
  const made = element("div", { class: "job", "data-job": id }, element("span", {}, what), bar, words, cancel, said);

  async function stop() {
    cancel.disabled = true;
    await post(`jobs/${id}/cancel`).catch((error) => made.append(errorBox(error)));
  }

  follow(id, (job) => {
    const { done, total, what: now, said: text } = job.progress ?? {};
    if (total) Object.assign(bar, { max: total, value: done });
    words.textContent = now ?? "starting …";
    said.textContent = text ?? "";
    said.hidden = !text;
    if (job.state === "running") return;
    bar.remove();
    cancel.remove();
    said.remove();
    words.textContent = ENDED[job.state] ?? "";
    say(`${what}: ${job.state}`);
    if (job.state === "failed") made.append(errorBox({ message: job.error, status: 400 }));
    ended(job);
  }, signal);
  return made;
}
