// The verdict on an answer: why, an example, a correction, and the same as a command, as Python and as a file.

import { get, post } from "../../api.js";
import { copyButtons } from "../../components/copy.js";
import { downloads } from "../../components/downloads.js";
import { element } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { files } from "../../components/files.js";
import { formulas } from "../../components/formulas.js";
import { jobProgress } from "../../components/job.js";
import { number } from "../../components/number.js";

export const SYMBOLS = { holds: "✓", fails: "✗", "holds if": "◐", undecided: "?", unreadable: "…", late: "…" };
const MEANINGS = {
  holds: "Where the problem says =, both sides are equal. Where it says ≈, the error goes to 0 as the large constants "
    + "grow; “how far” says how large they must be for an error of 1 %.",
  fails: "The answer does not give what is wanted. The example is the smallest one that the lab knows.",
  "holds if": "The answer is right under this condition.",
  undecided: "The lab cannot tell. It never guesses that an answer holds.",
  unreadable: "The lab cannot read this formula as an answer to the problem.",
};
const ENDINGS = [".csv", ".html"];

// `fill(formulas)` puts a correction into the form; `menu` has the files to download.
export function verdict(told, question, fill, menu = files("answers/file", () => question, ENDINGS)) {
  const holds = told.verdict.startsWith("holds");
  return element("article", { class: `evidence ${told.verdict.replace(" ", "-")}` },
    heading(told),
    told.answer && line("read as", formulas(told.answer)),
    told.reason && line(told.verdict === "unreadable" ? "where" : holds ? "how far" : "why", formulas(told.reason)),
    told.example && line("for example", formulas(told.example)),
    told.suggestion && correction(told, holds, fill),
    told.command && element("div", { class: "actions" }, copyButtons(told), menu),
    told.command && question.own && element("p", { class: "faint" },
      `The command and the Python read the file ${question.own.name}.toml: save it first, with the button above.`));
}

function heading({ verdict, words }) {
  const sign = element("b", { "aria-hidden": "true" }, SYMBOLS[verdict]);
  const value = element("span", { class: verdict.replace(" ", "-") }, sign, " ", formulas(words));
  return element("h2", {}, number({ value, definition: MEANINGS[verdict] }));
}

const line = (name, ...told) => element("p", {}, element("span", { class: "faint" }, `${name}: `), ...told);

function correction({ suggestion, corrected, slip }, holds, fill) {
  const name = slip ? "did you mean" : holds ? "exactly" : "a correct answer";
  return line(name, formulas(suggestion), slip && ` (${slip}) `, " ",
    element("button", { type: "button", class: "use", onclick: () => fill(corrected) }, "Use it"));
}

// An answer that takes long: a job can go on with it.
export function late({ reason }, question, fill, signal) {
  const progress = element("div");
  const start = element("button", { type: "button", onclick: run }, "Go on in a job");
  const made = element("article", { class: "evidence" }, element("h2", {}, "This answer takes longer"),
    element("p", {}, `${reason} A few answers with noise and several constants take up to a minute.`), start, progress);
  return made;

  async function run() {
    start.disabled = true;
    try {
      const { id } = await post("answers/job", question, signal);
      progress.replaceChildren(jobProgress(id, "Checking the answer", ended, signal));
    } catch (error) {
      progress.replaceChildren(errorBox(error));
      start.disabled = false;
    }
  }

  async function ended({ id, state }) {
    if (state !== "done") return (start.disabled = false);
    const { checked, downloads: endings } = await get(`jobs/${id}/result`, signal);
    made.replaceWith(verdict(checked, question, fill, downloads(id, endings)));
  }
}
