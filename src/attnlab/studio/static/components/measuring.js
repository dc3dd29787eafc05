import { get, post } from "../api.js";
import { copyButtons } from "./copy.js";
import { downloads } from "./downloads.js";
import { element } from "./element.js";
import { errorBox } from "./error.js";
import { jobProgress } from "./job.js";
import { loading } from "./loading.js";
import { change } from "../state.js";

// A measurement of heads that is a job. The job is in the address, as `parameter`, so a reload finds it again.
// `body(state)` is what is asked of `path`; `shown(result)` builds what is shown of it.
export function measuring({ parameter, path, what, button, body, shown, before, signal }) {
  let state = {}, last = null;
  const text = element("input", { id: `${parameter}-text`, autocomplete: "off", placeholder: "the model’s own text" });
  const result = element("div", { class: "result" });
  const form = element("form", { class: "line", onsubmit },
    element("label", { for: text.id }, "Measured on"), text, element("button", {}, button));
  const made = element("div", { class: "view" }, before,
    element("p", { class: "faint" }, "On the held-out part of the text that the model was trained on; or name a text, "
      + "such as topics, or a file in this folder."), form, result);
  return { made, show };

  async function onsubmit(event) {
    event.preventDefault();
    try {
      const job = await post(path, { model: state.model, text: text.value, ...body(state) }, signal);
      change({ [parameter]: job.id });
    } catch (error) {
      result.replaceChildren(errorBox(error));
    }
  }

  async function show(now) {
    state = now;
    const id = now[parameter] ?? "";
    if (id === last) return;
    last = id;
    result.replaceChildren();
    if (id) await load(id);
  }

  async function load(id) {
    result.replaceChildren(loading(5, what));
    const job = await get(`jobs/${encodeURIComponent(id)}`, signal).catch((error) => error);
    if (id !== last) return;
    if (job instanceof Error) return result.replaceChildren(errorBox(job));
    text.value = job.arguments.text;
    if (job.state === "done") return done(id);
    const ended = ({ state: now }) => id === last && now === "done" && done(id);
    result.replaceChildren(jobProgress(id, what, ended, signal));
  }

  async function done(id) {
    const found = await get(`jobs/${encodeURIComponent(id)}/result`, signal);
    const { command, python, downloads: endings } = found;
    result.replaceChildren(...shown(found),
      element("div", { class: "actions" }, copyButtons({ command, python }), downloads(id, endings)));
  }
}
