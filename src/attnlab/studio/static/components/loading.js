import { element } from "./element.js";

// Grey lines in the place of what is being loaded, as high as it will be: nothing jumps.
export function loading(lines = 3, what = "Loading") {
  const made = element("div", { class: "loading", role: "status", "aria-label": what });
  for (let line = 0; line < lines; line++) made.append(element("span"));
  return made;
}
