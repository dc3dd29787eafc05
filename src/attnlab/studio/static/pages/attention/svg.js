const SPACE = "http://www.w3.org/2000/svg";

// A new SVG element, as element() of components/ makes HTML.
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, tag);
  set(made, attributes);
  made.append(...children.flat());
  return made;
}

export function set(made, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, typeof value === "number" ? String(+value.toFixed(2)) : value);
  }
}
