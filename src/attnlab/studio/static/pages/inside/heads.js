// What the heads attend to: a small map of each, a large one, and arcs over the text. heads_map.js draws all of it, on
// the elements that this file makes.

import { post } from "../../api.js";
import { copyButtons } from "../../components/copy.js";
import { element } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { files } from "../../components/files.js";
import { loading } from "../../components/loading.js";
import { number } from "../../components/number.js";
import { change } from "../../state.js";
import { latest } from "./latest.js";

const FILES = [".html", ".csv", ".svg", ".png"];
const MAP = "The map of the head: rows are queries, columns are keys. The arrow keys move the query and the key.";
const WEIGHTS = [0.01, 0.1, 0.5, 1];
const WEIGHT = "The share of the key in what the head reads for this query.";
const LOGIT = "How well the key fits the query, before softmax: 1 more makes the weight e ≈ 2.7 times as large beside "
  + "the other weights.";
const RELATIVE = "relative"; // each row to its largest weight

export function view(signal) {
  const made = element("div", { class: "view" });
  const ask = latest(made, signal, () => loading(16, "Looking at the text with every head"));
  let wanted = {};
  return { made, show };

  // The head, the query and the shading of the map are in the address.
  async function show({ model, text, head = "", query = "", shading = "" }) {
    wanted = { head, query: Number(query || NaN), relative: shading === RELATIVE };
    await ask({ model, text }, (body, stop) => post("inside/look", body, stop), shown);
    if (!made.querySelector(".heads [aria-pressed='true']")) return; // not drawn yet
    const [first, ...others] = made.querySelectorAll(".heads button"); // the back button may name another head
    const button = others.find((each) => each.dataset.head === head) ?? first;
    if (button.getAttribute("aria-pressed") === "false") button.click();
  }

  function shown(found, body, stop) {
    const again = element("div", { class: "actions" });
    const kept = new Map();
    const head = async (name) => {
      if (!kept.has(name)) kept.set(name, await post("inside/head", { ...body, head: name }, stop));
      return kept.get(name).weights;
    };
    let told = "";
    const said = (name, query, relative) => {
      if (name !== told) again.replaceChildren(copyButtons(kept.get(told = name)),
        files("inside/save", () => ({ ...body, head: name }), FILES));
      if (name !== (wanted.head || found.heads[0])) change({ head: name });
      const [place, shading] = [query === found.query ? "" : query, relative ? RELATIVE : ""];
      change({ query: place, shading }, { step: false });
    };
    setTimeout(async () => { // once the elements are on the page
      const start = found.heads.includes(wanted.head) ? wanted.head : found.heads[0];
      const query = wanted.query in found.tokens ? wanted.query : found.query;
      try {
        const { showHeads } = await import("../../api/heads_map.js");
        await showHeads({ ...found, query }, { small: found.small, head }, { start, signal: stop, said });
      } catch (error) {
        if (error.name !== "AbortError") made.prepend(errorBox(error));
      }
    });
    return [...elements(found, wanted.relative), again];
  }
}

function elements({ heads, places, side, tokens, notes }, relative) {
  const grid = element("div", { class: "heads", role: "group", "aria-label": "Heads" }, heads.map((name) => {
    const [layer, place] = name.split(".").map(Number);
    const button = element("button", { type: "button", "data-head": name, "aria-pressed": "false" },
      element("canvas", { width: side, height: side, "aria-hidden": "true" }), element("span", {}, name));
    Object.assign(button.style, { gridRow: layer + 1, gridColumn: place + 1 });
    return button;
  }));
  grid.style.setProperty("--columns", places);
  return [
    element("p", {}, `${heads.length === 1 ? "1 head" : `${heads.length} heads`} on ${tokens.length} tokens. `
      + "A head gives every token (the query) weights on the tokens up to it (the keys); they add up to at most 1. "
      + "A row for each layer; the arrow keys go from head to head.", ...notes.map((each) => ` ${each}`)),
    grid, ...oneHead(relative), element("div", { id: "details", role: "status", hidden: true }),
  ];
}

function oneHead(relative) {
  const columns = ["Key", "Token", "Weight", "Logit"].map((name) => element("th", { scope: "col" }, name));
  return [
    element("h2", { id: "chosen", "aria-live": "polite" }),
    element("div", { class: "panels" },
      element("figure", {},
        element("div", { class: "map" },
          element("canvas", { id: "map", tabindex: "0", role: "img", "aria-label": MAP }),
          element("i", { id: "row" }), element("i", { id: "column" })),
        element("figcaption", {}, "Rows are queries, columns are keys. The arrow keys move both.",
          element("span", { class: "legend" }, "Weight", WEIGHTS.map((weight) =>
            element("span", {}, element("i", { "data-weight": weight }), weight))),
          element("label", {}, element("input", { type: "checkbox", id: "by-row", checked: relative }),
            " Shade each row relative to its largest weight"))),
      element("div", { class: "keys" }, element("h3", { id: "from" }),
        element("table", {}, element("thead", {}, element("tr", {}, columns)), element("tbody", { id: "strongest" })),
        element("p", { class: "faint", id: "rest" }),
        element("p", { class: "faint" }, number({ value: "Weight", definition: WEIGHT }), " ",
          number({ value: "Logit", definition: LOGIT })))),
    element("p", { class: "faint" }, "Arcs go from the query back to its keys: the stronger the colour, the more "
      + "weight. Point at a token, or move with the left and right arrow keys, to make it the query."),
    element("div", { class: "strip", id: "strip", tabindex: "0", role: "group",
      "aria-label": "The text; the left and right arrow keys move the query." },
    element("canvas", { id: "arcs", "aria-hidden": "true" }), element("div", { class: "tokens", id: "tokens" })),
  ];
}
