// Heads switched off: how many bits per byte more the text costs. A job.

import { post } from "../../api.js";
import { element } from "../../components/element.js";
import { measuring } from "../../components/measuring.js";
import { number } from "../../components/number.js";
import { table } from "../../components/table.js";
import { change } from "../../state.js";
import { BITS_PER_BYTE } from "./numbers.js";

const ZERO = "How many bits the text costs more for each of its bytes if the output of the head is 0.";
const MEAN = "The same if the output of the head is its mean over the text: the head then tells nothing of the place.";
const COLUMNS = [
  { name: "Head off" }, { name: "Output 0: bits per byte more", number: true, definition: ZERO },
  { name: "Output its mean: bits per byte more", number: true, definition: MEAN },
];
const NO_INTERVAL = "Without an interval: the text has fewer than four equally long blocks, or its blocks do not "
  + "differ.";

export function view(signal) {
  let shape = "";
  const boxes = element("fieldset", { class: "boxes" });
  const before = element("div", {},
    element("p", {}, "What is a head worth? Switch some off, and measure how much more a long text costs."), boxes);
  const measured = measuring({
    parameter: "measured", path: "inside/off", what: "Switching heads off", button: "Measure", before, signal,
    body: ({ off = "" }) => ({ heads: off.split(",").filter(Boolean) }), shown,
  });
  return { made: measured.made, show };

  async function show(state) {
    if (shape !== state.model) {
      shape = state.model;
      const { layers, heads } = await post("inside/shape", { model: state.model }, signal);
      boxes.replaceChildren(element("legend", {}, "Heads to switch off; a row for each layer"), ...rows(layers, heads));
    }
    const off = new Set((state.off ?? "").split(","));
    for (const box of boxes.querySelectorAll("input")) box.checked = off.has(box.value);
    await measured.show(state);
  }

  function rows(layers, heads) {
    return Array.from({ length: layers }, (_, layer) => element("div", {},
      Array.from({ length: heads }, (_, place) => element("label", {},
        element("input", { type: "checkbox", value: `${layer}.${place}`, onchange: chosen }), ` ${layer}.${place}`))));
  }

  function chosen() {
    const off = [...boxes.querySelectorAll(":checked")].map(({ value }) => value);
    change({ off: off.join(",") }, { step: false });
  }
}

function shown({ record, together }) {
  const { text, tokens, bits_per_byte: plain, blocks, heads } = record;
  const rows = heads.map(({ head, zero, mean }) => [head, estimate(zero), estimate(mean)]);
  if (heads.length > 1) rows.push([`all ${heads.length} together`, estimate(together.zero), estimate(together.mean)]);
  const all = [...heads, together].flatMap(({ zero, mean }) => [zero, mean]);
  const known = all.some(({ low }) => low != null), unknown = all.some(({ low }) => low == null);
  return [
    element("p", {}, number({ value: plain.toFixed(4), unit: "bits per byte", definition: BITS_PER_BYTE }),
      ` with all heads, on ${tokens.toLocaleString("en")} tokens of ${text}.`),
    table(COLUMNS, rows, "What each head is worth"),
    element("p", { class: "faint" }, known && "In brackets: 95 % intervals, from the differences in "
      + `${blocks.toLocaleString("en")} blocks of the text. `, unknown && `${NO_INTERVAL} `,
      "Below 0: the text costs less without the head."),
  ];
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;

function estimate({ value, low, high }) {
  return low == null ? signed(value) : `${signed(value)} (${signed(low)} to ${signed(high)})`;
}
