// Inside a model: what a text costs it, what its heads attend to, heads switched off, what it writes, and two models on
// one text. A view is a module in pages/inside/ with view(signal): { made, show(state) }. Only the one in sight is
// asked to show a state.

import { get } from "../api.js";
import { element } from "../components/element.js";
import { errorBox } from "../components/error.js";
import { tabs } from "../components/tabs.js";
import { address, change, settle } from "../state.js";
import * as compare from "./inside/compare.js";
import * as cost from "./inside/cost.js";
import * as heads from "./inside/heads.js";
import * as off from "./inside/off.js";
import * as scores from "./inside/scores.js";
import * as write from "./inside/write.js";

const VIEWS = {
  cost: [cost, "Cost of each token"], heads: [heads, "What heads attend to"], scores: [scores, "Scores"],
  off: [off, "Switch heads off"], write: [write, "Let it write"], compare: [compare, "Two models"],
};
const ON_A_LONG_TEXT = ["scores", "off"]; // measured on a text that is chosen there
const NONE = { head: "", query: "", off: "", scored: "", measured: "" }; // nothing is known of another model
const FIRST = "The cat sat on the mat. The cat sat on the";

export async function open(place, signal) {
  const model = element("select", { id: "model" });
  const text = element("textarea", { id: "text", rows: "3", spellcheck: "false", required: true });
  const own = element("div", { class: "own" }, element("label", { for: "text" }, "Text"), text,
    element("button", {}, "Look"));
  const form = element("form", { class: "ask", onsubmit },
    element("p", { class: "field" }, element("label", { for: "model" }, "Model"), model),
    element("p", { class: "faint" }, "Another model? Open it on ", home(), "."), own);
  const empty = nothing();
  const views = Object.entries(VIEWS).map(([name, [module, title]]) => ({ name, title, ...module.view(signal) }));
  const said = element("div");
  const panels = tabs("Views", views.map((each) => ({ ...each, content: each.made })), (view) => change({ view }));
  place.append(
    element("h1", {}, "Inside a model"),
    element("p", {}, "Give a language model a text, and see how it predicts each token and what its heads do."),
    empty, form, said, panels.made);
  const choices = await get("inside/models", signal);
  model.append(...choices.map(({ name, about }) => element("option", { value: name }, `${name} (${about})`)));
  model.addEventListener("change", () => change({ model: model.value, text: text.value, ...NONE }));
  return show;

  function onsubmit(event) {
    event.preventDefault();
    change({ text: text.value, head: "", query: "" }); // what was measured on another text stays
  }

  async function show(parameters) {
    const named = parameters.get("model") ?? preferred(choices);
    empty.hidden = Boolean(named);
    form.hidden = panels.made.hidden = !named;
    if (!named) return;
    if (!choices.some(({ name }) => name === named)) choices.push({ name: named, about: "" });
    if (![...model.options].some(({ value }) => value === named)) {
      model.append(element("option", { value: named }, named));
    }
    model.value = named;
    text.value = parameters.get("text") ?? FIRST;
    settle({ model: named, text: text.value });
    const name = parameters.get("view") in VIEWS ? parameters.get("view") : "cost";
    panels.show(name);
    own.hidden = ON_A_LONG_TEXT.includes(name);
    const view = views.find((each) => each.name === name);
    const state = { ...Object.fromEntries(parameters), model: named, text: text.value, choices };
    said.replaceChildren();
    view.made.hidden = false;
    await view.show(state).catch((error) => {
      if (error.name === "AbortError") return;
      said.replaceChildren(errorBox(error));
      view.made.hidden = true;
    });
  }
}

// A Transformer if there is one: it has heads.
const preferred = (choices) => (choices.find(({ about }) => /transformer|gpt/i.test(about)) ?? choices[0])?.name;

function nothing() {
  return element("p", { hidden: true }, "There is no model in this folder yet. Train one: ",
    element("code", {}, "attnlab train topics --minutes 1"), ", or open one on ",
    home(), ".");
}

const home = () => element("a", { href: address("home") }, "Home");
