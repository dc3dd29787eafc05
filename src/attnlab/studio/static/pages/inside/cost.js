// What each token of the text costs the model, and what it expected instead.

import { post } from "../../api.js";
import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { fileMenu, posted } from "../../components/files.js";
import { loading } from "../../components/loading.js";
import { pictures } from "../../components/picture.js";
import { chance, expected, legend, quoted, shaded } from "../../components/shaded.js";
import { table } from "../../components/table.js";
import { inOneLine, numbers } from "./numbers.js";
import { latest } from "./latest.js";

const UNKNOWN = " A dotted line marks text that the tokenizer does not know; its cost includes its spelling.";

export function view(signal) {
  const made = element("div", { class: "view" });
  const ask = latest(made, signal, () => loading(7, "Measuring the text"));
  return { made, show };

  async function show({ model, text }) {
    await ask({ model, text }, (body, stop) => post("inside/score", body, stop), shown);
  }

  function shown({ record, shades, legend: swatches, context, command, python }, body) {
    const pieces = record.tokens.map(({ text, unknown }, place) => ({ text, unknown, shade: `a${shades[place]}` }));
    const unknown = record.tokens.filter((each) => each.unknown).length;
    const told = numbers(record), meaning = legend("Bits of a token:", swatches);
    const text = shaded("The text; the arrow keys go from token to token.", pieces, tip(record.tokens)).made;
    const view = () => ({ title: `What each token costs ${body.model}`, lines: [inOneLine(record)],
      columns: [[meaning, text.firstChild]], tables: [costs(record)], command });
    return [
      told,
      element("p", { class: "faint" }, `The model sees at most ${context.toLocaleString("en")} tokens at once. `
        + "Point at a token, or go there with the arrow keys."
        + (unknown ? UNKNOWN : "")),
      meaning, text,
      element("div", { class: "actions" }, copyButtons({ command, python }),
        fileMenu({ ...pictures(view), ...posted("inside/save", () => body, [".csv"]) })),
    ];
  }
}

// The tokens with their costs, for the file that has no tips.
const costs = ({ tokens }) => table([{ name: "Token" }, { name: "Bits", number: true }, { name: "Probability" },
  { name: "Expected most" }], tokens.map(({ text, bits, probability, likeliest }) =>
  [quoted(text), bits.toFixed(4), chance(probability), expected(likeliest).join(", ")]), "Tokens");

const tip = (tokens) => (place) => {
  const { text, bits, probability, unknown, likeliest } = tokens[place];
  const instead = likeliest.length ? ["expected most:", ...expected(likeliest)] : ["nothing stands before it"];
  const cost = `${unknown ? "unknown, " : ""}${bits.toFixed(2)} bits, probability ${chance(probability)}`;
  return [`position ${place}, ${quoted(text)}`, cost, ...instead]; // as the command counts
};
