import { element } from "./element.js";

const NAMES = { ".svg": "SVG", ".png": "PNG", ".csv": "CSV", ".html": "One-file HTML" };

// A menu of the files of a finished job. `about` says what the files contain.
export const downloads = (job, endings, about = "") =>
  fileLinks((ending) => `api/jobs/${job}/result${ending}`, endings, about);

// A menu of files. `place(ending)` is the address of each.
export function fileLinks(place, endings, about = "") {
  const link = (ending) => element("a", { href: place(ending), download: true }, NAMES[ending]);
  return element("details", { class: "menu" },
    element("summary", {}, "Download"),
    about && element("p", { class: "faint" }, about),
    element("ul", {}, endings.map((ending) => element("li", {}, link(ending)))));
}
