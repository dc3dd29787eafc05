// "Can it be done?", "Best query", "Best scale" and "What helps". What was asked is in the address, as `asked`: design
// or the name of a job. So a reload finds the answer again.

import { get, post } from "../../api.js";
import { copyButtons } from "../../components/copy.js";
import { downloads } from "../../components/downloads.js";
import { element } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { files } from "../../components/files.js";
import { jobProgress } from "../../components/job.js";
import { scientific } from "../../components/number.js";
import { table } from "../../components/table.js";
import { BOUND, ERROR } from "./results.js";
import { change, read } from "../../state.js";
import { toAddress, written } from "./state.js";

const REMEDIES = [
  { name: "Remedy" }, { name: "Queries" }, { name: "Error", number: true, definition: ERROR },
  { name: "±", number: true, definition: BOUND },
];

// `state()` is the state now; `use(changes)` applies what was found; `proven(certificate)` draws it, or nothing.
export function searches(state, use, proven, signal) {
  const said = element("div", { class: "found", role: "status" });
  const button = (label, act) => element("button", { type: "button", onclick: () => attempt(act) }, label);
  let last = "";
  const taking = (label, onclick) => element("button", { type: "button", onclick }, label);
  const made = element("section", { "aria-labelledby": "ask" }, element("h2", { id: "ask" }, "Ask the lab"),
    element("div", { class: "line" }, button("Can it be done?", () => ask("design")),
      button("Best query", () => start("best", { scale_only: false })),
      button("Best scale C", () => start("best", { scale_only: true })),
      button("What helps?", () => start("remedies", {}))), said);
  return { made, show };

  // Show what the address asks for.
  async function show(parameters) {
    const asked = parameters.get("asked") ?? "";
    if (asked === last) return;
    last = asked;
    proven(null);
    said.replaceChildren();
    if (asked) await attempt(() => (asked === "design" ? design() : answer(asked)));
  }

  function ask(asked) {
    last = null; // so that the same question is asked again
    change({ ...toAddress(state()), asked });
    if (last === null) show(read().parameters);
  }

  async function start(path, more) {
    ask((await post(`attention/${path}`, { ...state(), ...more }, signal)).id);
  }

  async function attempt(act) {
    try {
      await act();
    } catch (error) {
      if (error.name !== "AbortError") said.replaceChildren(errorBox(error));
    }
  }

  async function design() {
    const { record, ...again } = await post("attention/design", state(), signal);
    const words = record.possible
      ? `Yes, without noise: the query (${written([record.query])}) gives every key its wanted weight within `
        + `${scientific(record.error, 1)}, proven to be at most ${scientific(record.error_bound, 1)}.`
      : `No query of one head does this: ${record.reason}.`;
    const take = () => use({ queries: written([record.query]), scale: 1 });
    const next = record.possible ? taking("Use this query", take) : drawn(record);
    said.replaceChildren(element("p", {}, words), next, element("div", { class: "actions" }, copyButtons(again),
      files("attention/design/file", state, again.downloads)));
    proven(record.certificate ?? null);
  }

  function drawn({ certificate }) {
    if (certificate.kind !== "containment") return "";
    const onclick = () => document.querySelector(".plane").scrollIntoView({ block: "center" });
    return element("p", { class: "faint" }, "The picture shows the certificate: the keys of the shaded hull surround "
      + "the point where they meet what is wanted. ",
    element("button", { type: "button", onclick }, "Show the picture"));
  }

  async function answer(id) {
    const job = await get(`jobs/${encodeURIComponent(id)}`, signal);
    if (job.work === "remedies") return help(job);
    const scaleOnly = job.arguments.scale_only;
    const what = scaleOnly ? "Searching for the best scale" : "Searching for the best query";
    follow(job, what, ({ record, queries, scale }) => {
      const take = () => use(scaleOnly ? { scale: +scale.toPrecision(6) } : { queries: written(queries), scale: 1 });
      const found = scaleOnly ? `C = ${scale.toPrecision(4)}`
        : queries.map((each) => `(${written([each])})`).join(" and ");
      return [element("p", {}, `The best found: ${found}, with an error of ${record.error.toPrecision(4)} ± `
        + `${scientific(record.error_bound)}.`), taking("Use it", take)];
    });
  }

  function help(job) {
    follow(job, "Measuring what helps", ({ record }) => [
      element("p", {}, `For the coursework’s question: ${record.keys} orthonormal keys, with the same noise. (The `
        + "plane holds only two such keys.) The output should be the average of the values of a and b, keys 0 and 1."),
      table(REMEDIES, record.remedies.map(({ name, queries, error, error_bound }) =>
        [name, lowered(queries), error < 1e-6 ? "< 10⁻⁶" : error.toPrecision(4), scientific(error_bound)]),
      "What helps")]);
  }

  function follow(job, what, shown) {
    said.replaceChildren(jobProgress(job.id, what, ({ state: now }) => now === "done" && attempt(async () => {
      const result = await get(`jobs/${job.id}/result`, signal);
      said.replaceChildren(...shown(result),
        element("div", { class: "actions" }, copyButtons(result), downloads(job.id, result.downloads)));
    }), signal));
  }
}

// A formula in plain text, with its subscripts below the line: μ_a.
const lowered = (text) =>
  element("span", {}, text.split(/_(\w+)/).map((part, at) => (at % 2 ? element("sub", {}, part) : part)));
