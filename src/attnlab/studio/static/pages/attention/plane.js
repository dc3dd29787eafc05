// The keys and the queries in the plane. They are dragged, or moved with the arrow keys.

import { tell } from "../../components/element.js";
import { noisyKeys, points, readPoints, wanted, written } from "./state.js";
import { draw, set, svg } from "./svg.js";

const SIZE = 400;
const STEP = 0.05; // what an arrow key moves
const MOST = 25; // how far from the origin one can drag
const CROWD = 24; // with more keys, only those that matter have their number beside them
const MATTERS = 0.1; // the least weight of such a key, unless it is chosen or wanted
// The event of a moved pointer. The browser keeps the usual one until its next picture, up to 17 ms.
const MOVE = "onpointerrawupdate" in window ? "onpointerrawupdate" : "onpointermove";

// `moved(changes, ends)`: a point was moved; `ends` when the hand lets go. `picked(key, held)`: a key was chosen;
// `held` while the hand is on it.
export function plane(moved, picked) {
  const below = svg("g"), marks = svg("g"), above = svg("g");
  const root = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "plane", role: "group",
    "aria-label": "Keys and queries in the plane. Drag them, or move them with the arrow keys." },
  grid(), below, marks, above);
  let state = null, record = null, proof = null, moving = false, range = 1.6, dragged = null, nodes = [];

  const place = ([x, y]) => [SIZE / 2 + (x / range) * (SIZE / 2), SIZE / 2 - (y / range) * (SIZE / 2)];

  function show(nowState, nowRecord, nowProof, nowMoving) {
    [state, record, proof, moving] = [nowState, nowRecord, nowProof, nowMoving];
    const keys = readPoints(state.keys), queries = points(state.queries);
    if (!dragged) range = Math.max(1.3, ...[...keys, ...queries].flat().map(Math.abs)) * 1.25;
    if (nodes.length !== keys.length + queries.length || nodes.queries !== queries.length) build(keys, queries);
    const goals = wanted(state.mix);
    keys.forEach((at, key) => showKey(at, key, goals[key] ?? 0, keys.length > CROWD));
    queries.forEach((at, head) => showQuery(at, head, keys.length));
    draw(below, [...noise(keys), ...hull(keys), ...queries.map(arrow)]);
    draw(above, centre());
  }

  function build(keys, queries) {
    const handle = (kind, index) => {
      const shape = kind === "keys" ? svg("circle", { class: "weight" }) : svg("rect", { class: "handle" });
      const ring = svg("circle", { class: "ring" }), label = svg("text", { class: "label" });
      const listeners = {
        onpointerdown: (event) => start(event, kind, index), [MOVE]: move, onpointerup: end, onpointercancel: end,
        onkeydown: (event) => step(event, kind, index),
        onfocus: () => kind === "keys" && picked(index, Boolean(dragged)),
      };
      const touch = svg("circle", { class: "touch", r: 18 });
      const group = svg("g", { class: kind, tabindex: "0", role: "button", ...listeners },
        touch, shape, kind === "keys" ? ring : [], label);
      return { group, touch, shape, ring, label, drawn: "" };
    };
    nodes = [...keys.map((_, key) => handle("keys", key)), ...queries.map((_, head) => handle("queries", head))];
    nodes.queries = queries.length;
    marks.replaceChildren(...nodes.map(({ group }) => group));
  }

  // A key is drawn again only if something of it has changed. Its place is in cx and cy: with a hundred transforms the
  // browser would arrange a hundred layers again for each picture.
  function showKey(at, key, goal, crowded) {
    const node = nodes[key], weight = record?.weights[key]?.mean ?? 0, chosen = key === state.key;
    const named = !crowded || chosen || goal || weight >= MATTERS;
    name(node, () => `Key ${key} at ${at.join(", ")}; weight ${weight.toFixed(4)}`);
    const [cx, cy] = place(at), size = 18 * Math.sqrt(weight), most = Math.max(size, 18 * Math.sqrt(goal));
    const drawn = `${cx.toFixed(1)} ${cy.toFixed(1)} ${size.toFixed(1)} ${goal} ${chosen} ${named}`;
    if (drawn === node.drawn) return;
    node.drawn = drawn;
    set(node.touch, { cx, cy });
    set(node.shape, { cx, cy, r: 4 + size });
    set(node.ring, goal ? { cx, cy, r: 4 + 18 * Math.sqrt(goal), display: "inline" } : { display: "none" });
    set(node.label, named ? { x: cx, y: cy - 8 - most, display: "inline" } : { display: "none" });
    if (named) tell(node.label, String(key));
    node.group.classList.toggle("chosen", chosen);
  }

  // Name a handle for a screen reader: once the hand rests, as nobody could listen before.
  function name(node, told) {
    if (!moving) set(node.group, { "aria-label": told() });
  }

  function showQuery(at, head, offset) {
    const node = nodes[offset + head], [x, y] = place(at);
    name(node, () => `Query of head ${head + 1} at ${at.join(", ")}`);
    set(node.touch, { cx: x, cy: y });
    set(node.shape, { x: x - 6, y: y - 6, width: 12, height: 12 });
    set(node.label, { x: x + 12, y: y + 16 });
    tell(node.label, nodes.queries > 1 ? `q${head + 1}` : "q");
  }

  function arrow(at) {
    const [[x1, y1], [x2, y2]] = [place([0, 0]), place(at)];
    return ["line", { x1, y1, x2, y2, class: "arrow" }];
  }

  // One standard deviation of the noise: along the key for its length, a circle for all directions.
  function noise(keys) {
    const spread = Math.sqrt(state.norm_variance), round = Math.sqrt(state.isotropic) / range * (SIZE / 2);
    const lines = spread ? noisyKeys(state, keys.length).filter((key) => keys[key]).map((key) => {
      const [[x1, y1], [x2, y2]] = [-1, 1].map((side) => place(keys[key].map((each) => each * (1 + side * spread))));
      return ["line", { x1, y1, x2, y2, class: "spread" }];
    }) : [];
    const circles = round ? keys.map((at) => {
      const [cx, cy] = place(at);
      return ["circle", { cx, cy, r: round, class: "spread" }];
    }) : [];
    return [...lines, ...circles];
  }

  // The keys of the certificate, and the point that is a mixture of them.
  function hull(keys) {
    if (proof?.kind !== "containment") return [];
    const mixed = proof.coefficients.map((part, key) => [part, keys[key]]).filter(([part]) => Math.abs(part) > 1e-9);
    const meeting = [0, 1].map((axis) => mixed.reduce((sum, [part, at]) => sum + part * at[axis], 0));
    const [cx, cy] = place(meeting);
    const corners = around(mixed.map(([, at]) => at)).map((at) => place(at).map((each) => each.toFixed(1)).join(","));
    return [["polygon", { points: corners.join(" "), class: "hull" }], ["circle", { cx, cy, r: 5, class: "meet" }]];
  }

  function centre() {
    if (!record) return [];
    const [x, y] = place(record.centre);
    return [["line", { x1: x - 7, y1: y, x2: x + 7, y2: y, class: "centre" }],
      ["line", { x1: x, y1: y - 7, x2: x, y2: y + 7, class: "centre" }]];
  }

  function start(event, kind, index) {
    dragged = { kind, index };
    event.currentTarget.setPointerCapture(event.pointerId);
  }

  function move(event) {
    if (!dragged) return;
    const box = root.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width * 2 - 1) * range;
    const y = (1 - (event.clientY - box.top) / box.height * 2) * range;
    put(dragged.kind, dragged.index, [x, y], false);
  }

  function end() {
    const held = Boolean(dragged);
    dragged = null;
    if (held) moved({}, true);
  }

  function step(event, kind, index) {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!by) return;
    event.preventDefault();
    put(kind, index, points(state[kind])[index].map((each, axis) => each + by[axis] * STEP), true);
  }

  function put(kind, index, at, ends) {
    const rows = points(state[kind]);
    rows[index] = at.map((each) => Math.max(-MOST, Math.min(MOST, each)));
    moved({ [kind]: written(rows) }, ends);
  }

  return { made: root, show };
}

function grid() {
  const half = SIZE / 2;
  return svg("path", { d: `M0 ${half}H${SIZE}M${half} 0V${SIZE}`, class: "axis" });
}

// The corners of points, in order around them (Andrew's monotone chain).
function around(given) {
  const sorted = [...given].sort(([a, b], [c, d]) => a - c || b - d);
  const turn = ([a, b], [c, d], [e, f]) => (c - a) * (f - b) - (d - b) * (e - a);
  const half = (rows) => rows.reduce((chain, at) => {
    while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), at) <= 0) chain.pop();
    return [...chain, at];
  }, []).slice(0, -1);
  return sorted.length < 3 ? sorted : [...half(sorted), ...half([...sorted].reverse())];
}
