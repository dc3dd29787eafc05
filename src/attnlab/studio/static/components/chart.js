import { element, enlarged } from "./element.js";
import { errorBox } from "./error.js";

const NARROW = 700;
// Vega reads its expressions without compiling them, and adds no styles: the page's policy allows neither.
const STRICT = {
  renderer: "svg", actions: false, ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true },
};

let library = null;

// A chart from a Vega-Lite specification, with a description for those who cannot see it. It fits its place.
export function chart({ spec, title, description }, signal) {
  const place = element("div", { class: "chart", role: "img", "aria-label": description });
  let last = 0, waiting = 0;
  const fit = () => {
    if (place.clientWidth === last || !place.clientWidth) return;
    last = place.clientWidth;
    draw(place, spec).catch((error) => place.replaceChildren(errorBox(error)));
  };
  const watched = new ResizeObserver(() => { clearTimeout(waiting); waiting = setTimeout(fit, last ? 80 : 0); });
  watched.observe(place);
  signal.addEventListener("abort", () => watched.disconnect());
  return element("figure", {}, element("p", { class: "title" }, title), place, element("figcaption", {}, description));
}

// The same chart, or charts below one another, with panels of the given width, `across` of them side by side.
function arranged(spec, across, width) {
  if (spec.vconcat) return { ...spec, vconcat: spec.vconcat.map((row) => arranged(row, across, width)) };
  const { hconcat, ...rest } = spec;
  if (!hconcat) return { ...rest, width };
  return { ...rest, columns: across, concat: hconcat.map((panel) => ({ ...panel, width })) };
}

async function drawn(spec, across, width) {
  const beside = element("div");
  await window.vegaEmbed(beside, arranged(spec, across, width), STRICT);
  return beside;
}

// The width of the axes is known only once they are drawn: so draw too wide first, and then to fit.
async function draw(place, spec) {
  await (library ??= import("../api/vega.js"));
  const larger = enlarged(), room = place.clientWidth / larger;
  const panels = (spec.vconcat ? spec.vconcat[0] : spec).hconcat;
  const across = panels && room >= NARROW ? panels.length : 1;
  const wide = await drawn(spec, across, room / across);
  const excess = Number(wide.querySelector("svg").getAttribute("width")) - room;
  const fitting = await drawn(spec, across, Math.max(120, Math.floor((room - excess) / across)));
  const picture = fitting.querySelector("svg");
  for (const side of ["width", "height"]) picture.setAttribute(side, larger * picture.getAttribute(side));
  place.replaceChildren(fitting);
  place.classList.add("drawn");
}
