// The quantities of this page, measured in one head of a trained model: a job. A button takes the noise and the scale
// of the head over into the page. Parameters: model, head, and measured (the job).

import { get, post } from "../../api.js";
import { element } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { measuring } from "../../components/measuring.js";
import { number } from "../../components/number.js";
import { table } from "../../components/table.js";
import { address, change, settle } from "../../state.js";

const COLUMNS = [{ name: "Quantity" }, { name: "On this page", number: true }, { name: "In the head", number: true }];
const SPREAD = "The standard deviation of the lengths of all keys, as a share of their mean.";
const LEAD = "How far the largest logit is above the mean of the others. In the averaging question with orthonormal "
  + "keys this is the scale C.";
const LAW = "On this page: the standard deviation over the noise. In the head: how far the weight of the key that a "
  + "query attends to most lies from its weight at the mean length (root mean square), by the exact law for one key.";
const WITHOUT_NORM = { model: "transformer", "model.qk_norm": "no" };
const WITH_HEADS = /^transformer/;

// `use(changes)` applies what was measured to the page. `beside(state, told)` shows the numbers of the page.
export function measured(use, signal) {
  let here = null, found = null, shape = "", choosing = null;
  const model = element("select", { id: "measured-model", onchange: () => choose({ model: model.value, head: "" }) });
  const head = element("select", { id: "measured-head", onchange: () => choose({ head: head.value }) });
  const empty = element("p", { hidden: true }, "There is no model with heads in this folder yet. ",
    element("a", { href: address("train") }, "Train one"), ", or open one on ",
    element("a", { href: address("home") }, "Home"), ".");
  const own = Object.fromEntries(["keys", "lengths", "lead", "weight", "sd"].map((name) => [name, element("span")]));
  const wrong = element("div");
  const fields = element("p", { class: "line" }, field(model, "Model"), field(head, "Head"));
  const job = measuring({
    parameter: "measured", path: "inside/theory", what: "Measuring the head", button: "Measure this head",
    before: fields, signal, body: () => ({ model: model.value, head: head.value }), shown,
  });
  job.made.hidden = true;
  const made = element("section", { class: "beside", "aria-labelledby": "beside" },
    element("h2", { id: "beside" }, "In a trained model"),
    element("p", {}, "How long are the keys of a real head, how far do their lengths vary, and what does that do to "
      + "its weights? Measure a head, and give its noise to the keys above."), empty, job.made, wrong);
  return { made, show, beside };

  function choose(changes) {
    change({ ...changes, measured: "" });
  }

  // The models are asked for once, after the rest of the page is there.
  async function show(parameters) {
    try {
      choosing ??= get("inside/models", signal);
      const named = fill(await choosing, parameters.get("model"));
      empty.hidden = Boolean(named);
      if (!named) return;
      await heads(named);
      head.value = parameters.get("head") ?? head.options[0].value;
      settle({ model: named, head: head.value });
      wrong.replaceChildren();
      job.made.hidden = false;
      await job.show({ model: named, head: head.value, measured: parameters.get("measured") ?? "" });
    } catch (error) {
      if (error.name === "AbortError") return;
      job.made.hidden = !model.options.length; // another model can be chosen
      wrong.replaceChildren(errorBox(error));
    }
  }

  function fill(all, asked) {
    const names = all.filter(({ name, about }) => name.startsWith("hf:") || WITH_HEADS.test(about))
      .map(({ name }) => name);
    if (asked && !names.includes(asked)) names.push(asked);
    if (model.options.length !== names.length) {
      model.replaceChildren(...names.map((value) => element("option", { value }, value)));
    }
    model.value = asked ?? names[0] ?? "";
    return model.value;
  }

  async function heads(named) {
    if (shape === named) return;
    const { layers, heads: places } = await post("inside/shape", { model: named }, signal);
    shape = named;
    head.replaceChildren(...Array.from({ length: layers * places }, (_, at) =>
      `${Math.floor(at / places)}.${at % places}`).map((value) => element("option", { value }, value)));
  }

  function shown(result) {
    [found] = result.record.heads;
    const { text, model: name } = result.record;
    fillIn();
    return [
      element("p", {}, result.says), table(COLUMNS, rows(), "This page beside the head"),
      element("p", { class: "faint" }, `Head ${found.head} of ${name}, on ${text}.`),
      ...(share(found.variation) === share(0) ? [without()] : taking()),
    ];
  }

  function taking() {
    return [element("button", { type: "button", onclick: () => use(taken()) }, "Give this noise to the keys"),
      element("p", { class: "faint" }, "As in the law, the length of one key becomes noisy: of the key with the most "
        + "weight. The scale C becomes as large as in the head.")];
  }

  function without() {
    const link = element("a", { href: address("train", WITHOUT_NORM) }, "Train a Transformer without QK‑norm");
    return element("p", {}, link, ": its keys have many lengths.");
  }

  function rows() {
    const { keys, variation, spread, reached, scale } = found;
    return [
      ["Keys that a query sees", own.keys, String(keys)],
      [number({ value: "Spread of key lengths", definition: SPREAD }), own.lengths, share(variation)],
      [number({ value: "Lead of the largest logit", definition: LEAD }), own.lead, scale.trained.toFixed(2)],
      ["Scale C that averages two such keys best", "", scale.best?.toFixed(2) ?? "the larger, the better"],
      ["Mean weight of the key with the most weight", own.weight, reached.given.toFixed(3)],
      ["… and the most that a query of this length can give it", "", reached.best.toFixed(3)],
      [number({ value: "Spread of that weight, by the exact law", definition: LAW }), own.sd,
        spread.predicted.toFixed(3)],
      ["… and as measured", "", spread.observed.toFixed(3)],
    ];
  }

  function beside(state, { record }) {
    here = { state, record };
    fillIn();
  }

  function fillIn() {
    if (!found || !here) return;
    const { state, record } = here, { mean, sd } = record.weights[heaviest(record)];
    const told = { keys: String(record.weights.length), lengths: share(Math.sqrt(state.norm_variance)),
      lead: record.lead?.toFixed(2) ?? "none", weight: mean.toFixed(3), sd: sd.toFixed(3) };
    for (const [name, value] of Object.entries(told)) own[name].textContent = value;
  }

  function taken() {
    const { state: { scale }, record } = here, { lead } = record, at = heaviest(record);
    return {
      norm_variance: Number((found.variation ** 2).toPrecision(3)), noisy: String(at), key: at, normalise: false,
      scale: lead > 0 ? Number((scale * found.scale.trained / lead).toPrecision(3)) : scale,
    };
  }
}

const share = (value) => `${(100 * value).toFixed(1)} %`;

const heaviest = ({ weights }) => weights.reduce((best, { mean }, at) => (mean > weights[best].mean ? at : best), 0);

const field = (made, label) =>
  element("span", { class: "field" }, element("label", { for: made.id }, label), made);
