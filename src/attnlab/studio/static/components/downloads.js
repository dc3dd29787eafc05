import { element } from "./element.js";

const NAMES = { ".svg": "SVG", ".png": "PNG", ".csv": "CSV", ".html": "One-file HTML" };

// A menu of the files of a finished job. `about` says what the files contain.
export function downloads(job, endings, about = "") {
  const links = endings.map((ending) => element("li", {}, element("a", { href: `api/jobs/${job}/result${ending}`, download: true }, NAMES[ending])));
  return element("details", { class: "menu" }, element("summary", {}, "Download"), about && element("p", { class: "faint" }, about), element("ul", {}, links));
}
