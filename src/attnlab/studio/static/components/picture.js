// What a page shows, as files: the pictures of the page itself, with their styles, so they look the same elsewhere.

import { enlarged } from "./element.js";

// The styles that a shape takes from the page. Shapes inside it inherit them.
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order",
  "font-family", "font-size", "font-weight", "text-anchor"];
const SPACE = "http://www.w3.org/2000/svg";
const GAP = 24, LINE = 20, LETTER = 7; // pixels; a letter of a line is at most this wide, on average
const SHARP = 2; // pixels of a PNG for each of the picture
const LOOK = "body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif } "
  + "svg { max-width: 100%; height: auto } td, th { text-align: left; padding: .2rem 1rem .2rem 0 } "
  + "pre { white-space: pre-wrap }";

// The files of a view, by their endings; each is made when it is asked for. `view()` gives { title, lines, columns: the
// pictures and shaded texts, in columns, tables, command }.
export const pictures = (view) => ({
  ".svg": async () => new Blob([written(picture(view()))], { type: "image/svg+xml" }),
  ".png": () => drawn(picture(view())),
  ".html": async () => new Blob([pageOf(view())], { type: "text/html" }),
});

function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// The SVG as XML, which knows no control characters; a text may have some.
const written = (svg) => new XMLSerializer().serializeToString(svg)
  .replace(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, "\ufffd").toWellFormed();

function picture({ title, lines, columns }) {
  const { color: fill, backgroundColor: paper } = getComputedStyle(document.body), parts = [];
  const copies = columns.map((column) => column.map((each) => (each.localName === "svg" ? copied : traced)(each)));
  const widths = copies.map((column) => Math.max(...column.map(({ width }) => width)));
  const wide = widths.reduce((sum, width) => sum + width + GAP, GAP);
  const told = lines.filter(Boolean).flatMap((line) => wrapped(line, (wide - 2 * GAP) / LETTER));
  const line = (text, at) => shape("text", { x: GAP, y: 2 * GAP + (at + 1) * LINE, "font-size": 13 }, text);
  parts.push(...told.map(line));
  const top = 2.5 * GAP + told.length * LINE, heights = [];
  copies.forEach((column, at) => {
    const x = widths.slice(0, at).reduce((sum, width) => sum + width + GAP, GAP);
    heights.push(column.reduce((y, { made, width, height }) => {
      for (const [name, value] of Object.entries({ x, y, width, height })) made.setAttribute(name, value);
      parts.push(made);
      return y + height + GAP;
    }, top));
  });
  const high = Math.max(...heights);
  return shape("svg", { xmlns: SPACE, width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, fill: plain(fill),
    role: "img", "aria-label": [title, ...told].join(" "), "font-family": "system-ui, sans-serif" },
  shape("rect", { width: "100%", height: "100%", fill: plain(paper) }),
  shape("text", { x: GAP, y: 1.5 * GAP, "font-size": 18, "font-weight": 600 }, title), ...parts);
}

// A copy of an SVG of the page, which carries its styles as attributes.
function copied(svg) {
  const box = svg.hasAttribute("viewBox") ? svg.viewBox.baseVal : { width: svg.clientWidth, height: svg.clientHeight };
  const made = styled(svg, {});
  made.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  return { made, width: box.width, height: box.height };
}

function styled(node, above) {
  if (node.nodeType === Node.TEXT_NODE) return node.cloneNode();
  const made = node.cloneNode(false), look = getComputedStyle(node), here = {};
  for (const { name } of [...made.attributes]) {
    if (/^(class|style|role|tabindex|aria-.*)$/.test(name)) made.removeAttribute(name);
  }
  for (const name of STYLES) {
    here[name] = plain(look.getPropertyValue(name));
    if (here[name] !== above[name]) made.setAttribute(name, here[name]);
  }
  if (look.opacity !== "1") made.setAttribute("opacity", look.opacity);
  made.append(...[...node.childNodes].filter((each) => each.nodeType === Node.TEXT_NODE
    || (each.nodeType === Node.ELEMENT_NODE && getComputedStyle(each).display !== "none"))
    .map((each) => styled(each, here)));
  return made;
}

// A text of the page as an SVG, with its shades and the small pictures in it. The browser has broken its lines.
function traced(box) {
  const origin = box.getBoundingClientRect(), larger = enlarged(), made = shape("svg");
  const placed = ({ left, right, top, height }) => ({
    x: (left - origin.left + box.scrollLeft) / larger, y: (top - origin.top + box.scrollTop) / larger,
    width: (right - left) / larger, height: height / larger });
  const nodes = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), range = document.createRange(), grounds = [];
  while (nodes.nextNode()) {
    const node = nodes.currentNode, look = getComputedStyle(node.parentElement);
    if (node.parentElement.closest("button")) continue;
    for (const { text, rect } of linesOf(node, range)) {
      const { x, y, width, height } = placed(rect);
      grounds.push(shape("rect", { x, y, width, height, fill: plain(look.backgroundColor) }));
      const font = { "font-family": look.fontFamily, "font-size": parseFloat(look.fontSize) / larger };
      made.append(shape("text", { x, y: y + 0.78 * height, "xml:space": "preserve", textLength: width, ...font,
        fill: plain(look.color) }, text));
    }
  }
  for (const svg of box.querySelectorAll("svg")) {
    const { made: copy } = copied(svg);
    for (const [name, value] of Object.entries(placed(svg.getBoundingClientRect()))) copy.setAttribute(name, value);
    made.append(copy);
  }
  made.prepend(...grounds);
  return { made, width: box.scrollWidth / larger, height: box.scrollHeight / larger };
}

// The parts of a text node that stand on one line each.
function linesOf(node, range) {
  const lines = [];
  let at = 0;
  for (const letter of node.data) {
    range.setStart(node, at);
    range.setEnd(node, at += letter.length);
    const { left, right, top, height, width } = range.getBoundingClientRect(), last = lines.at(-1);
    if (!width) continue;
    if (last?.rect.top !== top) lines.push({ text: letter, rect: { left, right, top, height } });
    else Object.assign(last, { text: last.text + letter, rect: { ...last.rect, right } });
  }
  return lines;
}

// A colour that every reader of SVG knows: browsers write mixed colours as color(srgb 0.1 0.2 0.3 / 0.5).
function plain(value) {
  return value.replace(/color\(srgb ([^)]+)\)/, (_, told) => {
    const [red, green, blue, alpha = 1] = told.split(/[ /]+/).map(Number);
    return `rgba(${[red, green, blue].map((part) => Math.round(255 * part)).join(", ")}, ${alpha})`;
  });
}

function wrapped(text, most) {
  return text.split(/ +/).reduce((lines, word) => {
    if (lines.length && lines.at(-1).length + word.length < most) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
    return lines;
  }, []);
}

async function drawn(svg) {
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(written(svg))}`;
  await image.decode();
  Object.assign(canvas, { width: SHARP * svg.getAttribute("width"), height: SHARP * svg.getAttribute("height") });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function pageOf({ tables = [], command, ...view }) {
  const text = (tag, told) => Object.assign(document.createElement(tag), { textContent: told }).outerHTML;
  const copies = tables.map((table) => {
    const made = table.cloneNode(true);
    for (const each of made.querySelectorAll("button, .definition, [hidden]")) each.remove();
    return made.outerHTML;
  });
  return "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" "
    + `content="default-src 'none'; style-src 'unsafe-inline'">${text("title", view.title)}<style>${LOOK}</style>`
    + written(picture(view)) + copies.join("") + (command ? text("pre", command) : "");
}
