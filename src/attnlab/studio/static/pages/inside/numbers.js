import { element } from "../../components/element.js";
import { number } from "../../components/number.js";

export const BITS_PER_BYTE = "How many bits the model needs for each byte of this text, all tokens included. Fewer is "
  + "better. Comparable across models and tokenizers, on the same text. A single short text has no interval.";
const PERPLEXITY = "e to the power of the mean cost of a token in nats: as uncertain as a choice among "
  + "this number of tokens. Compares only models with the same tokenizer.";

// The cost of a text in one line, as a file tells it.
export const inOneLine = ({ bits_per_byte: bits, lower_bound: bound, perplexity, tokens }) =>
  `${bound ? "> " : ""}${bits.toFixed(4)} bits per byte; perplexity ${Number(perplexity.toPrecision(4))} per token; `
  + `${tokens.length.toLocaleString("en")} tokens${bound ? `. > marks a lower bound: ${bound}` : ""}`;

// The same with the definition of each number.
export function numbers({ bits_per_byte: bits, lower_bound: bound, perplexity, tokens }) {
  return element("p", { class: "numbers" },
    number({ value: `${bound ? "> " : ""}${bits.toFixed(4)}`, unit: "bits per byte", definition: BITS_PER_BYTE }),
    number({ value: `perplexity ${Number(perplexity.toPrecision(4)).toLocaleString("en")}`, unit: "per token",
      definition: PERPLEXITY }),
    element("span", {}, `${tokens.length.toLocaleString("en")} tokens`),
    bound && element("span", { class: "faint" }, `> marks a lower bound: ${bound}`));
}
