// The settings of the page Attention: the question, the scale, the noise, the heads, and one key.

import { element, tell } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { defined } from "../../components/number.js";
import { PRESETS, presetOf } from "./presets.js";
import { points, readPoints, wanted, written } from "./state.js";

const MOST_KEYS = 100;

const SCALE = "A factor on every query. The larger it is, the more weight goes to the key with the largest logit.";
const LENGTHS = "A noisy key is multiplied by 1 + γ, where γ is normal with mean 0 and this variance.";
const ISOTROPIC = "Each coordinate of each key gets independent normal noise with this variance.";
const SINK = "A constant in the softmax’s denominator: the weights then add up to less than 1.";
const NORMALISED = "Each key is divided by its length, noise included: only its direction counts.";

// `set(changes, ends)`: a setting has changed; `ends` when the hand lets go.
export function controls(set) {
  const questions = PRESETS.map(({ name, title }) => [name, title]);
  const question = choice("question", "Question", [["", "your own"], ...questions], {
    value: (state) => presetOf(state)?.name ?? "",
    changed: (name) => name && set(PRESETS.find((each) => each.name === name).state, true),
  });
  const fields = [
    slider("scale", "Scale C", 0.1, 1000, set, SCALE),
    slider("norm_variance", "Noise in lengths (variance)", 0, 2, set, LENGTHS),
    text("noisy", "Keys with noisy lengths", "all keys", set),
    slider("isotropic", "Isotropic noise (variance)", 0, 1, set, ISOTROPIC),
    text("mix", "Wanted weights", "0=0.5,1=0.5", set),
    choice("heads", "Heads", [["1", "one head"], ["2", "two heads"]], {
      value: ({ queries }) => String(points(queries).length),
      changed: (count) => set(null, true, (state) => ({ queries: heads(state, Number(count)) })),
    }),
    slider("sink", "Sink (in the softmax’s denominator)", 0, 10, set, SINK),
    check("normalise", "Divide each key by its norm (QK‑norm)", set, NORMALISED),
  ];
  const key = keyFields(set);
  return {
    question: question.made,
    made: element("form", { class: "settings", onsubmit: (event) => event.preventDefault() },
      fields.map(({ made }) => made), key.made),
    show: (state) => [question, ...fields, key].forEach(({ show }) => show(state)),
    refuse,
  };

  // Say at its field what is wrong, with the name that the field has on the page; null: nothing is wrong. Returns
  // whether there is such a field.
  function refuse(error) {
    for (const { made } of fields) {
      made.querySelector(".error")?.remove();
      made.querySelector("[aria-invalid]")?.removeAttribute("aria-invalid");
    }
    const input = error && fields.map(({ made }) => made.querySelector(`[id="${error.argument}"]`)).find(Boolean);
    if (!input) return false;
    const place = input.closest(".setting"), name = place.querySelector("label").textContent;
    input.setAttribute("aria-invalid", "true");
    place.append(errorBox({ ...error, message: error.message.replace(`${error.argument}:`, `${name}:`) }));
    return true;
  }
}

// For two heads, each looks for one of the wanted keys; for one, the query points between them.
function heads({ keys, queries, mix }, count) {
  const given = points(queries);
  if (given.length === count) return queries;
  if (count === 1) return written([given[0].map((each, axis) => each + given[1][axis])]);
  const aims = Object.keys(wanted(mix)).map((key) => points(keys)[key]).filter(Boolean);
  return written([aims[0] ?? given[0], aims[1] ?? given[0]]);
}

const field = (name, label, made, definition) => element("div", { class: "setting" },
  element("label", { for: name }, label), defined(definition), element("div", { class: "both" }, made));

// Change what a field says, if it differs, and unless the user is typing in it.
function fill(made, value) {
  const typing = made.localName === "input" && made === document.activeElement;
  if (!typing && made.value !== String(value)) made.value = String(value);
}

