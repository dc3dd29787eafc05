// The heads of a model on a text, drawn on the elements that page.html names. The weights of a head are unpacked when it
// is chosen; only what changes is drawn. The page of `heads look` and the studio share this file.
const marks = 8, listed = 8, quiet = 0.1, most = 4000;
let tokens = [], heads = [], exact = true, side = 1, count = 0, pairs = 0;
let carried = null, changed = null, map = null, arcs = null, strip = null, details = null, byRow = null;
let spans = [], buttons = [], shades = null;
let head = null, chosen = "", query = 0, key = 0, strong = [], ends = [], marked = null, told = "", box = null, colours = [];

function byId(id) { return document.getElementById(id); }
function at(query, key) { return (query * (query + 1)) / 2 + key; }

// A head as the page carries it: ln of softmax's denominator for each query, then logits or rounded weights.
async function unpacked(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

async function load(name) {
  const bytes = await unpacked(await carried.head(name));
  const totals = new Float64Array(bytes, 0, count);
  const stored = exact ? new Float32Array(bytes, 8 * count, pairs) : new Uint8Array(bytes, 8 * count, pairs);
  const weights = new Float32Array(pairs);
  for (let row = 0, pair = 0; row < count; row += 1) {
    for (let column = 0; column <= row; column += 1, pair += 1) {
      weights[pair] = exact ? Math.exp(stored[pair] - totals[row]) : (stored[pair] / 255) ** 2;
    }
  }
  return { totals, weights, logits: exact ? stored : null };
}

// Colours: the shade grows with the square root of the weight, so that small weights stay visible.
function shade(weight) { return Math.sqrt(weight); }

function paint(canvas, values) {
  const [red, green, blue] = colours, picture = new ImageData(canvas.width, canvas.height);
  const bytes = picture.data;
  for (let pixel = 0, byte = 0; pixel < values.length; pixel += 1, byte += 4) {
    bytes[byte] = red;
    bytes[byte + 1] = green;
    bytes[byte + 2] = blue;
    bytes[byte + 3] = values[pixel];
  }
  canvas.getContext("2d").putImageData(picture, 0, 0);
}

async function paintSmall() {
  const all = new Uint8Array(await unpacked(carried.small));
  buttons.forEach((button, place) => {
    paint(button.firstElementChild, all.subarray(place * side * side, (place + 1) * side * side));
  });
}

// The large map has a pixel for each pixel of the screen; one that covers several weights shows the largest.
function paintMap() {
  const room = Math.max(1, Math.round(map.clientWidth * Math.min(devicePixelRatio, 2)));
  const wide = count > room ? room : count * Math.max(1, Math.floor(room / count));
  map.width = map.height = wide;
  map.style.imageRendering = wide < room ? "pixelated" : "auto";
  const values = new Uint8Array(wide * wide), edges = Array.from({ length: count + 1 }, (_, n) => Math.floor((n * wide) / count));
  for (let row = 0; row < count; row += 1) {
    const full = byRow.checked ? head.weights.subarray(at(row, 0), at(row, 0) + row + 1).reduce((one, other) => Math.max(one, other)) : 1;
    for (let column = 0; column <= row; column += 1) {
      const value = Math.round(255 * shade(Math.min(1, head.weights[at(row, column)] / (full || 1))));
      if (!value) continue;
      const right = Math.max(edges[column + 1], edges[column] + 1), bottom = Math.max(edges[row + 1], edges[row] + 1);
      for (let y = edges[row]; y < bottom; y += 1) {
        for (let x = edges[column]; x < right; x += 1) values[y * wide + x] = Math.max(values[y * wide + x], value);
      }
    }
  }
  paint(map, values);
}

// Arcs: those of the query in colour; those of the other tokens in sight in grey, if their weight is not small.
function paintArcs() {
  const pen = arcs.getContext("2d"), left = strip.scrollLeft, [red, green, blue] = colours;
  pen.clearRect(0, 0, box.width, box.height);
  const inSight = (one, other) => Math.max(ends[one], ends[other]) > left && Math.min(ends[one], ends[other]) < left + box.width;
  const draw = (from, to, colour, width) => {
    const one = ends[from] - left, other = ends[to] - left, middle = (one + other) / 2, across = Math.abs(one - other) / 2;
    if (from === to || !inSight(from, to)) return;
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.ellipse(middle, box.height, across, Math.min(box.height - 4, 12 + across * 0.8), 0, Math.PI, 2 * Math.PI);
    pen.stroke();
  };
  for (const [from, to, weight] of strong) draw(from, to, `rgba(128, 128, 128, ${0.3 * weight})`, 1);
  for (let to = 0; to < query; to += 1) {
    const weight = head.weights[at(query, to)];
    if (weight > 0.01) draw(query, to, `rgba(${red}, ${green}, ${blue}, ${0.15 + 0.85 * shade(weight)})`, 1 + 3 * weight);
  }
}

function strongArcs() {
  const found = [];
  for (let row = 1; row < count; row += 1) {
    for (let column = 0; column < row; column += 1) {
      const weight = head.weights[at(row, column)];
      if (weight >= quiet) found.push([row, column, weight]);
    }
  }
  return found.sort((one, other) => other[2] - one[2]).slice(0, most);
}

// Numbers. Rounded weights and their logits come with the size of their error.
function weightSaid(from, to) {
  const weight = head.weights[at(from, to)], error = Math.sqrt(weight) / 255;
  if (exact) return weight === 0 || weight >= 0.0001 ? weight.toFixed(4) : weight.toExponential(1);
  const digits = Math.ceil(-Math.log10(error));
  return weight ? `${weight.toFixed(digits)} ± ${error.toFixed(digits)}` : "below 0.000004";
}

function minus(number) { return number.replace("-", "−"); }

function logitSaid(from, to) {
  const weight = head.weights[at(from, to)];
  if (exact) return Number.isFinite(head.logits[at(from, to)]) ? minus(head.logits[at(from, to)].toFixed(3)) : "−∞";
  const error = 1 / (255 * Math.sqrt(weight));
  return error < 0.3 ? `${minus((Math.log(weight) + head.totals[from]).toFixed(2))} ± ${error.toFixed(2)}` : "not known";
}

function strongest() {
  const best = [];
  const weightOf = (to) => head.weights[at(query, to)];
  for (let to = 0; to <= query; to += 1) {
    if (best.length === listed && weightOf(to) <= weightOf(best[listed - 1])) continue;
    const place = best.findIndex((other) => weightOf(other) < weightOf(to));
    best.splice(place < 0 ? best.length : place, 0, to);
    best.length = Math.min(best.length, listed);
  }
  return best;
}

function list() {
  const best = strongest();
  byId("from").textContent = `What position ${query}, “${tokens[query]}”, attends to`;
  byId("strongest").replaceChildren(...best.map((to) => {
    const line = document.createElement("tr");
    for (const text of [to, tokens[to], weightSaid(query, to), logitSaid(query, to)]) {
      line.appendChild(document.createElement("td")).textContent = text;
    }
    return line;
  }));
  const all = head.weights.subarray(at(query, 0), at(query, 0) + query + 1).reduce((sum, weight) => sum + weight, 0);
  const rest = best.reduce((left, to) => left - head.weights[at(query, to)], all), others = query + 1 - best.length;
  const lines = others > 0 ? [`${others} other keys have ${Math.max(0, rest).toFixed(exact ? 3 : 2)} together.`] : [];
  if (exact && all < 0.9995) lines.push(`${(1 - all).toFixed(3)} goes to no token: the sink takes it.`);
  byId("rest").textContent = lines.join(" ");
}

// Only tokens in sight that look different are touched: a text of 1,024 tokens must follow the pointer.
function tint() {
  const [red, green, blue] = colours, left = strip.scrollLeft - 50, right = left + box.width + 100;
  const from = Math.max(0, ends.findIndex((end) => end > left));
  for (let to = from; to < count && ends[to] < right; to += 1) {
    const now = to > query ? marks + 1 : Math.ceil(marks * shade(Math.max(0, head.weights[at(query, to)] - 0.001)));
    if (now === shades[to]) continue;
    shades[to] = now;
    spans[to].className = now > marks ? "later" : "";
    spans[to].style.background = now && now <= marks ? `rgba(${red}, ${green}, ${blue}, ${(0.6 * now) / marks})` : "";
  }
  marked.classList.remove("query");
  marked = spans[query];
  marked.classList.add("query");
}

function cross() {
  const cell = map.clientWidth / count, size = `${Math.max(cell, 2)}px`, [row, column] = ["row", "column"].map(byId);
  row.style.cssText = `display: block; width: 100%; height: ${size}; transform: translateY(${query * cell}px)`;
  column.style.cssText = `display: block; height: 100%; width: ${size}; transform: translateX(${key * cell}px)`;
}

// Who shows the page is told where the reader rests, and not of every step on the way.
let resting = 0;
function rest() {
  clearTimeout(resting);
  resting = setTimeout(() => head && changed(chosen, query, byRow.checked), 300);
}

// Drawing waits for the next frame, however many events come before it.
let waiting = false;
function later() {
  if (waiting || !head) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    cross();
    refresh();
  });
}

