import { element } from "./element.js";

// One clear line about what went wrong.
export function errorBox(error) {
  const box = element("p", { class: "error", role: "alert" }, error.message);
  if (!error.status) console.error(error); // our own mistake
  return box;
}
