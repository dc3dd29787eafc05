// element("a", { href: "#home", onclick }, "Home"): a new element. Text is text, never HTML.
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child != null && child !== false && child !== ""));
  return made;
}

// Change the text of an element, if it differs: the browser lays out again what is set, even to the same text. A text
// node that is there is kept, because a new one takes longer to lay out.
export function tell(made, text) {
  if (made.textContent === text) return;
  if (made.childNodes.length === 1 && made.firstChild.nodeType === Node.TEXT_NODE) made.firstChild.data = text;
  else made.textContent = text;
}

// How many times larger than usual the letters of the page are: on a very large screen more than 1. Charts count in
// pixels, and must be as much larger.
export const enlarged = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

// Say something to a screen reader.
export function say(text) {
  document.getElementById("said").textContent = text;
}
