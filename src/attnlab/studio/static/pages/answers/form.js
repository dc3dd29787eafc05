// The form for an answer: a field for each unknown, each formula as the lab reads it while one types, and the verdict.

import { post } from "../../api.js";
import { element, say } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { formulas } from "../../components/formulas.js";
import { newest } from "../../components/newest.js";
import { change } from "../../state.js";
import { late, verdict } from "./verdict.js";

const READ = 100, CHECK = 450; // milliseconds after the last key
const FIRST = "Type a formula: plain text, Unicode or LaTeX. The verdict comes by itself.";

// `name` is the parameter of the first field; the others are name-2, name-3, …
export function answerForm(name, signal) {
  const rows = element("div"), result = element("div", { class: "result", role: "region", "aria-label": "Verdict" });
  const form = element("form", { class: "answer", onsubmit: (event) => event.preventDefault() }, rows);
  const made = element("div", {}, form, result);
  let fields = [], problem = null, asked = null, last = "";
  const key = (place) => (place ? `${name}-${place + 1}` : name);

  const read = newest(READ, (texts) => post("answers/reading", { formulas: texts }, signal), (told) => {
    told.formulas.forEach(({ set, error }, place) => fields[place]?.show(set, error));
  }, failed);

  const check = newest(CHECK, (question) => post("answers/check", question, signal), (told, question) => {
    if (JSON.stringify(question) !== last) return; // the fields were emptied meanwhile
    result.removeAttribute("aria-busy");
    if (told.verdict === "late") return result.replaceChildren(late(told, question, fill, signal));
    result.replaceChildren(verdict(told, question, fill));
    say(result.querySelector("h2").textContent);
  }, failed);

  function failed(error) {
    result.removeAttribute("aria-busy");
    result.replaceChildren(errorBox(error));
  }

  // Put formulas into the fields of their unknowns; or all into the first field.
  function fill(texts) {
    const placed = fields.map(({ unknown }) => texts.find((text) => unknown && text.startsWith(`${unknown} = `)) ?? "");
    const fits = placed.filter(Boolean).length === texts.length;
    const all = fields.map((_, place) => (place ? "" : texts.join(", ")));
    change(Object.fromEntries((fits ? placed : all).map((text, place) => [key(place), text])));
    fields[0].input.focus();
  }

  const empty = () => Object.fromEntries(fields.map((_, place) => [key(place), ""]));

  function build() {
    const unknowns = problem.asked.length > 1 ? problem.asked : [null];
    fields = unknowns.map((unknown, place) => field(unknown, key(place), problem));
    rows.replaceChildren(element("p", { class: "faint wanted" }, "Expected: ", formulas(problem.form)),
      ...fields.map(({ made }) => made));
  }

  // Show a state: `about` names the problem for the server.
  function show(now, about, parameters) {
    const other = problem === null || fingerprint(now) !== fingerprint(problem);
    [problem, asked] = [now, about];
    if (other) build();
    const texts = fields.map(({ input }, place) => {
      const text = parameters.get(key(place)) ?? "";
      if (input.value !== text) input.value = text;
      return text;
    });
    const question = { ...asked, formulas: texts };
    if (JSON.stringify(question) === last) return;
    last = JSON.stringify(question);
    read(texts);
    if (texts.some((text) => text.trim())) {
      result.setAttribute("aria-busy", "true");
      check(question);
    } else {
      check(null);
      result.removeAttribute("aria-busy");
      result.replaceChildren(element("p", { class: "faint" }, FIRST));
    }
  }

  return { made, show, fill, empty };
}

const fingerprint = ({ name, asked, form }) => JSON.stringify([name, asked, form]);

function field(unknown, id, { name }) {
  const input = element("input", {
    id, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 1000,
    placeholder: unknown ? `${unknown.name} = …` : "", "aria-describedby": `${id}-read`,
    oninput: () => change({ [id]: input.value }, { step: false }),
  });
  const label = unknown
    ? element("label", { for: id }, "Formula for ", formulas(unknown.set), unknown.optional && " (optional)")
    : element("label", { for: id }, "Your answer");
  const reading = element("p", { class: "reading", id: `${id}-read` });
  const show = (set, error) => {
    reading.classList.toggle("faint", Boolean(error));
    reading.replaceChildren(set ? formulas(set) : error);
  };
  return { made: element("div", { "data-problem": name }, label, input, reading), input, show, unknown: unknown?.name };
}
