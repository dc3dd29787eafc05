// Runs as they are trained: curves on one chart, and a card for each run with its numbers, samples, stop and go on.

import { get } from "../../api.js";
import { BITS_PER_BYTE, STEPS, bits } from "../../components/bits.js";
import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { csv, fileMenu } from "../../components/files.js";
import { loading } from "../../components/loading.js";
import { pictures } from "../../components/picture.js";
import { table } from "../../components/table.js";
import { change } from "../../state.js";
import { curves } from "./curves.js";
import { runCard } from "./runcard.js";
import { newsOf } from "./runstream.js";

const UNITS = { nats: "nats per token", bits: "bits per byte" };
const MOST = 8;
const POINTS = ["run", "curve", "step", "nats per token", "bits per byte", "lower bound"];
const COLUMNS = [
  { name: "Run" }, { name: "Text" }, { name: "Model" }, { name: "State" },
  { name: "Steps", number: true, definition: STEPS },
  { name: "Bits per byte", number: true, definition: BITS_PER_BYTE },
];

export function watchRuns(place, signal) {
  const chart = curves(signal), cards = element("div", { class: "runcards" }), said = element("div");
  const list = element("div", { class: "runs" }), actions = element("div", { class: "actions" });
  const numbers = element("details", { class: "menu", ontoggle: () => tell() }, element("summary", {}, "The numbers"));
  const unit = element("select", { id: "unit", onchange: () => change({ unit: unit.value }) },
    element("option", { value: "" }, "the one that compares these runs"),
    Object.entries(UNITS).map(([value, title]) => element("option", { value }, title)));
  const note = element("p", { class: "faint", role: "status" });
  const shown = element("section", { "aria-label": "Learning curves" },
    element("div", { class: "line" }, element("label", { for: "unit" }, "Unit"), unit, note),
    chart.made, numbers, actions, cards);
  place.append(said, shown, element("h2", {}, "Runs in this folder"), list);
  let looking = null, last = "", runs = new Map(), wanted = "", compared = false, listed = new Map();
  signal.addEventListener("abort", () => looking?.abort());

  function leave() {
    looking?.abort();
    last = "";
  }

  async function refresh() {
    try {
      const found = await get("runs", signal);
      listed = new Map(found.record.runs.map(({ run, state }) => [run, state]));
      list.replaceChildren(runList(found, [...runs.keys()]));
    } catch (error) {
      if (error.name !== "AbortError") list.replaceChildren(errorBox(error));
    }
  }

  function begin(chosen) {
    leave();
    last = chosen.join("|");
    looking = new AbortController();
    said.replaceChildren();
    runs = new Map(chosen.map((run, place) => [run, { run, training: [], validation: [], samples: [], state: "",
      about: {}, card: runCard(run, place, again, looking.signal) }]));
    shown.hidden = !chosen.length;
    cards.replaceChildren(...[...runs.values()].map(({ card }) => card.made));
    actions.replaceChildren();
    if (!chosen.length) return;
    draw();
    compared = false;
    newsOf(chosen, heard, (error) => said.replaceChildren(errorBox(error)), looking.signal);
  }

  const again = () => begin([...runs.keys()]);

  function heard({ runs: found }) {
    let stale = false; // whether the list of runs says something else
    for (const news of found) {
      const known = runs.get(news.run);
      if (!known) continue;
      for (const part of ["training", "validation", "samples"]) {
        known[part] = news.again ? news[part] : [...known[part], ...news[part]];
      }
      const ended = known.state === "running" && news.state !== "running";
      const state = news.state === "failed" ? "stopped" : news.state; // as the list calls it
      stale ||= listed.has(news.run) ? listed.get(news.run) !== state : !known.about.model && news.about.model;
      Object.assign(known, { state: news.state, about: news.about });
      known.card.show(known, news);
      if (ended) compared = false;
    }
    if (stale) refresh();
    if (!compared && [...runs.values()].every(({ about }) => about.model)) { // all of them have folders
      compared = true;
      compare([...runs.keys()], looking.signal);
    }
    draw();
  }

  // The commands are those of the record that the lab makes of these runs; the files are what the page shows.
  async function compare(chosen, until) {
    const query = new URLSearchParams(chosen.map((run) => ["run", run]));
    try {
      const found = await get(`train/runs?${query}`, until);
      const view = () => ({ title: "Learning curves", lines: [note.textContent], columns: [chart.pictures()],
        tables: [scores()], command: found.command });
      actions.replaceChildren(copyButtons(found),
        fileMenu({ ...pictures(view), ".csv": async () => csv(POINTS, points()) }));
    } catch (error) {
      if (error.name !== "AbortError") actions.replaceChildren(errorBox(error));
    }
  }

  function draw() {
    const all = [...runs.values()];
    const own = new Set(all.map(({ about }) => about.tokens).filter(Boolean));
    const chosen = wanted || (own.size > 1 ? "bits" : "nats"), column = chosen === "bits" ? 2 : 1;
    const texts = new Set(all.map(({ about }) => about.data).filter(Boolean));
    const bounds = chosen === "bits" ? all.filter(({ validation }) => validation.some((each) => each[3])) : [];
    note.textContent = [
      texts.size > 1 ? "Runs on different texts cannot be compared."
        : own.size > 1 && chosen === "nats" && "Nats per token of different tokens cannot be compared.",
      bounds.length > 0 && `Not drawn, because an older attnlab measured only a lower bound: ${named(bounds)}.`,
    ].filter(Boolean).join(" ");
    chart.draw(all.flatMap(({ run, training, validation, about }, place) => [
      chosen === "nats" && { name: run, kind: "training", place, points: training },
      { name: run, kind: about.model === "ngram" ? "counts" : "validation", place,
        points: validation.filter((each) => chosen === "nats" || !each[3]).map((each) => [each[0], each[column]]) },
    ].filter(Boolean)), UNITS[chosen]);
    tell();
  }

  // All points of the curves, in both units.
  function points() {
    return [...runs.values()].flatMap(({ run, training, validation }) => [
      ...training.map(([step, nats]) => [run, "training", step, nats]),
      ...validation.map(([step, nats, cost, bound]) => [run, "validation", step, nats, cost, bound ? "yes" : "no"])]);
  }

  function tell() {
    if (numbers.open) numbers.replaceChildren(numbers.firstChild, scores());
  }

  function scores() {
    const rows = [...runs.values()].flatMap(({ run, validation }) =>
      validation.map(([step, nats, ...cost]) => [run, step.toLocaleString("en"), nats.toFixed(4), bits(...cost)]));
    const columns = [{ name: "Run" }, { name: "Step", number: true }, { name: "Nats per token", number: true },
      { name: "Bits per byte", number: true, definition: BITS_PER_BYTE }];
    return table(columns, rows, "Scores on the validation split");
  }

  async function show(parameters) {
    unit.value = wanted = parameters.get("unit") ?? "";
    const chosen = (parameters.get("runs") ?? "").split("|").filter(Boolean).slice(0, MOST);
    if (chosen.join("|") !== last || !chosen.length) {
      if (!list.firstChild) list.replaceChildren(loading(5, "Loading the runs"));
      begin(chosen);
      await refresh();
    } else {
      draw();
    }
  }
  return { show, leave };
}

const named = (runs) => runs.map(({ run }) => run).join(", ");

function runList({ record }, chosen) {
  const rows = record.runs.filter(({ task, state }) => !task && !state.startsWith("damaged"));
  if (!rows.length) return element("p", {}, "There are no runs in this folder yet.");
  const cells = rows.map(({ run, text, model, state, steps, bits_per_byte: cost, lower_bound: bound }) => {
    const box = element("input", { type: "checkbox", checked: chosen.includes(run), onchange: () => {
      const now = box.checked ? [...chosen, run] : chosen.filter((each) => each !== run);
      change({ runs: now.join("|"), tab: "runs" });
    } });
    return [element("label", { class: "pick" }, box, ` ${run}`), text, model, state, steps?.toLocaleString("en") ?? "",
      bits(cost, bound)];
  });
  return element("div", {},
    element("p", { class: "faint" }, `Tick up to ${MOST} runs to see them on the chart.`),
    table(COLUMNS, cells, "Runs"));
}
