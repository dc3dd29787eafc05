import { element } from "./element.js";

let count = 0;

// A number with its unit and interval; its definition opens on demand.
export function number({ value, unit = "", interval = "", definition = "" }) {
  return element("span", { class: "number" }, value,
    unit && ` ${unit}`,
    interval && element("span", { class: "faint" }, ` ${interval}`), defined(definition));
}

const HIGH = { "-": "⁻", ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((digit, value) => [value, digit])) };

// A very small or large number as it is written by hand: 6×10⁻¹¹.
export function scientific(value, digits = 0) {
  if (!value || !Number.isFinite(value)) return String(value);
  const [mantissa, exponent] = value.toExponential(digits).split("e");
  return `${mantissa}×10${[...exponent.replace("+", "")].map((digit) => HIGH[digit]).join("")}`;
}

// A button and the definition that it opens; nothing without a definition.
export function defined(definition) {
  if (!definition) return [];
  const id = `definition-${count++}`;
  const note = element("span", { id, class: "definition", role: "note", hidden: true }, definition);
  const button = element("button", {
    class: "define", type: "button",
    "aria-label": "What does this mean?", "aria-expanded": "false", "aria-controls": id,
    onclick: () => {
      note.hidden = !note.hidden;
      button.setAttribute("aria-expanded", String(!note.hidden));
    },
  }, "?");
  return [button, note];
}
