import { element } from "./element.js";

// Save a text as a file.
export function save(name, content, type = "text/plain") {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
