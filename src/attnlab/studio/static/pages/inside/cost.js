// What each token of the text costs the model, and what it expected instead.

import { post } from "../../api.js";
import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { files } from "../../components/files.js";
import { loading } from "../../components/loading.js";
import { chance, expected, legend, quoted, shaded } from "../../components/shaded.js";
import { numbers } from "./numbers.js";
import { latest } from "./latest.js";

const UNKNOWN = " A dotted line marks text that the tokenizer does not know; its cost includes its spelling.";
const FILES = [".svg", ".png", ".csv", ".html"];

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
    return [
      numbers(record),
      element("p", { class: "faint" }, `The model sees at most ${context.toLocaleString("en")} tokens at once. `
        + "Point at a token, or go there with the arrow keys."
        + (unknown ? UNKNOWN : "")),
      legend("Bits of a token:", swatches),
      shaded("The text; the arrow keys go from token to token.", pieces, tip(record.tokens)).made,
      element("div", { class: "actions" }, copyButtons({ command, python }), files("inside/save", () => body, FILES)),
    ];
  }
}

const tip = (tokens) => (place) => {
  const { text, bits, probability, unknown, likeliest } = tokens[place];
  const instead = likeliest.length ? ["expected most:", ...expected(likeliest)] : ["nothing stands before it"];
  const cost = `${unknown ? "unknown, " : ""}${bits.toFixed(2)} bits, probability ${chance(probability)}`;
  return [`token ${place + 1}, ${quoted(text)}`, cost, ...instead];
};
