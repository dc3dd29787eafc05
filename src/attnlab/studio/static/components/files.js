import { postFile } from "../api.js";
import { element } from "./element.js";
import { errorBox } from "./error.js";

const NAMES = { ".svg": "SVG", ".png": "PNG", ".csv": "CSV", ".html": "One-file HTML", ".txt": "Text" };

// A menu of files. `made` has, by their endings, functions that make them: Blobs.
export function fileMenu(made) {
  const said = element("div");
  const button = (ending) => element("button", { type: "button", onclick: () => attempt(ending) }, NAMES[ending]);
  return element("details", { class: "menu" },
    element("summary", {}, "Download"),
    element("div", { class: "line" }, Object.keys(made).map(button)), said);

  async function attempt(ending) {
    try {
      save(`attnlab${ending}`, await made[ending]());
      said.replaceChildren();
    } catch (error) {
      said.replaceChildren(errorBox(error));
    }
  }
}

// The files of a record that no job made. `path` and `body()` ask for it again, with the ending of the file.
export const posted = (path, body, endings) =>
  Object.fromEntries(endings.map((ending) => [ending, () => postFile(path, { ...body(), ending })]));

// A menu of such files.
export const files = (path, body, endings) => fileMenu(posted(path, body, endings));

// Rows as CSV, with full numbers.
export function csv(names, rows) {
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  const cell = (value) => (typeof value === "number" ? String(value) : quoted(value ?? ""));
  return new Blob([[names, ...rows].map((row) => `${row.map(cell).join(",")}\n`).join("")], { type: "text/csv" });
}

// Save a Blob as a file.
export function save(name, content) {
  const href = URL.createObjectURL(content);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60000);
}
