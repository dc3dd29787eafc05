// A text of the lab with subscripts and superscripts. The server sends it as escaped HTML; nothing but <sub>, <sup> and
// text is taken from it.
export function formulas(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const made = document.createDocumentFragment();
  made.append(...copied(parsed.body));
  return made;
}

const POINT = /( = )?\([-−\d][^()]{0,30}\)/g; // a short vector stays on one line with its name: = (0, 1, 0)
const unbroken = (point) => point.replaceAll(" ", "\u00a0");

function copied(from) {
  return [...from.childNodes].map((node) => {
    if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data.replace(POINT, unbroken));
    const tag = node.nodeName.toLowerCase();
    const made = ["sub", "sup"].includes(tag) ? document.createElement(tag) : document.createElement("span");
    made.append(...copied(node));
    return made;
  });
}
