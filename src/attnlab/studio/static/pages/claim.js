// One claim: statement, verdict, evidence, numbers and chart; running it with a seed.

import { get, post } from "../api.js";
import { chart } from "../components/chart.js";
import { copyButtons } from "../components/copy.js";
import { downloads } from "../components/downloads.js";
import { element } from "../components/element.js";
import { errorBox } from "../components/error.js";
import { formulas } from "../components/formulas.js";
import { jobProgress } from "../components/job.js";
import { loading } from "../components/loading.js";
import { defined, number } from "../components/number.js";
import { table } from "../components/table.js";
import { change } from "../state.js";

const MEANINGS = {
  exact: "Counted, or correct to the last digits of 64-bit numbers.",
  observed: "What this run saw, such as the largest of many rounding errors. Another seed sees another number.",
  bound: "The true value lies within this bound.",
  "95 % interval": "Repeated with other random numbers, the interval contains the true value in 95 of 100 cases.",
  "standard error": "How much the value varies when the experiment is repeated with other random numbers.",
};

const SAID_BY = "A to E are five write-ups that answer the same course’s questions. The lab adds statements of "
  + "its own.";

const COLUMNS = [{ name: "Measured" }, { name: "Value", number: true }, { name: "Uncertainty" }];
const LONG = 5; // seconds that one is told of before

// Show a claim; `ran()` is called when a job has changed what is known of it.
export async function openClaim(place, id, seed, signal, ran) {
  place.replaceChildren(back(), loading(10, "Loading the claim"));
  try {
    const claim = await get(`claims/${encodeURIComponent(id)}?seed=${encodeURIComponent(seed)}`, signal);
    place.replaceChildren(back(), ...parts(claim));
  } catch (error) {
    if (error.name !== "AbortError") place.replaceChildren(back(), errorBox(error));
  }

  function parts(claim) {
    const progress = element("div", { class: "running" });
    if (claim.running) follow(claim.running);
    return [
      element("h1", { class: "statement" }, formulas(claim.statement)),
      element("p", { class: "faint" }, `${claim.id}, said by ${claim.said_by}`, defined(SAID_BY)),
      element("p", { class: "question" }, formulas(claim.question)),
      runner(claim), progress,
      claim.evidence ? evidence(claim, signal)
        : element("p", {}, `Not run here yet${claim.random ? ` with seed ${seed}` : ""}.`, before(claim)),
    ];

    function runner({ random, seconds }) {
      const wanted = element("input", { id: "seed", type: "number", min: 0, step: 1, value: seed, required: true });
      const onsubmit = (event) => {
        event.preventDefault();
        run(random ? Number(wanted.value) : 0);
      };
      return element("form", { class: "line", onsubmit },
        random ? [element("label", { for: "seed" }, "Seed"), wanted] : faint("Nothing in it is random."),
        element("button", {}, "Run"),
        seconds >= LONG && faint(`takes about ${Math.round(seconds)} s of one core`));
    }

    async function run(chosen) {
      try {
        const job = await post("claims/run", { ids: [id], seed: chosen }, signal);
        if (chosen !== seed) return change({ seed: chosen || "" }); // the page of that seed shows the job
        follow(job.id);
      } catch (error) {
        progress.replaceChildren(errorBox(error));
      }
    }

    function follow(job) {
      progress.replaceChildren(jobProgress(job, "Running the experiment", ({ state }) => {
        if (state !== "done") return;
        ran();
        openClaim(place, id, seed, signal, ran);
      }, signal));
    }
  }
}

function back() {
  const onclick = (event) => {
    event.preventDefault();
    change({ open: "", seed: "" }); // the filters stay
  };
  return element("p", {}, element("a", { href: "#claims", onclick }, "← All claims"));
}

const faint = (text) => element("span", { class: "faint" }, text);

function before({ seeds, settled }) {
  if (settled) return ` Measured before: ${settled}.`;
  const told = Object.entries(seeds).map(([verdict, count]) => `${verdict} with ${count} seeds`).join(", ");
  return told && ` Measured before: ${told}.`;
}

function evidence({ evidence: found, job, alone, downloads: endings }, signal) {
  const rows = found.numbers.map(({ name, value, uncertainty, kind }) =>
    [formulas(name), value, number({ value: uncertainty, definition: MEANINGS[kind] })]);
  const about = alone ? "" : "The files are about all claims that ran together.";
  return element("article", { class: `evidence ${found.verdict.replace(" ", "-")}` },
    element("h2", {}, formulas(found.words)),
    element("p", {}, formulas(found.explanation)),
    rows.length > 0 && table(COLUMNS, rows, "The numbers"),
    found.chart && chart({ ...found, spec: found.chart, title: formulas(found.title) }, signal),
    element("p", { class: "faint" }, found.basis.map(({ name, told }) => `${name}: ${told}. `).join("")),
    element("div", { class: "actions" }, copyButtons(found), downloads(job, endings, about)));
}
