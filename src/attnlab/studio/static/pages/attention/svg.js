import { tell } from "../../components/element.js";

const SPACE = "http://www.w3.org/2000/svg";

// A new SVG element, as element() of components/ makes HTML.
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, tag);
  set(made, attributes);
  made.append(...children.flat());
  return made;
}

// Change attributes where they differ: what stays the same is neither laid out nor painted again.
export function set(made, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else {
      const text = typeof value === "number" ? String(+value.toFixed(1)) : value;
      if (made.getAttribute(name) !== text) made.setAttribute(name, text);
    }
  }
}

// Let a group have these shapes, each [tag, attributes, text]. Shapes that are there are changed, not made again.
export function draw(group, shapes) {
  shapes.forEach(([tag, attributes, text = ""], place) => {
    let node = group.children[place];
    if (node?.localName !== tag) {
      const made = svg(tag);
      if (node) node.replaceWith(made);
      else group.append(made);
      node = made;
    }
    set(node, attributes);
    tell(node, text);
  });
  while (group.children.length > shapes.length) group.lastChild.remove();
}
