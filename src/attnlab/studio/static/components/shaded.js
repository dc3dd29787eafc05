import { element } from "./element.js";

// A text in pieces, shaded, with a tip for the piece under the pointer or the focus. Arrow keys go from piece to piece.
// `pieces` are { text, shade: a class, unknown }, or plain text, which has no tip; `tip(place)` gives the lines of the
// tip, counted without plain text.
export function shaded(label, pieces, tip) {
  const note = element("div", { class: "tip", role: "status", hidden: true });
  const spans = [], shown = pieces.map((piece) => (typeof piece === "string" ? piece : spanOf(piece)));
  const text = element("div", { class: "tokens-text", tabindex: "0", role: "group", "aria-label": label }, shown);
  const made = element("div", {}, text, note);
  const at = (target) => spans.indexOf(target);
  text.addEventListener("pointerover", ({ target }) => show(at(target)));
  text.addEventListener("pointerleave", () => show(-1));
  text.addEventListener("focusin", ({ target }) => show(at(target)));
  text.addEventListener("focusout", () => show(-1));
  text.addEventListener("click", ({ target }) => focus(at(target)));
  text.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") show(-1);
    if (!step) return;
    event.preventDefault();
    focus(Math.max(0, at(document.activeElement) + step));
  });
  return { made, add };

  function add(piece) { // a piece that comes later
    text.append(spanOf(piece));
  }

  function spanOf(piece) {
    spans.push(one(piece));
    return spans.at(-1);
  }

  function focus(place) {
    const span = spans[place];
    if (!span) return;
    span.tabIndex = -1;
    span.focus({ preventScroll: true });
    span.scrollIntoView({ block: "nearest" });
  }

  function show(place) {
    note.hidden = place < 0;
    if (place < 0) return;
    note.textContent = tip(place).join("\n");
    const { left, bottom, top } = spans[place].getClientRects()[0] ?? spans[place].getBoundingClientRect();
    const { width, height } = note.getBoundingClientRect();
    note.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    note.style.top = `${bottom + height + 14 > innerHeight ? top - height - 6 : bottom + 6}px`;
  }
}

function one({ text, shade = "", unknown = false }) {
  return element("i", { class: `${shade}${unknown ? " unknown" : ""}` }, seen(text));
}

// Line ends are marked, and still end the line.
const seen = (text) => text.replaceAll("\n", "⏎\n") || "·";

// A piece in a sentence.
export const quoted = (text) => `“${text.replace(/^ /, "␣").replaceAll("\n", "⏎")}”`;

// A probability in words: 12.3 %, or 1 in 12,345.
export function chance(probability) {
  if (probability >= 0.001) return `${Number((100 * probability).toPrecision(3))} %`;
  return probability ? `1 in ${Math.round(1 / probability).toLocaleString("en")}` : "0";
}

// The likeliest tokens, a line each.
export const expected = (likeliest) => likeliest.map(([text, share]) => `${quoted(text)} ${chance(share)}`);

// What the shades stand for: pairs of a class and words.
export function legend(unit, swatches) {
  return element("ul", { class: "swatches" }, element("li", { class: "faint" }, unit),
    swatches.map(([name, words]) => element("li", { class: name }, words)));
}
