const specs = {{ specs | tojson }};
const NARROW = 700;

// The same chart, or charts below one another, with panels of the given width, `across` of them side by side.
function arranged(spec, across, width) {
  if (spec.vconcat) return { ...spec, vconcat: spec.vconcat.map((row) => arranged(row, across, width)) };
  const { hconcat, ...rest } = spec;
  if (!hconcat) return { ...rest, width };
  return { ...rest, columns: across, concat: hconcat.map((panel) => ({ ...panel, width })) };
}

// Draw out of sight, so that the old drawing stays until the new one is ready.
async function drawn(place, spec, across, width) {
  const beside = document.createElement("div");
  await vegaEmbed(beside, arranged(spec, across, width), { renderer: "svg", actions: false });
  return beside;
}

// The width of the axes is known only once they are drawn: so draw too wide first, and then to fit.
async function draw(place, spec) {
  const room = place.clientWidth;
  const panels = (spec.vconcat ? spec.vconcat[0] : spec).hconcat;
  const across = panels && room >= NARROW ? panels.length : 1;
  const wide = await drawn(place, spec, across, room / across);
  const excess = Number(wide.querySelector("svg").getAttribute("width")) - room;
  place.replaceChildren(await drawn(place, spec, across, Math.max(120, Math.floor((room - excess) / across))));
}

// Draw one chart at a time, when it comes near the window, and again when its width changes.
let drawing = Promise.resolve();
const nearing = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    if (!isIntersecting) continue;
    nearing.unobserve(target);
    keepFitted(target, specs[target.dataset.chart]);
  }
}, { rootMargin: "100%" });

function keepFitted(place, spec) {
  let last = 0, waiting;
  const fit = () => {
    if (place.clientWidth === last) return;
    last = place.clientWidth;
    drawing = drawing.then(() => draw(place, spec)).catch(console.error);
  };
  fit();
  new ResizeObserver(() => { clearTimeout(waiting); waiting = setTimeout(fit, 60); }).observe(place);
}

for (const place of document.querySelectorAll(".chart")) nearing.observe(place);
