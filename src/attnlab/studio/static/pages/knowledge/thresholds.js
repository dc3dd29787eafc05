// The threshold: moving the wanted precision moves it, and with it precision, coverage and strangers answered.

import { get, post } from "../../api.js";
import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { csv, fileMenu } from "../../components/files.js";
import { jobProgress } from "../../components/job.js";
import { number } from "../../components/number.js";
import { pictures } from "../../components/picture.js";
import { table } from "../../components/table.js";
import { change } from "../../state.js";

const ABOUT = "The threshold is the lowest one that reached the wanted precision on people who were kept out of "
  + "finetuning, and on strangers. The numbers below are measured on other people and other strangers.";
const MEANINGS = {
  threshold: ["Threshold", "The model gives answers of at least this probability."],
  precision: ["Precision", "The share of given answers that are right."],
  coverage: ["Coverage", "The share of questions that the model answers."],
  strangers: ["Strangers answered", "The share of strangers about whom it gives an answer, which is always made up."],
};
const COLUMNS = [{ name: "Measured" }, { name: "Value", number: true }, { name: "Interval" }];

// Builds the part of a run, and returns a function that shows a wanted precision; `first` is the one to begin with.
export async function thresholds(place, run, first, signal) {
  const slider = element("input", { id: "precision", type: "range", min: 0.5, max: 1, step: 0.05,
    oninput: () => change({ precision: Number(slider.value) === first ? "" : slider.value }, { step: false }) });
  const value = element("output", { for: "precision" });
  const start = element("button", { type: "button", onclick: begin }, "Measure its answers");
  const progress = element("div"), numbers = element("div", { class: "numbers" });
  place.replaceChildren(element("h2", { id: "threshold" }, "Move the threshold"), element("p", {}, ABOUT),
    element("p", { class: "line" }, element("label", { for: "precision" }, "Wanted precision"), slider, value),
    numbers, progress);
  let found = await load(), now = first;
  if (found.running) follow(found.running);
  return show;

  function load() {
    return get(`knowledge/thresholds?${new URLSearchParams({ run })}`, signal);
  }

  function show(precision) {
    now = precision;
    slider.value = precision;
    value.textContent = precision.toFixed(2);
    const row = found.result?.thresholds.find(({ wanted }) => Math.abs(wanted - precision) < 1e-9);
    if (!found.result) return numbers.replaceChildren(element("p", { class: "line" }, start));
    if (!row) return numbers.replaceChildren(element("p", {}, "Not measured at this precision."));
    const rows = Object.entries(MEANINGS).map(([name, meaning]) => cells(row[name], meaning));
    const told = table(COLUMNS, rows.map(([name, definition, ...rest]) =>
      [number({ value: name, definition }), ...rest]), "At this threshold");
    const title = `${run}: wanted precision ${precision.toFixed(2)}`;
    const view = () => ({ title, lines: [ABOUT], columns: [[told]], command: row.command });
    const saved = async () => csv(["wanted precision", "measured", "value", "interval"],
      rows.map(([name, , ...rest]) => [precision, name, ...rest]));
    numbers.replaceChildren(told,
      element("div", { class: "actions" }, copyButtons(row), fileMenu({ ...pictures(view), ".csv": saved })));
  }

  async function begin() {
    start.disabled = true;
    try {
      follow((await post("knowledge/thresholds", { run }, signal)).id);
    } catch (error) {
      start.disabled = false;
      progress.replaceChildren(errorBox(error));
    }
  }

  function follow(id) {
    start.disabled = true;
    progress.replaceChildren(jobProgress(id, "Asking about people and strangers", async ({ state }) => {
      start.disabled = false;
      if (state !== "done") return;
      found = await load();
      progress.replaceChildren();
      show(now);
    }, signal));
  }
}

function cells(measured, [name, definition]) {
  const share = typeof measured === "object" && measured !== null;
  const value = share ? measured.value : measured ?? "not reached";
  return [name, definition, value, share ? measured.interval : ""];
}
