import { element } from "./element.js";

let count = 0;

// A number with its unit and interval; its definition opens on demand.
export function number({ value, unit = "", interval = "", definition = "" }) {
  const made = element("span", { class: "number" }, value,
    unit && ` ${unit}`,
    interval && element("span", { class: "faint" }, ` ${interval}`));
  if (!definition) return made;
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
  made.append(button, note);
  return made;
}
