// The reply of a model: its answer or that it does not know, what it recites, and the runners-up.

import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { files } from "../../components/files.js";
import { number } from "../../components/number.js";
import { table } from "../../components/table.js";

const PROBABILITY = "The model’s probability of its likeliest answer, at the temperature that calibrates it on people "
  + "who were kept out of finetuning.";
const THRESHOLD = "The model gives answers of at least this probability, and otherwise says that it does not know.";
const COLUMNS = [{ name: "Runners-up" }, { name: "Probability", number: true }];

export function reply(found, asked) {
  const { replies: [told], threshold } = found.record;
  const { answer, likeliest, probability, runners_up: others, recital, note } = told;
  const least = threshold == null ? "no threshold reaches the wanted precision"
    : [answer == null ? "below the threshold of " : "at or above the threshold of ",
      number({ value: threshold.toFixed(3), definition: THRESHOLD })];
  return [
    element("h3", { class: "answered" }, element("span", { class: "faint" }, "It answers: "),
      answer ?? "I do not know"),
    answer == null && likeliest != null
      && element("p", {}, `The likeliest answer would be ${likeliest || "(nothing)"}.`),
    probability != null && element("p", {}, "Probability ",
      number({ value: probability.toFixed(3), definition: PROBABILITY }), ", ", least),
    recital && element("p", {}, "It recites: ", element("q", {}, recital)),
    note && element("p", { class: "faint" }, note),
    others.length > 0 && table(COLUMNS, others.map(([text, p]) => [text || "(nothing)", p.toFixed(3)]), "Runners-up"),
    element("div", { class: "actions" }, copyButtons(found), files("knowledge/ask/file", () => asked, found.downloads)),
  ].filter(Boolean);
}
