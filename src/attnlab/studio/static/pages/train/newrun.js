// A new run: text, model, size and minutes, the time that it takes on this machine, and its start.

import { get, post } from "../../api.js";
import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { loading } from "../../components/loading.js";
import { change } from "../../state.js";

const OTHER = "…"; // the choice of a file or a folder
const OWN = ["tab", "text", "recipe", "model", "tokens", "name", "baseline", "runs", "unit"];
const WAIT = 500; // milliseconds without a change before the time is measured

export function newRun(place, signal) {
  let built = null;
  return async (parameters) => {
    if (!built) {
      place.replaceChildren(loading(12, "Loading the choices"));
      built = build(place, await get("train/choices", signal), signal);
    }
    await built(parameters);
  };
}

function build(place, choices, signal) {
  const text = choose("text", "Text", [...choices.texts, { name: OTHER, title: "a file or a folder" }]);
  const path = element("input", { id: "file", autocomplete: "off", spellcheck: "false", placeholder: "notes.txt",
    onchange: () => { naming = false; change({ text: path.value }); } });
  const pathField = field("File or folder", path);
  const recipe = choose("recipe", "Recipe", choices.recipes, "the model’s own");
  const model = choose("model", "Model", choices.models, "the recipe’s");
  const tokens = choose("tokens", "Tokens", choices.tokens, "the recipe’s");
  const name = element("input", { id: "name", autocomplete: "off", spellcheck: "false", maxlength: 60,
    placeholder: "after the time", onchange: () => change({ name: name.value }) });
  const baseline = element("input", { id: "baseline", type: "checkbox",
    onchange: () => change({ baseline: baseline.checked ? "" : "no" }) });
  const sizes = element("div", { class: "fields sizes" }), meanings = element("dl", { class: "meanings" });
  const about = element("p", { class: "faint" }), time = element("p", { class: "estimate", role: "status" });
  const button = element("button", { type: "button", onclick: () => start() }, "Start");
  const said = element("div"), copies = element("div");
  let asked = {}, version = 0, waiting = 0, asking = null, naming = false; // naming: a file is about to be named
  text.chooser.addEventListener("change", () => {
    naming = text.chooser.value === OTHER;
    pathField.hidden = !naming;
    if (!naming) return change({ text: text.chooser.value });
    path.focus();
  });
  place.replaceChildren(
    element("form", { "aria-label": "New run", onsubmit: (event) => event.preventDefault() }, // Enter starts nothing
      element("div", { class: "fields" }, text.made, pathField, recipe.made, model.made, tokens.made,
        field("Name of the run", name)),
      about, sizes,
      element("details", { class: "menu" }, element("summary", {}, "What the options mean"), meanings),
      element("p", { class: "check" }, baseline, element("label", { for: "baseline" },
        "Train an n-gram model on the same text first: its score is a line on the chart")),
      time, element("div", { class: "actions" }, button, copies), said));

  async function start() {
    said.replaceChildren();
    button.disabled = true;
    try {
      const made = await post("train/start", { ...asked, name: name.value, baseline: baseline.checked }, signal);
      change({ runs: [made.run, made.baseline].filter(Boolean).join("|"), tab: "runs", name: "" });
    } catch (error) {
      if (error.name !== "AbortError") said.replaceChildren(errorBox(error));
    }
    button.disabled = false;
  }

  async function estimate(now) {
    asking = new AbortController();
    try {
      const { words } = await post("train/estimate", asked, AbortSignal.any([signal, asking.signal]));
      if (now === version) time.textContent = `${words[0].toUpperCase()}${words.slice(1)}.`;
    } catch (error) {
      if (now === version && error.name !== "AbortError") time.textContent = error.message;
    }
  }

  return async (parameters) => {
    const now = ++version, given = (each) => parameters.get(each) ?? "";
    const options = Object.fromEntries([...parameters].filter(([each, value]) => !OWN.includes(each) && value));
    asked = { text: given("text"), recipe: given("recipe"), model: given("model"), tokens: given("tokens"), options };
    recipe.chooser.value = asked.recipe;
    model.chooser.value = asked.model;
    tokens.chooser.value = asked.tokens;
    if (name !== document.activeElement) name.value = given("name");
    said.replaceChildren();
    clearTimeout(waiting);
    asking?.abort(); // the time of other settings
    try {
      const plan = await post("train/plan", asked, signal);
      if (now !== version) return;
      const known = choices.texts.find((each) => each.name === plan.text);
      if (!naming) {
        text.chooser.value = known ? plan.text : OTHER;
        pathField.hidden = Boolean(known);
        path.value = known ? "" : plan.text;
      }
      const told = known ? `${known.name}: ${known.about}. ` : "";
      about.textContent = `${told}Model: ${plan.model}, tokens: ${plan.tokens}.`;
      baseline.disabled = plan.model === "ngram";
      baseline.checked = !baseline.disabled && given("baseline") !== "no";
      showFields(plan.fields, parameters);
      copies.replaceChildren(copyButtons(plan));
      button.disabled = false;
      time.textContent = "Estimating the time on this machine …";
      waiting = setTimeout(() => estimate(now), WAIT);
    } catch (error) {
      if (error.name === "AbortError" || now !== version) return;
      button.disabled = true;
      time.textContent = "";
      said.replaceChildren(errorBox(error));
    }
  };

  // The inputs of the options. Where the same options stay, so do their inputs, with the focus and what is being typed.
  function showFields(fields, parameters) {
    const names = fields.map(({ name }) => name);
    if ([...sizes.children].map((each) => each.dataset.name).join() !== names.join()) {
      sizes.replaceChildren(...fields.map(option));
    }
    fields.forEach(({ name, value }, place) => {
      const input = sizes.children[place].querySelector("input, select");
      if (typeof value === "boolean") return (input.value = value ? "yes" : "no");
      input.placeholder = name === "minutes" && !value ? "no limit" : value;
      if (input !== document.activeElement) input.value = parameters.get(name) ?? "";
    });
    meanings.replaceChildren(...fields.flatMap(({ name, about }) =>
      [element("dt", {}, words(name)), element("dd", {}, about)]));
  }
}

const words = (name) => name.split(".").pop().replaceAll("_", " ").replace("qk ", "QK-");

function option({ name, value }) {
  const id = `option-${name.replace(".", "-")}`, onchange = () => change({ [name]: input.value.trim() });
  const input = typeof value === "boolean"
    ? element("select", { id, onchange }, ["yes", "no"].map((each) => element("option", {}, each)))
    : element("input", { id, inputmode: "decimal", autocomplete: "off", onchange });
  const made = field(words(name), input);
  made.dataset.name = name;
  return made;
}

function field(label, input) {
  return element("span", { class: "above" }, element("label", { for: input.id }, label), input);
}

function choose(name, label, choices, none) {
  const chooser = element("select", { id: name },
    none && element("option", { value: "" }, none),
    choices.map(({ name: value, title, about }) => element("option", { value, title: about }, title ?? value)));
  if (name !== "text") {
    // Another recipe or model has other options: those that were typed do not fit it.
    chooser.addEventListener("change", () => change({ ...cleared(), [name]: chooser.value }));
  }
  return { chooser, made: field(label, chooser) };
}

function cleared() {
  const typed = [...new URLSearchParams(location.hash.split("?")[1])].map(([each]) => each);
  return Object.fromEntries(typed.filter((each) => !OWN.includes(each)).map((each) => [each, ""]));
}
