// The state of the page Attention, as it stands in the address and as the server takes it: keys and queries are
// "x,y;x,y", the wanted weights "0=0.5,1=0.5".

export const NUMBERS = ["scale", "norm_variance", "isotropic", "sink", "key"];
const USUAL = { scale: 1, norm_variance: 0, noisy: "", isotropic: 0, sink: 0, normalise: false, key: 0 };

export function fromAddress(parameters) {
  const state = { ...USUAL };
  for (const name of ["keys", "queries", "mix", "noisy"]) state[name] = parameters.get(name) ?? state[name] ?? "";
  for (const name of NUMBERS) if (parameters.has(name)) state[name] = Number(parameters.get(name));
  state.normalise = parameters.get("normalise") === "yes";
  return state;
}

// The parameters of the address; usual values are left out.
export function toAddress(state) {
  const told = { ...state, normalise: state.normalise ? "yes" : "" };
  for (const [name, usual] of Object.entries(USUAL)) if (told[name] === usual) told[name] = "";
  return told;
}

export const filled = (state) => ({ ...USUAL, ...state });

// The points of "x,y;x,y", for drawing: what is no number is 0 here, and the server says what is wrong.
export const points = (text) =>
  text.split(";").map((row) => row.split(",").map(Number)).map(([x, y]) => [x || 0, y || 0]);

// The same, kept from the last call: to read, not to change. A drawing asks for the keys several times.
export const readPoints = ((last = "", rows = []) => (text) => {
  if (text !== last) [last, rows] = [text, points(text)];
  return rows;
})();

export const written = (rows) => rows.map((row) => row.map((number) => String(+number.toFixed(3))).join(",")).join(";");

// The wanted weights by key.
export const wanted = (mix) => Object.fromEntries(mix.split(",").map((pair) => pair.split("=").map(Number)));

// The numbers of the noisy keys: all of them if none is named.
export const noisyKeys = ({ noisy }, count) =>
  noisy ? noisy.split(",").map(Number) : [...Array(count).keys()];
