// The state of a page is in the address: #claims?family=copying&open=copying-mask. So it can be shared, and survives a
// reload; the back button takes the last step back.

export function read() {
  const [page, query = ""] = location.hash.slice(1).split("?", 2);
  return { page: page || "home", parameters: new URLSearchParams(query) };
}

// The address of a state; empty parameters are left out.
export function address(page, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== "" && value != null);
  const query = new URLSearchParams(given).toString();
  return `#${page}${query ? `?${query}` : ""}`;
}

// Change some parameters of this page. `step`: whether the back button comes back to here.
export function change(changes, { step = true } = {}) {
  const { page, parameters } = read();
  const next = address(page, { ...Object.fromEntries(parameters), ...changes });
  if (next === location.hash) return;
  history[step ? "pushState" : "replaceState"](null, "", next);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

// Write what the page itself chose into the address, where it names nothing. So a link shows the same tomorrow, when
// the page would choose something else.
export function settle(chosen) {
  const { page, parameters } = read();
  history.replaceState(null, "", address(page, { ...chosen, ...Object.fromEntries(parameters) }));
}

export function onChange(listener) {
  window.addEventListener("hashchange", listener);
}
