// The numbers: the error, the method, the quantiles of one weight, and the weights of the keys.

import { element, tell } from "../../components/element.js";
import { number, scientific } from "../../components/number.js";
import { table } from "../../components/table.js";

export const BOUND = "The true value is at most this far away. The quadrature estimates this bound; for draws it "
  + "is four standard errors and a little more.";
export const ERROR = "E‖c − c*‖²: the mean squared distance of the output from the wanted mix, over the noise, with "
  + "orthonormal values. The ± is a bound.";
const WANTED = "The share of the output that the value of this key should have.";
const MEAN = "The weight of the key, averaged over the noise.";
const DEVIATION = "How far the weight varies with the noise.";
const QUANTILES = "The noise leaves the weight below its 5 % quantile in 5 of 100 draws, and below its median in half "
  + "of them.";
const COLUMNS = [
  { name: "Key" }, { name: "Wanted weight", number: true, definition: WANTED },
  { name: "Mean weight", number: true, definition: MEAN }, { name: "± (bound)", number: true, definition: BOUND },
  { name: "Standard deviation", number: true, definition: DEVIATION },
];
const MOST = 12;
const PACE = 200; // milliseconds between two changes of the table while the hand moves: nobody reads faster

export function results() {
  const error = element("span", { class: "error-value" }), method = element("p", { class: "faint" });
  const inQuantiles = element("span"), weights = element("div", { class: "weights" });
  let changed = 0;
  const rows = listed(weights), shown = number({ value: error, definition: ERROR });
  return {
    error: element("div", {}, element("p", { class: "big" }, "Error ", shown), method),
    quantiles: element("p", { class: "quantiles" }, number({ value: inQuantiles, definition: QUANTILES })), weights,
    said: () => [`Error ${error.textContent}`, method.textContent, inQuantiles.textContent],
    // `moving`: whether the hand still moves.
    show: (record, moving) => {
      tell(error, `${small(record.error)} ± ${scientific(record.error_bound)}`);
      tell(method, inWords(record));
      tell(inQuantiles, told(record));
      if (moving && performance.now() < changed + PACE) return;
      changed = performance.now();
      rows(record);
    },
  };
}

const small = (value) => (value < 1e-4 && value > 0 ? scientific(value, 2) : value.toFixed(4));

function inWords({ method, directions, points }) {
  const noise = `${directions} direction${directions > 1 ? "s" : ""} of noise`;
  if (method !== "exact") return `From ${points.toLocaleString("en")} draws, because there are ${noise}.`;
  return directions ? `Exact: quadrature over ${noise}.` : "Exact: no noise moves a weight.";
}

function told({ law, key, weights }) {
  const mean = weights[key].mean.toFixed(4);
  if (!law) return `The weight of key ${key} is ${mean}.`;
  const each = law.quantiles.map(({ probability, low, high }) =>
    `${probability === 0.5 ? "median" : `${100 * probability}\u00a0% quantile`} ${small((low + high) / 2)}\u00a0±\u00a0`
    + scientific((high - low) / 2));
  return `The weight of key ${key}: mean ${mean}; ${each.join("; ")}.`;
}

// The table of the largest weights. It is made again only if the number of keys changes.
function listed(place) {
  let count = 0, cells = [];

  function build() {
    cells = Array.from({ length: Math.min(count, MOST) }, () => COLUMNS.map(() => element("span")));
    place.replaceChildren(element("h2", {}, "The weights of the keys"), table(COLUMNS, cells, "The weights"));
    if (count > MOST) place.append(element("p", { class: "faint" }, `The ${MOST} largest of ${count} keys.`));
  }

  return ({ weights }) => {
    if (weights.length !== count) {
      count = weights.length;
      build();
    }
    const largest = weights.map((each, key) => ({ key, ...each, size: Math.max(each.wanted, each.mean) }))
      .sort((one, other) => other.size - one.size || one.key - other.key).slice(0, MOST);
    largest.sort((one, other) => one.key - other.key).forEach(({ key, wanted, mean, mean_bound: bound, sd }, row) => {
      const told = [`key ${key}`, wanted.toFixed(3), mean.toFixed(4), scientific(bound), sd.toFixed(4)];
      told.forEach((text, column) => tell(cells[row][column], text));
    });
  };
}
