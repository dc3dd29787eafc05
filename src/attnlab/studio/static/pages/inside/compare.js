// Two models on one text: what each part costs both, and where they differ.

import { post } from "../../api.js";
import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { csv, fileMenu } from "../../components/files.js";
import { loading } from "../../components/loading.js";
import { pictures } from "../../components/picture.js";
import { legend, quoted, shaded } from "../../components/shaded.js";
import { table } from "../../components/table.js";
import { change, settle } from "../../state.js";
import { inOneLine, numbers } from "./numbers.js";
import { latest } from "./latest.js";

const MOST = 8;

export function view(signal) {
  const other = element("select", { id: "other", onchange: () => change({ other: other.value }) });
  const result = element("div", { class: "result" });
  const made = element("div", { class: "view" },
    element("p", { class: "field" }, element("label", { for: "other" }, "Compare with"), other), result);
  const ask = latest(result, signal, () => loading(7, "Measuring the text with both models"));
  return { made, show };

  async function show({ model, text, other: named, choices }) {
    const others = [...new Set([...choices.map(({ name }) => name), named ?? model])].filter((name) => name !== model);
    other.replaceChildren(...others.map((name) => element("option", { value: name }, name)));
    if (!others.length) return result.replaceChildren(element("p", {}, "There is no other model in this folder."));
    other.value = others.includes(named) ? named : others[0];
    settle({ other: other.value });
    await ask({ models: [model, other.value], text }, (body, stop) => post("inside/compare", body, stop), shown);
  }

  function shown({ records, cells, legend: swatches, command, python }, body) {
    const { models } = body;
    const pieces = cells.map(({ text, shade }) => ({ text, shade: `d${shade}` }));
    const tip = (place) => {
      const { text, bits, tokens } = cells[place];
      const cost = (name, at) => `${name}: ${bits[at].toFixed(2)} bits, ${counted(tokens[at])}`;
      return [quoted(text), ...models.map(cost)];
    };
    const meaning = legend(`Bits that ${models[0]} (+, orange) or ${models[1]} (−, blue) needs more:`, swatches);
    const whole = shaded("The text; the arrow keys go from part to part.", pieces, tip).made;
    const view = () => ({ title: "One text for two models", command, columns: [[meaning, whole.firstChild]],
      lines: records.map((record, at) => `${models[at]}: ${inOneLine(record)}`),
      tables: [parts(cells, models, "The parts")] });
    const names = ["part", ...models.map((name) => `${name}, bits`), "difference, bits",
      ...models.map((name) => `${name}, tokens`)];
    const rows = cells.map(({ text, bits, difference, tokens }) => [text, ...bits, difference, ...tokens]);
    return [
      element("div", { class: "beside-each-other" },
        records.map((record, at) => element("div", {}, element("h3", {}, models[at]), numbers(record)))),
      element("h3", {}, "Where they differ"),
      meaning, whole,
      parts(widest(cells), models, "The parts with the largest differences"),
      element("div", { class: "actions" }, copyButtons({ command, python }),
        fileMenu({ ...pictures(view), ".csv": async () => csv(names, rows) })),
    ];
  }
}

const counted = (count) => (count === 1 ? "1 token" : `${count} tokens`);

function widest(cells) {
  const size = ({ difference }) => Math.abs(difference);
  return [...cells].sort((one, other) => size(other) - size(one)).slice(0, MOST);
}

function parts(cells, models, caption) {
  const columns = [{ name: "Part of the text" }, ...models.map((name) => ({ name: `${name}, bits`, number: true })),
    { name: "Difference, bits", number: true }];
  return table(columns, cells.map(({ text, bits, difference }) => [quoted(text), ...bits.map((each) => each.toFixed(2)),
    `${difference > 0 ? "+" : ""}${difference.toFixed(2).replace("-", "−")}`]), caption);
}
