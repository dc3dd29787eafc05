import { element } from "./element.js";
import { defined } from "./number.js";

// A table. `columns` are { name, number, definition }: the definition opens on demand. A cell is text or an element;
// the first cell of a row is its header.
export function table(columns, rows, caption) {
  const head = columns.map(({ name, number, definition }) =>
    element("th", { scope: "col", class: number && "right" }, name, defined(definition)));
  const body = rows.map((cells) => element("tr", {}, cells.map((cell, place) => {
    const { name, number } = columns[place];
    const attributes = { class: number && "right", "data-name": name };
    return place ? element("td", attributes, cell) : element("th", { scope: "row", ...attributes }, cell);
  })));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {},
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, head)),
      element("tbody", {}, body)));
}
