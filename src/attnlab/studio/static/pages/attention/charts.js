// Two small charts that follow the hand: the density of a weight, and the error against the scale C.

import { draw, set, svg } from "./svg.js";

const WIDE = 400, HIGH = 190, LEFT = 44, BOTTOM = 40, TOP = 22, RIGHT = 18;
const DENSITIES = [0, 1, 3, 10, 30, 100, 300, 1000];
const across = (part) => LEFT + part * (WIDE - LEFT - RIGHT);
const up = (part) => HIGH - BOTTOM - part * (HIGH - BOTTOM - TOP);
const text = (x, y, what, kind = "") => ["text", { x, y, class: kind }, what];

function frame(kind, title, label) {
  const drawn = svg("g");
  const fixed = svg("g");
  draw(fixed, [["path", { d: `M${LEFT} ${TOP}V${HIGH - BOTTOM}H${WIDE - RIGHT}`, class: "axis" }],
    text(LEFT, 12, title, "start")]);
  const about = { viewBox: `0 0 ${WIDE} ${HIGH}`, class: `follow ${kind}`, role: "img", "aria-label": label };
  const made = svg("svg", about, fixed, drawn);
  const tell = (told) => set(made, { "aria-label": told });
  return { made, tell, show: (...shapes) => draw(drawn, shapes) };
}

// The density of one weight. Its axis is log(1 + density), so that spikes and valleys can both be seen.
export function lawChart() {
  const { made, show, tell } = frame("law", "density (axis: log(1 + density))", "The density of a weight");
  return { made, show: (record) => {
    const at = [0, 0.25, 0.5, 0.75, 1].map((x) => text(across(x), HIGH - BOTTOM + 16, String(x), "below"));
    const title = text(across(0.5), HIGH - 6, `weight of key ${record.key}`, "below");
    if (!record.law) {
      const mean = record.weights[record.key].mean;
      tell(`The weight of key ${record.key} is always ${mean.toFixed(4)}`);
      return show(...at, title, mark(mean, "mean"), text(across(0.5), up(0.5), "This weight does not vary.", "below"));
    }
    const { edges, density, quantiles } = record.law;
    const top = DENSITIES.find((tick) => tick >= Math.max(...density)) ?? 1000;
    const height = (value) => up(Math.min(1, Math.log1p(value) / Math.log1p(top)));
    const steps = density.map((value, bin) =>
      `${across(edges[bin]).toFixed(1)} ${height(value).toFixed(1)}H${across(edges[bin + 1]).toFixed(1)}`);
    const shown = DENSITIES.filter((tick) => tick <= top && (tick !== 1 || top < 300)); // there is no room for it
    const area = ["path", { d: `M${across(0)} ${up(0)}L${steps.join("L")}V${up(0)}Z`, class: "area" }];
    const middles = quantiles.map(({ probability, low, high }) => [probability, (low + high) / 2]);
    tell(`The density of the weight of key ${record.key}. `
      + middles.map(([probability, middle]) => `Quantile ${probability}: ${middle.toFixed(4)}`).join(", "));
    show(...at, title, area,
      ...shown.map((tick) => text(LEFT - 5, height(tick) + 4, String(tick), "left")),
      ...middles.map(([, middle]) => mark(middle, "quantile")), mark(record.weights[record.key].mean, "mean"));
  } };
}

const mark = (x, kind) => ["line", { x1: across(x), x2: across(x), y1: up(0), y2: up(1), class: kind }];

// The error against the scale C, on a logarithmic axis, with the chosen scale marked.
export function errorChart() {
  const { made, show, tell } = frame("error-curve", "error", "The error against the scale C");
  return { made, show: ({ scale, error }, chosen) => {
    const [low, high] = [scale[0], scale.at(-1)].map(Math.log10), top = Math.max(...error) || 1;
    const x = (value) => across(Math.max(0, Math.min(1, (Math.log10(value) - low) / (high - low))));
    const line = scale.map((value, place) => `${x(value).toFixed(1)} ${up(error[place] / top).toFixed(1)}`);
    const least = error.indexOf(Math.min(...error));
    tell(`The error against the scale C. The least error of the curve is ${error[least].toFixed(4)}, at C = `
      + `${scale[least].toPrecision(3)}.`);
    show(...[0.1, 1, 10, 100, 1000].map((tick) => text(x(tick), HIGH - BOTTOM + 16, String(tick), "below")),
      text(across(0.5), HIGH - 6, "scale C (logarithmic)", "below"), text(LEFT - 5, up(0) + 4, "0", "left"),
      text(LEFT - 5, up(1) + 4, top.toPrecision(2), "left"),
      ["path", { d: `M${line.join("L")}`, class: "line-of-errors" }],
      ...(chosen > 0 ? [["line", { x1: x(chosen), x2: x(chosen), y1: up(0), y2: up(1), class: "quantile" }]] : []));
  } };
}
