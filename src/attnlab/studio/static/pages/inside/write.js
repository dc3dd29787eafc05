// The model writes, token by token, with the probability of each.

import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { csv, fileMenu } from "../../components/files.js";
import { pictures } from "../../components/picture.js";
import { chance, expected, quoted, shaded } from "../../components/shaded.js";
import { change } from "../../state.js";
import { events } from "./events.js";

const FIELDS = [
  { name: "length", title: "Tokens", min: 1, max: 1000, step: 1, usual: 100 },
  { name: "temperature", title: "Temperature", min: 0, max: 1000, step: "any", usual: 0.8 },
  { name: "seed", title: "Seed", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, usual: 0 },
];
const CERTAIN = [0.9, 0.5, 0.2, 0.05, 0.01]; // the shade of a piece: how many of these are above its probability
const SHADES = ["a0", "a1", "a3", "a5", "a6", "a7"];
const WORDS = ["90 % or more", "50 to 90 %", "20 to 50 %", "5 to 20 %", "1 to 5 %", "below 1 %"];

const rowOf = ({ text, probability, likeliest }) => [text, probability, expected(likeliest).join("; ")];
const PROBABILITY = "The stronger the colour of a token, the less probable the model found it.";

export function view(signal) {
  let writing = new AbortController(), state = {}, last = "";
  const inputs = FIELDS.map(({ name, min, max, step }) =>
    element("input", { id: name, type: "number", min, max, step, required: true }));
  const start = element("button", {}, "Write");
  const stop = element("button", { type: "button", disabled: true, onclick: () => writing.abort() }, "Stop");
  const result = element("div", { class: "result" });
  const made = element("div", { class: "view" },
    element("p", {}, "The model goes on from the text. The shade shows how likely it found each token that was drawn."),
    element("form", { class: "line", onsubmit }, FIELDS.map(({ name, title }, at) =>
      element("span", { class: "field" }, element("label", { for: name }, title), inputs[at])), start, stop),
    element("ul", { class: "swatches" }, element("li", { class: "faint" }, "Probability:"),
      WORDS.map((words, at) => element("li", { class: SHADES[at] }, words))),
    result);
  signal.addEventListener("abort", () => writing.abort());
  return { made, show };

  // What was asked for is in the address: a reload writes it again.
  async function show(now) {
    state = now;
    FIELDS.forEach(({ name, usual }, at) => (inputs[at].value = now[name] ?? usual));
    const asked = { model: now.model, prompt: now.text, ...how() }, given = FIELDS.every(({ name }) => name in now);
    const next = given ? JSON.stringify(asked) : "";
    if (next === last) return;
    last = next;
    writing.abort();
    result.replaceChildren();
    if (!given) return;
    writing = new AbortController();
    write(asked, writing.signal);
  }

  function how() {
    return Object.fromEntries(FIELDS.map(({ name }, at) => [name, Number(inputs[at].value)]));
  }

  function onsubmit(event) {
    event.preventDefault();
    last = null; // the same is written again
    change(how());
    if (last === null) show(state);
  }

  async function write(body, stopped) {
    const pieces = [], again = element("div", { class: "actions" });
    const said = element("p", { class: "faint", role: "status" }, "Writing …");
    const text = shaded("What the model wrote; the arrow keys go from token to token.", [], (place) => {
      const { text, probability, likeliest } = pieces[place];
      return [quoted(text), `probability ${chance(probability)}`, "expected most:", ...expected(likeliest)];
    });
    const written = () => body.prompt + pieces.map((each) => each.text).join("");
    const view = (command) => ({ title: `${body.model} writes`, lines: [PROBABILITY], command,
      columns: [[text.made.firstChild]] });
    const files = (command) => fileMenu({ ...pictures(() => view(command)),
      ".csv": async () => csv(["token", "probability", "expected"], pieces.map(rowOf)),
      ".txt": async () => new Blob([written()]) });
    text.made.firstChild.prepend(element("span", { class: "faint" }, body.prompt));
    result.replaceChildren(text.made, said, again);
    [start.disabled, stop.disabled] = [true, false];
    try {
      await events("inside/write", body, (event) => {
        if (event.command) again.replaceChildren(copyButtons(event), files(event.command));
        if (event.text == null) return;
        pieces.push(event);
        text.add({ text: event.text, shade: SHADES[CERTAIN.filter((edge) => edge > event.probability).length] });
      }, stopped);
      said.textContent = "Done.";
    } catch (error) {
      said.textContent = "Stopped. The command goes on to the asked length; its text begins the same.";
      if (error.name !== "AbortError") said.replaceChildren(errorBox(error));
    } finally {
      if (stopped === writing.signal) [start.disabled, stop.disabled] = [false, true];
    }
  }
}
