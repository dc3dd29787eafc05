import { element } from "./element.js";

const NAMES = { ".svg": "SVG", ".png": "PNG", ".csv": "CSV", ".html": "One-file HTML" };

// A menu of the files of a finished job. `about` says what the files contain.
export function downloads(job, endings, about = "") {
  const link = (ending) => element("a", { href: `api/jobs/${job}/result${ending}`, download: true }, NAMES[ending]);
  return element("details", { class: "menu" },
    element("summary", {}, "Download"),
    about && element("p", { class: "faint" }, about),
    element("ul", {}, endings.map((ending) => element("li", {}, link(ending)))));
}
