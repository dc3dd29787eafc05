import { postFile } from "../api.js";
import { element } from "./element.js";
import { errorBox } from "./error.js";

const NAMES = { ".svg": "SVG", ".png": "PNG", ".csv": "CSV", ".html": "One-file HTML" };

// A menu of the files of a record that no job made. `path` and `body()` ask for it again, with the ending of the file.
export function files(path, body, endings) {
  const said = element("div");
  const button = (ending) => element("button", { type: "button", onclick: () => save(ending) }, NAMES[ending]);
  return element("details", { class: "menu" },
    element("summary", {}, "Download"),
    element("div", { class: "line" }, endings.map(button)), said);

  async function save(ending) {
    try {
      const href = URL.createObjectURL(await postFile(path, { ...body(), ending }));
      element("a", { href, download: `attnlab${ending}` }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60000);
      said.replaceChildren();
    } catch (error) {
      said.replaceChildren(errorBox(error));
    }
  }
}
