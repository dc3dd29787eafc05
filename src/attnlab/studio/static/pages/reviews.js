// Reviews: choose a classifier, type a review, see how far each word pushes, and the kinds of the classifier's errors.
// Parameters: run, text, label, tab.

import { get, post } from "../api.js";
import { element, say } from "../components/element.js";
import { errorBox } from "../components/error.js";
import { jobProgress } from "../components/job.js";
import { loading } from "../components/loading.js";
import { tabs } from "../components/tabs.js";
import { change, settle } from "../state.js";
import { errorKinds } from "./reviews/errors.js";
import { reasons } from "./reviews/reasons.js";

const INTRODUCTION = "A classifier reads a review and says whether the critic liked the film. Each word is shaded by "
  + "how far it pushes the answer. Edit the text and see the label turn.";
const EXAMPLE = "The actors were not bad, but the script felt dull.";
const WAIT = 150; // milliseconds after the last key

export async function open(place, signal) {
  const body = element("div", {}, loading(12, "Loading the classifiers"));
  place.append(element("h1", {}, "Reviews"), element("p", {}, INTRODUCTION), body);
  let view = null;
  await refresh();
  return (parameters) => view?.(parameters);

  async function refresh() {
    const found = await get("reviews", signal);
    view = found.runs.length ? build(body, found, signal, trainAgain) : null;
    if (!view) body.replaceChildren(element("p", {}, "There is no classifier in this folder yet."), trainer(found));
  }

  async function trainAgain() {
    await refresh();
    view?.(new URLSearchParams(location.hash.split("?")[1]));
  }

  function trainer(found) {
    return trainButton(found.running, trainAgain, signal);
  }
}

// A button that trains a small classifier, and the progress of that job. `done()` is called at its end.
function trainButton(running, done, signal) {
  const made = element("div", { class: "training" });
  const button = element("button", { type: "button", onclick: start }, "Train a small one");
  const told = element("span", { class: "faint" }, "3 epochs on 3,600 generated reviews; a few seconds");
  made.append(element("div", { class: "line" }, button, told));
  if (running) follow(running);
  return made;

  async function start() {
    button.disabled = true;
    try {
      follow((await post("reviews/train", {}, signal)).id);
    } catch (error) {
      button.disabled = false;
      made.append(errorBox(error));
    }
  }

  function follow(id) {
    button.disabled = true;
    made.append(jobProgress(id, "Training a classifier", ({ state }) => {
      button.disabled = false;
      if (state === "done") {
        change({ run: "" }, { step: false });
        done();
      }
    }, signal));
  }
}

function build(place, { runs, running }, signal, trained) {
  const chooser = element("select", { id: "run", onchange: () => change({ run: chooser.value, label: "" }) },
    runs.map(({ run, data }) => element("option", { value: run }, `${run} (${data})`)));
  const text = element("textarea", { id: "text", rows: 3, maxlength: 10000, oninput: typed });
  const label = element("select", { id: "label", onchange: () => change({ label: label.value }) });
  const shown = element("div", { class: "reasons" }, loading(8, "Reading the review"));
  const kinds = element("div", { class: "kinds" });
  const picked = tabs("Reviews", [
    { name: "type", title: "Type a review", content: element("div", {}, ...fields()) },
    { name: "errors", title: "Kinds of errors", content: kinds },
  ], (tab) => change({ tab: tab === "type" ? "" : tab }));
  place.replaceChildren(
    element("p", { class: "line" }, element("label", { for: "run" }, "Classifier"), chooser),
    trainButton(running, trained, signal), picked.made);
  let waiting = 0, looking = new AbortController(), errorsOf = "", last = null;
  signal.addEventListener("abort", () => { clearTimeout(waiting); looking.abort(); });

  function fields() {
    return [
      element("label", { for: "text" }, "Review"), text,
      element("p", { class: "line" }, element("label", { for: "label" }, "True class"), label,
        element("span", { class: "faint" }, "if it differs from the answer, experiments explain the error")),
      shown,
    ];
  }

  function typed() {
    clearTimeout(waiting);
    const given = () => (text.value === EXAMPLE ? "" : text.value || " ");
    waiting = setTimeout(() => change({ text: given() }, { step: false }), WAIT);
  }

  async function show(parameters) {
    const asked = parameters.get("run") || runs[0].run;
    if (!runs.some(({ run }) => run === asked)) {
      chooser.append(element("option", { value: asked }, asked));
      runs.push({ run: asked, data: "", classes: [] });
    }
    const { classes } = runs.find(({ run }) => run === asked);
    chooser.value = asked;
    settle({ run: asked });
    label.replaceChildren(element("option", { value: "" }, "not known"),
      ...classes.map((name) => element("option", { value: name }, name)));
    label.value = parameters.get("label") ?? "";
    const wanted = parameters.get("text") ?? EXAMPLE;
    if (text.value.trim() !== wanted.trim()) text.value = wanted;
    const tab = parameters.get("tab") === "errors" ? "errors" : "type";
    picked.show(tab);
    if (tab === "type") return explain({ run: asked, text: wanted, label: label.value });
    if (errorsOf !== asked) errorKinds(kinds, errorsOf = asked, signal);
  }

  async function explain(asked) {
    looking.abort();
    looking = new AbortController();
    try {
      const found = await post("reviews/explain", asked, looking.signal);
      const turned = last && last.run === asked.run && last.said !== found.shown.said ? last.said : "";
      last = { run: asked.run, said: found.shown.said };
      shown.replaceChildren(...reasons(found, asked, turned));
      say(`The classifier says ${last.said}, probability ${found.shown.probability}`);
    } catch (error) {
      if (error.name !== "AbortError") shown.replaceChildren(errorBox(error));
    }
  }

  return show;
}
