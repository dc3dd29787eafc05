// The questions of the coursework, in the plane. Its key a is key 0, and b is key 1.

import { filled } from "./state.js";

const FOUR = "1,0;0,1;-1,0;0,-1";
const HALVES = "0=0.5,1=0.5";

export const PRESETS = [
  { name: "copy", title: "Copy one value",
    says: "The query points to key 0, and C is large: nearly all weight is on key 0.",
    state: { keys: FOUR, queries: "1,0", mix: "0=1", scale: 7 } },
  { name: "trapped", title: "Copy a key that cannot be copied",
    says: "Key 0 lies in the convex hull of the others. No query gives it much weight: press “Can it be done?”.",
    state: { keys: "0.2,0.1;1,0;-0.6,0.9;-0.4,-0.9", queries: "1,1", mix: "0=1", scale: 3 } },
  { name: "average", title: "Average two values",
    says: "The query points between keys 0 and 1: both get half of the weight.",
    state: { keys: FOUR, queries: "1,1", mix: HALVES, scale: 7 } },
  { name: "isotropic", title: "Average, with a little noise in every key",
    says: "C must be large, but not too large: the noise in the logits grows with C.",
    state: { keys: FOUR, queries: "1,1", mix: HALVES, scale: 7, isotropic: 0.01 } },
  { name: "lengths", title: "Average, when a length is noisy",
    says: "On average key 0 has half of the weight. But in most draws it has nearly all or none.",
    state: { keys: FOUR, queries: "1,1", mix: HALVES, scale: 7, norm_variance: 0.5, noisy: "0" } },
  { name: "heads", title: "Two heads",
    says: "One head asks for key 0, the other for key 1. Their outputs are averaged.",
    state: { keys: FOUR, queries: "1,0;0,1", mix: HALVES, scale: 7 } },
  { name: "heads-lengths", title: "Two heads, when a length is noisy",
    says: "The noise disturbs only the head that asks for key 0, and mostly if that key turns round.",
    state: { keys: FOUR, queries: "1,0;0,1", mix: HALVES, scale: 7, norm_variance: 0.5, noisy: "0" } },
].map((each) => ({ ...each, state: filled(each.state) }));

// The other questions of the coursework ask for formulas: the page Answers checks them.
export const ON_ANSWERS = [
  { problem: "extract", title: "Take one value back out of a sum" },
  { problem: "self-attention", title: "Design Q, K and V" },
];

// The preset whose state this is; only the key that is chosen may be another. Else its sentence would not be true.
export const presetOf = (state) =>
  PRESETS.find((each) => Object.keys(state).every((name) => name === "key" || each.state[name] === state[name]));
