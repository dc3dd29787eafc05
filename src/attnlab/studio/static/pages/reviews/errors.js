// The kinds of a classifier's errors on the generated reviews: how often each occurs, and examples.

import { get, post } from "../../api.js";
import { copyButtons } from "../../components/copy.js";
import { downloads } from "../../components/downloads.js";
import { element } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { jobProgress } from "../../components/job.js";
import { loading } from "../../components/loading.js";
import { number } from "../../components/number.js";
import { table } from "../../components/table.js";
import { address } from "../../state.js";
import { answer, shaded } from "./reasons.js";

const COLUMNS = [{ name: "Kind" }, { name: "First kind", number: true }, { name: "Share", number: true },
  { name: "In all", number: true }];
const ABOUT = "An error can be of several kinds. Experiments on the classifier decide that: the text is changed, and "
  + "the classifier reads it again. The first kind that fits counts as the error’s first kind.";

export async function errorKinds(place, run, signal) {
  place.replaceChildren(loading(8, "Loading the errors"));
  const progress = element("div");
  const start = element("button", { type: "button", onclick: begin }, "Explain its errors on the generated reviews");
  try {
    const found = await get(`reviews/errors?${new URLSearchParams({ run })}`, signal);
    const head = element("div", { class: "line" }, start);
    place.replaceChildren(element("p", {}, ABOUT), head, progress, ...(found.result ? kinds(found, run) : []));
    if (found.running) follow(found.running);
  } catch (error) {
    if (error.name !== "AbortError") place.replaceChildren(errorBox(error));
  }

  async function begin() {
    start.disabled = true;
    try {
      follow((await post("reviews/errors", { run }, signal)).id);
    } catch (error) {
      start.disabled = false;
      progress.replaceChildren(errorBox(error));
    }
  }

  function follow(id) {
    start.disabled = true;
    progress.replaceChildren(jobProgress(id, "Explaining the errors", ({ state }) => {
      start.disabled = false;
      if (state === "done") errorKinds(place, run, signal);
    }, signal));
  }
}

function kinds({ result, job }, run) {
  const { texts, errors } = result.record.kinds;
  const rows = result.kinds.map(({ kind, first, share, in_all: all, meaning }) =>
    [number({ value: kind, definition: meaning }), String(first), share, String(all)]);
  return [
    element("p", {}, `${errors} errors in ${texts.toLocaleString("en")} texts.`),
    table(COLUMNS, rows, "Kinds of errors"),
    element("div", { class: "actions" }, copyButtons(result), downloads(job, result.downloads)),
    ...result.kinds.filter(({ examples }) => examples.length).map((each) => examplesOf(each, run)),
  ];
}

function examplesOf({ kind, meaning, examples }, run) {
  return element("section", {}, element("h3", {}, kind), element("p", { class: "faint" }, meaning),
    examples.map((each) => element("article", { class: "example" }, answer(each), shaded(each),
      element("a", { href: address("reviews", { run, text: each.text, label: each.label }) }, "Try it"))));
}
