// Why a classifier says so: the answer, the shaded text, the strongest words, and the kinds of an error.

import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { files } from "../../components/files.js";
import { number } from "../../components/number.js";
import { quoted, shaded as shadedText } from "../../components/shaded.js";
import { table } from "../../components/table.js";

const PROBABILITY = "The classifier’s probability of its answer. It need not be calibrated: “attnlab classify "
  + "evaluate” compares it with the accuracy.";
const LOG_ODDS = "ln(p / (1 − p)) of the answer’s probability p, in nats. The pushes of words are differences of it.";
const REMOVAL = "How much lower the log-odds are if the word is nowhere in the text, in nats.";
const GRADIENTS = "Integrated gradients, in nats: the pushes of all places sum to the log-odds minus those of an empty "
  + "text.";

// `found` is the answer to `asked`; `turned` is the label before the edit, if it was another one.
export function reasons(found, asked, turned) {
  const { shown } = found;
  return [
    answer(shown, turned), shaded(shown), legend(shown),
    shown.note && element("p", {}, shown.note),
    shown.strongest.length > 0 && strongest(shown),
    shown.error && experiments(shown.error),
    element("div", { class: "actions" }, copyButtons(found),
      files("reviews/explain/file", () => asked, found.downloads)),
  ].filter(Boolean);
}

export function answer({ said, label, probability, log_odds: odds }, turned = "") {
  const wrong = label && label !== said;
  return element("div", { class: "answer" },
    element("h2", {},
      element("span", { class: "faint" }, "The classifier says: "), element("span", { class: "said" }, said),
      wrong && element("span", { class: "faint" }, `, but the label is ${label}`),
      turned && element("span", { class: "turned" }, ` the label has turned: it was ${turned}`)),
    element("p", {}, "Probability ", number({ value: probability, definition: PROBABILITY }),
      ", log-odds ", number({ value: odds, unit: "nats", definition: LOG_ODDS })));
}

// The text; each word has its mark, and its numbers as a tip.
export function shaded({ pieces }) {
  const words = pieces.filter(([, mark]) => mark !== null);
  const shown = pieces.map(([text, mark]) => (mark === null ? text : { text, shade: `word ${mark}` }));
  return element("div", { class: "shaded" },
    shadedText("The review; the arrow keys go from word to word.", shown, (place) =>
      [quoted(words[place][0]), words[place][2]]).made);
}

export function legend({ said, against, darkest, unknown, words }) {
  return element("p", { class: "legend faint" },
    "A word pushes ", element("span", { class: "word for3" }, `towards ${said}`), " or ",
    element("span", { class: "word against3" }, `towards ${against}`), "; a stronger colour pushes more",
    darkest && `: the darkest shade begins at a push of ${darkest} nats`,
    unknown > 0 && [", ", element("span", { class: "word unknown" }, "unknown"), ` (${unknown} of ${words} words)`]);
}

function strongest({ strongest: rows }) {
  const columns = [{ name: "Strongest words" }, { name: "Removal, nats", number: true },
    { name: "Gradients, nats", number: true }];
  return element("div", {},
    table(columns, rows.map(({ word, removal, gradients }) => [word, removal, gradients]), "The strongest words"),
    element("p", { class: "faint" },
      number({ value: "Removal", definition: REMOVAL }), " ", number({ value: "Gradients", definition: GRADIENTS })));
}

export function experiments({ first, why, experiments: tried }) {
  const columns = [{ name: "Kind" }, { name: "Holds" }, { name: "What decided it" }];
  const rows = tried.map(({ kind, holds, told }) => [kind, holds ? "yes" : "no", told]);
  return element("div", {},
    element("h3", {}, `First kind: ${first}`), why && element("p", { class: "faint" }, why),
    table(columns, rows, "The experiments on this error"));
}
