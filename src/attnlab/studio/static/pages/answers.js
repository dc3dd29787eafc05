// Answers: check an answer to a problem of the lab or of one's own, and grade a class.
// Parameters: tab; problem, answer, answer-2, … (an answer); name, toml, try, try-2, … (a problem of one's own);
// job (a class).

import { get } from "../api.js";
import { element } from "../components/element.js";
import { loading } from "../components/loading.js";
import { tabs } from "../components/tabs.js";
import { change } from "../state.js";
import { classTab } from "./answers/class.js";
import { labTab } from "./answers/lab.js";
import { ownTab } from "./answers/own.js";

const INTRODUCTION = "A formula about attention can look right and be wrong by one sign, one factor or one transpose. "
  + "The lab works an answer out exactly. It says whether the answer is right, why not, and which small edit corrects "
  + "it. No formula is run as code.";

export async function open(place, signal) {
  place.append(element("h1", {}, "Answers"), loading(14, "Loading the problems"));
  const found = await get("answers", signal);
  const parts = { lab: labTab(found, signal), own: ownTab(signal), class: classTab(signal) };
  const picked = tabs("Answers", [
    { name: "lab", title: "Check an answer", content: parts.lab.made },
    { name: "own", title: "A problem of your own", content: parts.own.made },
    { name: "class", title: "A class", content: parts.class.made },
  ], (tab) => change({ tab: tab === "lab" ? "" : tab }));
  place.replaceChildren(element("h1", {}, "Answers"), element("p", {}, INTRODUCTION), picked.made);

  return (parameters) => {
    const tab = parameters.get("tab") in parts ? parameters.get("tab") : "lab";
    picked.show(tab);
    return parts[tab].show(parameters);
  };
}