function move(to, on) {
  query = Math.max(0, Math.min(count - 1, to));
  key = Math.max(0, Math.min(query, on));
  later();
  rest();
}

function refresh() {
  tint();
  if (told !== `${chosen} ${query}`) list();
  told = `${chosen} ${query}`;
  paintArcs();
}

function tell(x, y) {
  details.hidden = !head;
  if (!head) return;
  details.textContent = `query ${query} “${tokens[query]}”\nkey ${key} “${tokens[key]}”\nweight ${weightSaid(query, key)}, logit ${logitSaid(query, key)}`;
  const { width, height } = details.getBoundingClientRect();
  details.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - width - 8))}px`;
  details.style.top = `${y + height + 20 > innerHeight ? y - height - 10 : y + 14}px`;
}

function tellAtCross() {
  const box = map.getBoundingClientRect();
  tell(box.left + ((key + 0.5) * box.width) / count, box.top + ((query + 0.5) * box.height) / count);
}

function hide() { details.hidden = true; }

async function choose(name) {
  chosen = name;
  const found = await load(name);
  if (chosen !== name) return; // another head was chosen meanwhile
  head = found;
  strong = strongArcs();
  buttons.forEach((button) => {
    button.setAttribute("aria-pressed", String(button.dataset.head === name));
    button.tabIndex = button.dataset.head === name ? 0 : -1;
  });
  byId("chosen").textContent = `Head ${name}`;
  paintMap();
  cross();
  refresh();
  changed(chosen, query, byRow.checked);
}

// Pointer and keys.
function listen(signal) {
  buttons.forEach((button) => button.addEventListener("click", () => choose(button.dataset.head)));
  document.querySelector(".heads").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    const [layer, place] = event.target.dataset.head.split(".").map(Number);
    const next = buttons.filter((each) => {
      const [down, across] = each.dataset.head.split(".").map(Number);
      const ahead = step[0] ? (down - layer) * step[0] : (across - place) * step[1];
      return !each.disabled && ahead > 0 && (step[0] ? across === place : down === layer);
    });
    const near = step[0] + step[1] > 0 ? next[0] : next[next.length - 1];
    if (!near) return;
    near.focus();
    choose(near.dataset.head);
  });

  map.addEventListener("pointermove", (event) => {
    const box = map.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top].map((far) => Math.floor((far / box.width) * count));
    move(y, x);
    reveal();
    if (x <= y) tell(event.clientX, event.clientY);
    else hide();
  });
  map.addEventListener("pointerleave", hide);
  map.addEventListener("blur", hide);
  map.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -count], End: [0, count] }[event.key];
    if (event.key === "Escape") hide();
    if (!step) return;
    event.preventDefault();
    move(query + step[0], key + step[1]);
    reveal();
    tellAtCross();
  });

  strip.addEventListener("pointerover", (event) => {
    if (event.target.dataset.at) move(Number(event.target.dataset.at), Number(event.target.dataset.at));
  });
  strip.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -count, End: count }[event.key];
    if (!step) return;
    event.preventDefault();
    move(query + step, query + step);
    reveal();
  });
  strip.addEventListener("scroll", later);
  byRow.addEventListener("change", () => {
    if (head) paintMap();
    rest();
  });
  signal?.addEventListener("abort", () => clearTimeout(resting));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw, { signal });
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; redraw(); } }, { signal });
}

function reveal() {
  const place = ends[query] - strip.scrollLeft;
  if (place < 30 || place > box.width - 30) strip.scrollLeft = ends[query] - box.width / 2;
}

// Sizes and colours that change.
function measure() {
  ends = spans.map((span) => span.offsetLeft + span.offsetWidth / 2);
  box = arcs.getBoundingClientRect();
  const scale = Math.min(devicePixelRatio, 2);
  arcs.width = Math.round(box.width * scale);
  arcs.height = Math.round(box.height * scale);
  arcs.getContext("2d").scale(scale, scale);
  colours = getComputedStyle(document.documentElement).getPropertyValue("--blue").split(",").map(Number);
}
function redraw() {
  measure();
  paintSmall();
  document.querySelectorAll(".legend i").forEach((box) => {
    box.style.background = `rgba(${colours.join(", ")}, ${shade(Number(box.dataset.weight))})`;
  });
  if (!head) return;
  shades.fill(255);
  paintMap();
  cross();
  refresh();
}

// Show the heads of `data` on the page. `given` has the small maps, and head(name), which gives the weights of a head.
// Without `start`, the first of the heads is chosen. `said(name, query, relative)` is called with the head and the query
// that are shown, and whether each row is shaded relative to its largest weight.
async function showHeads(data, given, { start = "", signal, said = () => {} } = {}) {
  ({ tokens, heads, exact, side } = data);
  [map, arcs, strip, details, byRow] = ["map", "arcs", "strip", "details", "by-row"].map(byId);
  [carried, changed, head, told, query, key] = [given, said, null, "", data.query, data.query];
  count = tokens.length;
  pairs = (count * (count + 1)) / 2;
  shades = new Uint8Array(count);
  spans = tokens.map((token, at) => {
    const span = document.createElement("span");
    span.textContent = token;
    span.dataset.at = at;
    return span;
  });
  byId("tokens").replaceChildren(...spans);
  marked = spans[0];
  buttons = [...document.querySelectorAll(".heads button")];
  listen(signal);
  redraw();
  await choose(start || heads[0]);
  reveal();
}
