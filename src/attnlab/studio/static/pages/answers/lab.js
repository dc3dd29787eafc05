// Checking an answer to one of the lab's problems.

import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { change } from "../../state.js";
import { answerForm } from "./form.js";
import { about } from "./problem.js";

const FIRST = "extract"; // a short problem, and one that many get wrong

export function labTab({ problems, command, python }, signal) {
  const named = Object.fromEntries(problems.map((problem) => [problem.name, problem]));
  const form = answerForm("answer", signal), told = element("div", { class: "problem" });
  const onchange = () => change({ problem: chooser.value, ...form.empty() });
  const chooser = element("select", { id: "problem", onchange },
    problems.map(({ name, title }) => element("option", { value: name }, `${title} (${name})`)));
  const made = element("div", {},
    element("div", { class: "line" },
      element("span", { class: "field" }, element("label", { for: "problem" }, "Problem"), chooser)),
    told, form.made,
    element("details", { class: "menu" }, element("summary", {}, "List of all problems"),
      copyButtons({ command, python })));
  let shown = null;

  function show(parameters) {
    const problem = named[parameters.get("problem")] ?? named[FIRST];
    chooser.value = problem.name;
    if (problem !== shown) told.replaceChildren(...about(problem, (answer) => form.fill([answer])));
    shown = problem;
    form.show(problem, { problem: problem.name }, parameters);
  }

  return { made, show };
}
