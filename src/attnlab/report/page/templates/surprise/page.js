// The tooltip of a token, by pointer or arrow keys: its number, bits and probability under each model, and the tokens
// that the model expected most.
const details = document.getElementById("details");
const firsts = new WeakMap();

for (const text of document.querySelectorAll(".text")) {
  const models = JSON.parse(text.dataset.models);
  const next = models.map(() => 1);
  for (const cell of text.children) {
    firsts.set(cell, [...next]);
    models.forEach((_, at) => { next[at] += read(cell, at).tokens; });
  }
  const cellOf = (event) => (event.target.parentElement === text ? event.target : null);
  text.addEventListener("pointerover", (event) => show(cellOf(event), models));
  text.addEventListener("pointerleave", () => show(null));
  text.addEventListener("click", (event) => focus(cellOf(event)));
  text.addEventListener("focusin", (event) => show(cellOf(event), models));
  text.addEventListener("focusout", () => show(null));
  text.addEventListener("scroll", () => show(cellOf({ target: document.activeElement }), models));
  text.addEventListener("keydown", (event) => {
    const forward = { ArrowRight: true, ArrowLeft: false }[event.key];
    if (event.key === "Escape") show(null);
    if (forward === undefined) return;
    event.preventDefault();
    const here = cellOf(event);
    focus(here ? (forward ? here.nextElementSibling : here.previousElementSibling) : text.firstElementChild);
  });
}

function focus(cell) {
  if (!cell) return;
  cell.tabIndex = -1;
  cell.focus({ preventScroll: true });
  cell.scrollIntoView({ block: "nearest" });
}

function read(cell, at) {
  const [bits, more, tokens, unknown] = cell.dataset["ab"[at]].split(" ").map(Number);
  return { bits, more, tokens, unknown, expected: cell.dataset[`e${"ab"[at]}`] };
}

function show(cell, models) {
  details.hidden = !cell;
  if (!cell) return;
  details.textContent = models.map((name, at) => said(read(cell, at), firsts.get(cell)[at], models[1] && name)).join("\n");
  const { left, bottom, top } = cell.getClientRects()[0] ?? cell.getBoundingClientRect();
  const { width, height } = details.getBoundingClientRect();
  details.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  details.style.top = `${bottom + height + 14 > innerHeight ? top - height - 6 : bottom + 6}px`;
}

function said({ bits, more, tokens, unknown, expected }, first, name) {
  const number = tokens > 1 ? `tokens ${first}–${first + tokens - 1}` : tokens ? `token ${first}` : "no token";
  const p = 2 ** -bits;
  const probability = p >= 0.0001 ? `${Number((100 * p).toPrecision(3))} %` : `1 in ${Math.round(1 / p).toLocaleString("en")}`;
  const beside = more > 0 ? `, plus ${more} bits ${unknown ? "to spell it out" : "for its capitals and spaces"}` : "";
  return `${name ? `${name}: ` : ""}${number}, ${unknown ? "unknown, " : ""}${bits} bits, probability ${probability}${beside}${expected ? `\nexpected: ${expected}` : ""}`;
}
