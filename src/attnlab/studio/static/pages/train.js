// Train: a form for a new run, and runs as they are trained.
// Parameters: tab; text, recipe, model, tokens, name, baseline and the options (a new run); runs, unit (the chart).

import { element } from "../components/element.js";
import { tabs } from "../components/tabs.js";
import { change } from "../state.js";
import { newRun } from "./train/newrun.js";
import { watchRuns } from "./train/watch.js";

const INTRODUCTION = "Train a language model on a text, and watch it learn. A run goes on when you close this page or "
  + "end the studio, and the command line can continue it.";

export async function open(place, signal) {
  const form = element("div"), watched = element("div");
  const picked = tabs("Train", [
    { name: "new", title: "New run", content: form },
    { name: "runs", title: "Runs", content: watched },
  ], (tab) => change({ tab }));
  place.append(element("h1", {}, "Train"), element("p", {}, INTRODUCTION), picked.made);
  const showForm = newRun(form, signal), runs = watchRuns(watched, signal);

  return async (parameters) => {
    const tab = parameters.get("tab") ?? (parameters.get("runs") ? "runs" : "new");
    picked.show(tab);
    if (tab === "runs") return runs.show(parameters);
    runs.leave();
    return showForm(parameters);
  };
}