// A slider on a logarithmic scale (a quadratic one if it begins at 0), and the number itself.
function slider(name, label, low, high, set, definition) {
  const toPlace = (value) => (low ? Math.log(value / low) / Math.log(high / low) : Math.sqrt(value / high)) * 1000;
  const valueAt = (part) => (low ? low * (high / low) ** part : high * part ** 2);
  const toValue = (place) => Number(valueAt(place / 1000).toPrecision(3));
  const put = (value, ends) => Number.isFinite(value) && set({ [name]: value }, ends);
  let moving = false;
  const move = () => { moving = true; put(toValue(Number(bar.value)), false); };
  const end = () => { if (moving) { moving = false; put(toValue(Number(bar.value)), true); } };
  const bar = element("input", { type: "range", min: 0, max: 1000, step: 1, "aria-label": `${label}, slider`,
    oninput: move, onchange: end, onpointerup: end }); // moved to and fro, it has not changed for the browser
  const exact = element("input", { id: name, type: "number", step: "any",
    onchange: () => put(exact.valueAsNumber, true) });
  return { made: field(name, label, [bar, exact], definition), show: (state) => {
    fill(bar, Math.round(toPlace(Math.min(high, Math.max(low, state[name])))));
    fill(exact, state[name]);
  } };
}

function text(name, label, placeholder, set) {
  const made = element("input", { id: name, autocomplete: "off", spellcheck: "false", placeholder,
    onchange: () => set({ [name]: made.value.replaceAll(" ", "") }, true) });
  return { made: field(name, label, made), show: (state) => fill(made, state[name]) };
}

function check(name, label, set, definition) {
  const made = element("input", { id: name, type: "checkbox", onchange: () => set({ [name]: made.checked }, true) });
  const named = element("span", {}, element("label", { for: name }, label), defined(definition));
  return { made: element("div", { class: "setting tick" }, made, named),
    show: (state) => (made.checked = state[name]) };
}

function choice(name, label, options, { value, changed }) {
  const made = element("select", { id: name, onchange: () => changed(made.value) },
    options.map(([each, title]) => element("option", { value: each }, title)));
  return { made: field(name, label, made), show: (state) => fill(made, value(state)) };
}

// The place of the chosen key; adding a key, and removing this one.
function keyFields(set) {
  const put = (place, number) => Number.isFinite(number)
    && set(null, true, (state) => ({ keys: changed(state, (rows) => (rows[state.key][place] = number)) }));
  const at = [0, 1].map((place) => element("input", { type: "number", step: "any",
    onchange: (event) => put(place, event.target.valueAsNumber) }));
  const add = element("button", { type: "button", onclick: () => set(null, true, (state) => ({
    keys: changed(state, (rows) => rows.push([0.5, 0.5])), key: points(state.keys).length })) }, "Add a key");
  const remove = element("button", { type: "button", onclick: () => set(null, true, removed) }, "Remove this key");
  const title = element("legend");
  return {
    made: element("fieldset", { class: "setting" }, title, element("div", { class: "both" }, at, add, remove)),
    show: (state) => {
      const rows = readPoints(state.keys), here = rows[state.key] ?? [0, 0];
      tell(title, `Key ${state.key}: its place`);
      at.forEach((each, place) => {
        fill(each, here[place]);
        const name = `${"xy"[place]} of key ${state.key}`;
        if (each.ariaLabel !== name) each.ariaLabel = name;
      });
      add.disabled = rows.length >= MOST_KEYS;
      remove.disabled = rows.length < 2 || state.key in wanted(state.mix);
    },
  };
}

function changed({ keys }, change) {
  const rows = points(keys);
  change(rows);
  return written(rows);
}

// The keys after the removed one get the number before theirs, also in the wanted weights.
function removed(state) {
  const down = (key) => (key > state.key ? key - 1 : key);
  const mix = Object.entries(wanted(state.mix)).map(([key, weight]) => `${down(Number(key))}=${weight}`).join(",");
  const kept = state.noisy.split(",").filter((key) => key && Number(key) !== state.key);
  const noisy = kept.map((key) => down(Number(key)));
  const none = state.noisy && !noisy.length; // else no name would mean all keys
  return { keys: changed(state, (rows) => rows.splice(state.key, 1)), mix, noisy: noisy.join(","), key: 0,
    norm_variance: none ? 0 : state.norm_variance };
}
