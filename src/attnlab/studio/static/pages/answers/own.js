// A problem of one's own: its file, what the lab reads in it, its sample answers, and an answer to it.

import { post } from "../../api.js";
import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { formulas } from "../../components/formulas.js";
import { newest } from "../../components/newest.js";
import { save } from "../../components/files.js";
import { table } from "../../components/table.js";
import { change } from "../../state.js";
import { NAME, TOML } from "./example.js";
import { answerForm } from "./form.js";
import { about } from "./problem.js";
import { SYMBOLS } from "./verdict.js";

const WAIT = 400; // milliseconds after the last key
const INTRODUCTION = "A problem is a small TOML file: what is given, what is asked for, what is wanted. Change this "
  + "one. The address of this page carries your text, so it survives a reload; save the file to keep it. "
  + "Its comments say what each line is for.";
const COLUMNS = [{ name: "Sample" }, { name: "Expected" }, { name: "Verdict" }];

// The problem in the address.
export const ownOf = (parameters) => ({ name: parameters.get("name") || NAME, toml: parameters.get("toml") || TOML });

export function ownTab(signal) {
  const name = element("input", {
    id: "name", autocomplete: "off", spellcheck: "false", maxlength: 40, pattern: "[A-Za-z0-9_\\-]+", required: true,
    oninput: () => change({ name: name.value === NAME ? "" : name.value }, { step: false }),
  });
  const toml = element("textarea", {
    id: "toml", rows: 27, spellcheck: "false", autocomplete: "off", autocapitalize: "off", maxlength: 100000,
    oninput: () => change({ toml: toml.value === TOML ? "" : toml.value }, { step: false }),
  });
  const onclick = () => save(`${name.value}.toml`, new Blob([toml.value]));
  const keep = element("button", { type: "button", onclick }, "Save the file");
  const form = answerForm("try", signal);
  const said = element("div"), told = element("div", { class: "problem" });
  const rest = element("div", { hidden: true }, told, form.made);
  const made = element("div", {}, element("p", {}, INTRODUCTION),
    element("div", { class: "line" },
      element("span", { class: "field" }, element("label", { for: "name" }, "Name of the file"), name), ".toml", keep),
    element("label", { for: "toml" }, "The file"), toml, said, rest);
  let last = "", shown = null, parameters = null, checking = new AbortController();

  const read = newest(WAIT, (own) => post("answers/own", own, signal), ({ problem, error }, own) => {
    checking.abort();
    checking = new AbortController();
    said.replaceChildren(...(error ? [element("p", { class: "error", role: "status" }, error)] : []));
    rest.hidden = !problem;
    shown = null;
    if (!problem) return;
    told.replaceChildren(element("h2", {}, problem.title), ...about({ ...problem, samples: [] }),
      ...samples(problem, own, checking.signal));
    shown = { problem, own };
    form.show(problem, { own }, parameters);
  }, (error) => said.replaceChildren(errorBox(error)));

  signal.addEventListener("abort", () => checking.abort());

  function show(now) {
    parameters = now;
    const own = ownOf(now);
    if (name.value !== own.name) name.value = own.name;
    if (toml.value !== own.toml) toml.value = own.toml;
    if (JSON.stringify(own) !== last) read(own);
    else if (shown) form.show(shown.problem, { own: shown.own }, now);
    last = JSON.stringify(own);
  }

  return { made, show };
}

// The sample answers of a problem. Their verdicts come one by one.
function samples({ samples, command, python }, own, signal) {
  if (!samples.length) return [];
  const cells = samples.map(() => element("span", { class: "faint" }, "…"));
  (async () => {
    for (const [place, { answer, verdict }] of samples.entries()) {
      const told = await post("answers/check", { own, formulas: [answer] }, signal);
      const right = told.verdict === verdict ? "as expected" : "not as expected";
      cells[place].replaceChildren(`${SYMBOLS[told.verdict]} `, formulas(told.words), `: ${right}`);
      cells[place].className = told.verdict === verdict ? "" : "unexpected";
    }
  })().catch((error) => error.name !== "AbortError" && cells.at(-1).replaceChildren(error.message));
  return [
    element("h3", {}, "Its samples"),
    table(COLUMNS, samples.map(({ answer, verdict }, place) => [answer, verdict, cells[place]]), "Sample answers"),
    copyButtons({ command, python }),
  ];
}
