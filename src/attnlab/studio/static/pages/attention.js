// Attention: keys and queries in the plane that follow the hand, with the exact law of a weight under noise.
// Parameters: see attention/state.js, attention/searches.js and attention/measured.js.

import { post } from "../api.js";
import { copyButtons } from "../components/copy.js";
import { element, tell } from "../components/element.js";
import { errorBox } from "../components/error.js";
import { fileMenu, posted } from "../components/files.js";
import { pictures } from "../components/picture.js";
import { address, change, read } from "../state.js";
import { errorChart, lawChart } from "./attention/charts.js";
import { controls } from "./attention/controls.js";
import { live } from "./attention/live.js";
import { measured } from "./attention/measured.js";
import { plane } from "./attention/plane.js";
import { ON_ANSWERS, PRESETS, presetOf } from "./attention/presets.js";
import { results } from "./attention/results.js";
import { searches } from "./attention/searches.js";
import { fromAddress, toAddress } from "./attention/state.js";

const REST = 250; // milliseconds without a change, after which the curve of errors is drawn
const START = PRESETS.find(({ name }) => name === "lengths").state;
const LEGEND = "The area of a disc is the weight of its key, and a ring shows the wanted weight. The cross is the mean "
  + "output, if each value is its key. Dashed: one standard deviation of the noise.";

const INTRODUCTION = "How much weight does a query give to each key, and what is left of it when the keys are noisy? "
  + "Drag the keys and the query, or move the sliders.";

const inAddress = (parameters) => (parameters.has("keys") ? fromAddress(parameters) : START);

export async function open(place, signal) {
  let state = START, told = null, shown = null, moving = false, proof = null, resting = 0, frame = 0;
  const picture = plane(set, (key, held) => key !== state.key && set({ key }, !held));
  const settings = controls(set), numbers = results(), law = lawChart(), curve = errorChart();
  const asked = searches(() => state, (changes) => set(changes, true), (found) => { proof = found; redraw(); }, signal);
  const head = measured((changes) => set(changes, true), signal);
  const says = element("p", { class: "says" }), wrong = element("div"), copies = element("div", { class: "copies" });
  const side = element("div", { class: "side" }, numbers.error, law.made, numbers.quantiles, curve.made);
  const saved = fileMenu({ ...pictures(view), ...posted("attention/file", () => state, [".csv"]) });
  place.append(
    element("h1", {}, "Attention"), element("p", {}, INTRODUCTION),
    settings.question, says,
    element("div", { class: "bench" },
      element("div", { class: "stage" }, picture.made, element("p", { class: "faint" }, LEGEND)),
      side),
    wrong, settings.made, element("div", { class: "actions" }, copies, saved), asked.made, onAnswers(), numbers.weights,
    head.made);
  const ask = live((question, stop) => post("attention/weigh", question, stop), answered, failed, signal);
  const askCurve = live((question, stop) => post("attention/curve", question, stop),
    (found, question) => curve.show(found, question.scale), () => {}, signal);
  signal.addEventListener("abort", () => { clearTimeout(resting); cancelAnimationFrame(frame); });

  // Change the state: while the hand moves only here, and at its end in the address.
  function set(changes, ends, from) {
    const next = { ...state, ...(from ? from(state) : changes) };
    if (next.keys !== state.keys || next.mix !== state.mix) proof = null;
    state = next;
    if (!ends) return follow(true);
    const before = location.hash, shown = inAddress(read().parameters);
    const moved = shown.keys !== state.keys || shown.mix !== state.mix; // what was asked is about other keys
    change({ ...toAddress(state), ...(moved && { asked: "" }) });
    if (location.hash === before) follow(false);
  }

  function follow(hasty) {
    moving = hasty;
    redraw();
    if (!side.ariaBusy) side.ariaBusy = "true";
    ask({ ...state, hasty });
    clearTimeout(resting);
    resting = setTimeout(() => askCurve(state), REST);
  }

  // Draw the state and the newest answer: once for each picture of the screen, however often either has changed.
  function redraw() {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw();
    });
  }

  function draw() {
    settings.show(state);
    picture.show(state, told?.record, proof, moving);
    tell(says, presetOf(state)?.says ?? "A question of your own.");
    if (told === shown || side.classList.contains("void")) return;
    shown = told;
    law.show(told.record);
    numbers.show(told.record, !told.command);
    head.beside(state, told);
    if (!told.command) return; // the hand still moves
    side.removeAttribute("aria-busy");
    copies.replaceChildren(copyButtons(told));
  }

  // What the files show.
  function view() {
    return { title: "Attention", lines: [...numbers.said(), LEGEND], columns: [[picture.made], [law.made, curve.made]],
      tables: [numbers.weights], command: told?.command };
  }

  function answered(answer) {
    told = answer;
    refuse(null);
    redraw();
  }

  function failed(error) {
    side.removeAttribute("aria-busy");
    refuse(error);
  }

  // Say what is wrong, at its field if it has one. Numbers of an earlier state are grey, and are not copied or saved.
  function refuse(error) {
    const placed = settings.refuse(error);
    wrong.replaceChildren(...(error && !placed ? [errorBox(error)] : []));
    for (const each of [side, numbers.weights]) each.classList.toggle("void", Boolean(error));
    saved.hidden = Boolean(error);
    if (!error) return;
    shown = null; // so that the next answer is shown, even if it is the same
    copies.replaceChildren();
  }

  return (parameters) => {
    const next = inAddress(parameters);
    if (next.keys !== state.keys || next.mix !== state.mix) proof = null;
    state = next;
    follow(false);
    asked.show(parameters);
    head.show(parameters);
  };
}

function onAnswers() {
  return element("p", { class: "faint" }, "Two questions of the coursework ask for formulas, which the page "
    + "Answers checks: ",
    ON_ANSWERS.flatMap(({ problem, title }, at) =>
      [at ? " and " : "", element("a", { href: address("answers", { problem }) }, title)]), ".");
}
