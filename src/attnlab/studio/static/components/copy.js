import { element, say } from "./element.js";

// "Copy as command" and "Copy as Python": both make the shown numbers again.
export function copyButtons({ command, python }) {
  return element("div", { class: "actions" }, button("Copy as command", command),
    button("Copy as Python", printed(python)));
}

// A file that is run prints nothing by itself, other than a notebook: so the last line prints what it makes.
const printed = (python) => python.replace(/^al\..*$/m, (call) => `print(${call})`);

function button(label, text) {
  const made = element("button", { type: "button", title: text, onclick: () => copy(text) }, label);
  return made;

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      made.textContent = "Copied";
      say(`Copied: ${text}`);
    } catch {
      made.textContent = text; // the browser refuses: so it can be copied by hand
      return;
    }
    setTimeout(() => (made.textContent = label), 1500);
  }
}
