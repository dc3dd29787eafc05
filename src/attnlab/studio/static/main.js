// The router. A page is a module in pages/ with `open(place, signal)`: it builds the page and returns a function that
// shows a state, given as URLSearchParams. `signal` is aborted when the user goes to another page.
// To add a page, add a line to pages.js, and its module.

import { address, onChange, read } from "./state.js";
import { element } from "./components/element.js";
import { errorBox } from "./components/error.js";
import { PAGES } from "./pages.js";

const main = document.getElementById("main");
let page = null, show = null, leaving = new AbortController();

async function follow() {
  const now = read();
  const name = now.page in PAGES ? now.page : "home";
  if (name !== page) await enter(name);
  if (name === page && show) await attempt(() => show(read().parameters));
}

async function enter(name) {
  leaving.abort();
  leaving = new AbortController();
  const arrived = page !== null;
  page = name;
  show = null;
  document.title = `${PAGES[name].title} – attnlab studio`;
  for (const link of document.querySelectorAll("#pages a")) {
    link.toggleAttribute("aria-current", false);
    if (link.dataset.page === name) link.setAttribute("aria-current", "page");
  }
  const place = element("div", { class: `page ${name}` });
  main.replaceChildren(place);
  if (arrived) main.focus();
  const { signal } = leaving;
  await attempt(async () => {
    const module = await import(`./pages/${name}.js`);
    if (!signal.aborted) show = await module.open(place, signal);
  });
}

async function attempt(action) {
  try {
    await action();
  } catch (error) {
    if (error.name !== "AbortError") main.firstChild.prepend(errorBox(error));
  }
}

document.getElementById("pages").append(
  ...Object.entries(PAGES).map(([name, { title }]) => element("a", { href: address(name), "data-page": name }, title)),
);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address holds the state
  main.focus();
});
if (location.search) history.replaceState(null, "", location.pathname + location.hash); // the token is in the cookie
onChange(follow);
follow();
