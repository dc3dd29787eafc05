// The card of a run: its state, its last scores, its samples, and what can be done with it.

import { get, post } from "../../api.js";
import { BITS_PER_BYTE, bits } from "../../components/bits.js";
import { chart } from "../../components/chart.js";
import { copyButtons } from "../../components/copy.js";
import { downloads } from "../../components/downloads.js";
import { element, say } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { jobProgress } from "../../components/job.js";
import { number } from "../../components/number.js";
import { swatch } from "./curves.js";

const NATS = "How surprised the model is by a token of the validation split, on average: the natural logarithm of one "
  + "over its probability. Fewer is better. Comparable between models with the same tokens.";
const ONE = "(one text: no interval)";

// `again()` follows the run anew, after a job was started.
export function runCard(run, place, again, signal) {
  const state = element("span", { class: "faint" }, "…"), words = element("span", { class: "faint" });
  const bar = element("progress", { "aria-label": `Training of ${run}`, max: 1, hidden: true });
  const stop = element("button", { type: "button", hidden: true, onclick: () => act(stop, `jobs/${job}/cancel`) },
    "Stop");
  const goOn = element("button", { type: "button", hidden: true, onclick: () => act(goOn, "train/resume") }, "Go on");
  const heads = element("button", { type: "button", hidden: true, onclick: () => act(heads, "train/heads") },
    "Score its heads at each checkpoint");
  const scores = element("p", { class: "scores" }), said = element("div"), scored = element("div");
  const sample = element("pre", { tabindex: "0", "aria-label": `Sample of ${run}` });
  const when = element("p", { class: "faint" }), samples = element("div", { hidden: true }, when, sample);
  const made = element("article", { class: "runcard", "aria-label": run },
    element("h2", {}, element("span", {}), ` ${run} `, state),
    element("div", { class: "line" }, bar, words, stop, goOn, heads), scores, said, samples, scored);
  let job = "", before = "", measured = "", scoring = "";

  async function act(button, path) {
    button.disabled = true;
    said.replaceChildren();
    try {
      const answer = await post(path, { run }, signal);
      if (button === heads) showHeads(answer.id);
      if (button === goOn) return again();
    } catch (error) {
      if (error.name !== "AbortError") said.replaceChildren(errorBox(error));
    }
    button.disabled = button === stop && !said.firstChild; // it ends its step first
  }

  function showHeads(id) {
    if (scoring === id) return;
    scoring = id;
    heads.hidden = true;
    scored.replaceChildren(jobProgress(id, "Scoring the heads", async (ended) => {
      if (ended.state !== "done") return;
      try {
        const found = await get(`jobs/${id}/result`, signal);
        scored.replaceChildren(chart({ ...found, spec: found.chart }, signal),
          element("div", { class: "actions" }, copyButtons(found), downloads(id, found.downloads)));
      } catch (error) {
        if (error.name !== "AbortError") scored.replaceChildren(errorBox(error));
      }
    }, signal));
  }

  function show({ about, validation, samples: written, training }, news) {
    job = news.job;
    const running = news.state === "running";
    if (before && before !== news.state) say(`${run}: ${news.state}`);
    before = news.state;
    const kind = about.model === "ngram" ? "counts" : "validation"; // as in the chart
    made.querySelector("h2 > :first-child").replaceWith(swatch(place, kind));
    state.textContent = [about.model, about.tokens && `on ${about.text}, ${about.tokens}`, news.state]
      .filter(Boolean).join(", ");
    bar.hidden = !running;
    if (news.progress == null) bar.removeAttribute("value"); else bar.value = news.progress;
    words.textContent = running ? news.now || "starting …" : "";
    stop.hidden = !(running && job);
    goOn.hidden = !(["stopped", "failed"].includes(news.state) && about.model && !about.task);
    heads.hidden = !news.heads || Boolean(scoring || news.scored);
    if (news.scored) showHeads(news.scored);
    if (news.state === "failed" && news.now) said.replaceChildren(errorBox({ message: news.now, status: 400 }));
    const last = validation.at(-1);
    if (last && measured !== String(last)) {
      measured = String(last);
      const at = training.length ? `Step ${last[0].toLocaleString("en")}, validation: ` : "Validation: ";
      scores.replaceChildren(at, number({ value: last[1].toFixed(4), unit: "nats per token", definition: NATS }),
        number({ value: bits(last[2], last[3]), unit: "bits per byte", interval: ONE, definition: BITS_PER_BYTE }));
    }
    samples.hidden = !written.length;
    if (!written.length) return;
    const [step, text] = written.at(-1);
    when.textContent = `It writes at step ${step.toLocaleString("en")}:`;
    if (sample.textContent !== text) sample.textContent = text;
  }
  return { made, show };
}
