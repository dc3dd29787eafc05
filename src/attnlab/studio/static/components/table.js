import { element } from "./element.js";

// A table. `columns` are { name, number }; a cell is text or an element; the first cell of a row is its header.
export function table(columns, rows, caption) {
  const head = columns.map(({ name, number }) => element("th", { scope: "col", class: number && "right" }, name));
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
