// The scores of every head: a job.

import { element } from "../../components/element.js";
import { measuring } from "../../components/measuring.js";
import { scientific } from "../../components/number.js";
import { table } from "../../components/table.js";
import { address, read } from "../../state.js";

export function view(signal) {
  const before = element("p", {}, "What does each head do? Does it look at the token before, at the first one, or "
    + "at what followed the last time (induction)? The last row is a random head.");
  return measuring({
    parameter: "scored", path: "inside/scores", what: "Scoring the heads", button: "Score the heads", before, signal,
    body: () => ({}), shown,
  });
}

function shown({ record: { text, heads, measures, windows } }) {
  const keys = Object.keys(measures);
  const columns = [{ name: "Head" }, { name: "Named" }, ...keys.map((key) =>
    ({ name: spoken(key), number: true, definition: measures[key].about }))];
  const chance = ["random head", "", ...keys.map((key) => written(measures[key].chance))];
  const rows = heads.map(({ head, names, scores }) => [
    element("a", { href: here({ view: "heads", head }) }, head), names.join(", "),
    ...keys.map((key) => (scores[key] ? estimate(scores[key]) : "")),
  ]);
  return [
    element("p", {}, `On ${text}: ${windows.count.toLocaleString("en")} windows of `
      + `${windows.tokens.toLocaleString("en")} tokens. Below a score: its 95 % interval. `
      + "A score of the weights alone has none, and neither has a text of fewer than four windows."),
    element("div", { class: "wide" }, table(columns, [...rows, chance], "The scores of each head")),
    element("details", {}, element("summary", {}, "What the scores mean"),
      element("dl", {}, keys.flatMap((key) => [element("dt", {}, spoken(key)),
        element("dd", {}, `${measures[key].about} ${measures[key].formula}. Range: ${measures[key].range}.`)]))),
  ];
}

const here = (changes) => address("inside", { ...Object.fromEntries(read().parameters), ...changes });
const spoken = (key) => key.replaceAll("_", " ");

function written(value) {
  if (value == null) return "";
  const size = Math.abs(value), digits = size >= 1000 ? Math.round(size).toLocaleString("en") : size.toPrecision(3);
  return `${value < 0 ? "−" : ""}${size && size < 1e-4 ? scientific(size, 1) : digits}`;
}

function estimate({ value, interval }) {
  const told = interval && element("span", { class: "interval" }, interval.map(written).join(" to "));
  return element("span", {}, written(value), told);
}
