import { element } from "../../components/element.js";
import { formulas } from "../../components/formulas.js";

// What a problem asks, the symbols that an answer may use, and answers to try: `chosen(answer)`.
export function about({ question, symbols, names, samples }, chosen) {
  const listed = names.flatMap((name, place) => [place ? ", " : "", formulas(name)]);
  const button = ({ answer }) => element("button", { type: "button", onclick: () => chosen(answer) }, answer);
  return [
    element("p", { class: "asked" }, formulas(question)),
    element("details", { class: "menu" }, element("summary", {}, "Symbols that an answer may use"),
      element("ul", {}, symbols.map(({ name, says }) => element("li", {}, formulas(name), ": ", formulas(says)))),
      element("p", { class: "faint" }, "Names: ", listed)),
    samples.length > 0 && element("details", { class: "menu" },
      element("summary", {}, "Answers to try, right and wrong"),
      element("div", { class: "actions" }, samples.map(button))),
  ].filter(Boolean);
}
