// Learning curves, drawn as they grow: a faint line for the training text, a strong line for the validation split, and
// a dashed one across the chart for a model that only counts.

import { element, enlarged } from "../../components/element.js";

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = { left: 56, right: 14, top: 10, bottom: 44 };
const TICKS = 5;
const MARKED = 40; // the most points of a line whose points are marked
const KINDS = { training: "training", validation: "validation", counts: "validation, only counts" };

function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// The colour of a run, by its place.
export function swatch(place, kind = "validation") {
  return drawn("svg", { class: "swatch", width: 26, height: 12, "aria-hidden": "true" },
    drawn("line", { class: `curve ${kind} colour-${place}`, x1: 1, x2: 25, y1: 6, y2: 6 }));
}

export function curves(signal) {
  const svg = drawn("svg", { class: "curves", role: "img", "aria-label": "Learning curves" });
  const legend = element("ul", { class: "legend" }), read = element("p", { class: "faint reading" });
  const made = element("figure", {}, svg, read, legend);
  let lines = [], unit = "", scale = null;
  const watched = new ResizeObserver(() => paint());
  watched.observe(made);
  signal.addEventListener("abort", () => watched.disconnect());
  svg.addEventListener("pointermove", (event) => tell(event.offsetX / enlarged()));
  svg.addEventListener("pointerleave", () => tell(null));

  function paint() {
    const larger = enlarged(), width = made.clientWidth / larger;
    if (!width) return;
    const height = Math.round(Math.min(440, Math.max(230, width * 0.45)));
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", larger * height);
    svg.setAttribute("width", larger * width);
    const points = lines.flatMap((line) => line.points);
    scale = points.length ? scales(points, width, height) : null;
    if (!scale) {
      svg.replaceChildren(label(width / 2, height / 2, "waiting for the first measurement …", "middle"));
      return;
    }
    const shapes = lines.filter(({ points: own }) => own.length).flatMap((line) => curve(line, scale));
    svg.replaceChildren(...axes(scale, unit), ...shapes);
  }

  function tell(at) {
    svg.querySelector(".cursor")?.remove();
    read.textContent = "";
    if (at === null || !scale) return;
    const step = Math.round(scale.step(Math.min(Math.max(at, MARGIN.left), scale.right)));
    const x = scale.x(step);
    svg.append(drawn("line", { class: "cursor", x1: x, x2: x, y1: MARGIN.top, y2: scale.bottom }));
    const values = lines.filter(({ points }) => points.length).map(({ name, kind, points }) => {
      const near = points.reduce((best, each) => (Math.abs(each[0] - step) < Math.abs(best[0] - step) ? each : best));
      return `${name} (${KINDS[kind]}${kind === "counts" ? "" : `, step ${near[0]}`}): ${near[1].toFixed(4)}`;
    });
    read.textContent = values.join(" · ");
  }

  return {
    made,
    pictures: () => [svg, legend], // what a file shows
    draw(given, named) {
      lines = given;
      unit = named;
      const own = lines.filter(({ points }) => points.length);
      legend.replaceChildren(...own.map(({ name, kind, place }) =>
        element("li", {}, swatch(place, kind), ` ${name}, ${KINDS[kind]}`)));
      const ends = own.map(({ name, kind, points }) =>
        `${name}, ${KINDS[kind]}: ${points.at(-1)[1].toFixed(4)} at step ${points.at(-1)[0]}`);
      svg.setAttribute("aria-label", `Learning curves, ${unit} against steps. ${ends.join("; ")}`);
      paint();
    },
  };
}

function scales(points, width, height) {
  const steps = Math.max(1, ...extent(points, 0)), [low, high] = extent(points, 1);
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  const right = width - MARGIN.right, bottom = height - MARGIN.bottom;
  const [least, most] = [low - room, high + room];
  return {
    right, bottom, steps, least, most,
    x: (step) => MARGIN.left + ((right - MARGIN.left) * step) / steps,
    y: (value) => bottom - ((bottom - MARGIN.top) * (value - least)) / (most - least),
    step: (x) => ((x - MARGIN.left) / (right - MARGIN.left)) * steps,
  };
}

function extent(points, column) {
  return points.reduce(([low, high], each) => [Math.min(low, each[column]), Math.max(high, each[column])],
    [Infinity, -Infinity]);
}

function curve({ kind, place, points }, { x, y, right }) {
  const css = `curve ${kind} colour-${place}`;
  if (kind === "counts") {
    const height = y(points.at(-1)[1]);
    return [drawn("line", { class: css, x1: MARGIN.left, x2: right, y1: height, y2: height })];
  }
  const every = Math.ceil(points.length / 1000); // more points than pixels show nothing more
  const kept = points.filter((_, index) => index % every === 0 || index === points.length - 1);
  const places = kept.map(([step, value]) => [x(step), y(value)]);
  const line = drawn("polyline", { class: css, points: places.join(" ") });
  if (kind !== "validation" || kept.length > MARKED) return [line];
  return [line, ...places.map(([cx, cy]) => drawn("circle", { class: `dot colour-${place}`, cx, cy, r: 3 }))];
}

function axes({ x, y, right, bottom, steps, least, most }, unit) {
  const down = ticks(least, most).flatMap((value) => [
    drawn("line", { class: "grid", x1: MARGIN.left, x2: right, y1: y(value), y2: y(value) }),
    label(MARGIN.left - 8, y(value) + 4, String(Number(value.toPrecision(6))), "end"),
  ]);
  const along = ticks(0, steps).filter(Number.isInteger).map((step) =>
    label(x(step), bottom + 18, step.toLocaleString("en"), "middle"));
  const middle = (MARGIN.top + bottom) / 2;
  const upright = label(14, middle, unit, "middle");
  upright.setAttribute("transform", `rotate(-90 14 ${middle})`);
  return [...down, ...along, label((MARGIN.left + right) / 2, bottom + 38, "step", "middle"), upright];
}

function label(x, y, text, anchor) {
  return drawn("text", { x, y, "text-anchor": anchor }, text);
}

// About five round numbers between two numbers.
function ticks(low, high) {
  const raw = (high - low) / TICKS, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw);
  const first = Math.ceil(low / step), last = Math.floor(high / step);
  return Array.from({ length: last - first + 1 }, (_, place) => (first + place) * step);
}
