import { element, say } from "./element.js";

// "Copy as command" and "Copy as Python": both make the shown numbers again.
export function copyButtons({ command, python }) {
  return element("div", { class: "actions" }, button("Copy as command", command), button("Copy as Python", python));
}

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
