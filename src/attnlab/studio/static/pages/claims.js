// Claims: the ledger with filters, five claims to start with, and one claim with its evidence.
// Parameters: tab, bench, family, verdict, words (filters); open, seed (one claim).

import { get, post } from "../api.js";
import { copyButtons } from "../components/copy.js";
import { fileLinks } from "../components/downloads.js";
import { element } from "../components/element.js";
import { errorBox } from "../components/error.js";
import { formulas } from "../components/formulas.js";
import { jobProgress } from "../components/job.js";
import { loading } from "../components/loading.js";
import { defined } from "../components/number.js";
import { tabs } from "../components/tabs.js";
import { address, change } from "../state.js";
import { openClaim } from "./claim.js";

const SYMBOLS = { holds: "✓", fails: "✗", "holds if": "◐", "": "·" };
const VERDICTS = { holds: "holds", fails: "fails", "holds if": "holds under a condition", none: "not run yet" };

const FILTERS = ["bench", "family", "verdict", "words"];

const INTRODUCTION = "Statements about attention and small language models. An experiment tests each of them, and you "
  + "can run it again with a seed of your own. A to E are five write-ups that answer the same course’s questions; the "
  + "lab adds its own statements.";

const MEANING = "holds: the evidence agrees with the statement beyond its uncertainty. fails: the evidence speaks "
  + "against it. holds under a condition: it is true where the condition is met, which the claim’s own page names.";

export async function open(place, signal) {
  const list = element("div"), one = element("div");
  place.append(list, one);
  let ledger = null, page = null, looking = new AbortController();
  signal.addEventListener("abort", () => looking.abort());

  async function show(parameters) {
    looking.abort();
    looking = new AbortController();
    const id = parameters.get("open");
    list.hidden = Boolean(id);
    one.hidden = !id;
    if (id) return openClaim(one, id, Number(parameters.get("seed") ?? 0), looking.signal, () => (ledger = null));
    if (!ledger) {
      list.replaceChildren(element("h1", {}, "Claims"), loading(14, "Loading the claims"));
      ledger = await get("claims", signal);
      page = build(list, ledger, signal, () => { ledger = null; show(parameters); });
    }
    page(parameters);
  }
  return show;
}

// The list of claims; returns a function that applies the filters.
function build(place, ledger, signal, refresh) {
  const bench = select("bench", "Bench", [["", "all benches"], ...ledger.benches.map((name) => [name, name])]);
  const families = ledger.families.map(({ name, title }) => [name, title]);
  const family = select("family", "Family", [["", "all families"], ...families]);
  const verdict = select("verdict", "Verdict", [["", "all verdicts"], ...Object.entries(VERDICTS)]);
  const oninput = () => change({ words: words.value }, { step: false });
  const words = element("input", { id: "words", type: "search", placeholder: "words of the statement", oninput });
  const counted = element("p", { class: "faint", role: "status" });
  const shown = element("div"), progress = element("div");
  const run = element("button", { type: "button", onclick: () => start() }, "Run these claims");
  const filters = element("div", { class: "line" }, bench.made, family.made, verdict.made,
    element("span", { class: "field" }, element("label", { for: "words" }, "Words"), words));
  const all = element("div", {}, filters, element("div", { class: "line" }, counted, run), progress, shown);
  const picked = tabs("Claims", [
    { name: "first", title: "Start with these five", content: first(ledger) },
    { name: "all", title: "All claims", content: all },
  ], (tab) => change({ tab: tab === "first" ? "" : tab }));
  const actions = element("div", { class: "actions" });
  place.replaceChildren(element("h1", {}, "Claims"), element("p", {}, INTRODUCTION),
    element("p", { class: "faint" }, "What a verdict means", defined(MEANING)), picked.made, actions);
  let chosen = [];

  async function start() {
    progress.replaceChildren();
    try {
      const job = await post("claims/run", { ids: chosen.map(({ id }) => id) }, signal);
      const ended = ({ state }) => state === "done" && refresh();
      progress.replaceChildren(jobProgress(job.id, `Running ${chosen.length} claims`, ended, signal));
    } catch (error) {
      progress.replaceChildren(errorBox(error));
    }
  }

  return (parameters) => {
    const asked = Object.fromEntries(FILTERS.map((name) => [name, parameters.get(name) ?? ""]));
    bench.chooser.value = asked.bench;
    family.chooser.value = asked.family;
    verdict.chooser.value = asked.verdict;
    if (words.value !== asked.words) words.value = asked.words;
    const tab = parameters.get("tab") ?? (Object.values(asked).some(Boolean) ? "all" : "first");
    picked.show(tab);
    chosen = ledger.claims.filter((claim) => fits(claim, asked));
    counted.textContent = `${chosen.length} of ${ledger.claims.length} claims`;
    run.disabled = !chosen.length;
    const listed = tab === "first" ? ledger.first : chosen;
    actions.replaceChildren(...(listed.length ? again(ledger, listed) : []));
    const of = ({ name }) => chosen.filter((claim) => claim.family === name);
    shown.replaceChildren(...ledger.families.flatMap((each) => section(each, of(each))));
  };
}

// The command, the Python and the files that list these claims again. A family that is here as a whole is named once.
function again(ledger, listed) {
  const here = new Set(listed.map(({ id }) => id));
  const names = here.size === ledger.claims.length ? [] : ledger.families.flatMap(({ name }) => {
    const own = ledger.claims.filter(({ family }) => family === name), some = own.filter(({ id }) => here.has(id));
    return some.length && some.length === own.length ? [name] : some.map(({ id }) => id);
  });
  const command = [ledger.command, ...names].join(" ");
  const python = ledger.python.replace("()", `(${names.map((name) => JSON.stringify(name)).join(", ")})`);
  const query = new URLSearchParams(names.map((name) => ["name", name]));
  return [copyButtons({ command, python }),
    fileLinks((ending) => `api/claims/list${ending}?${query}`, ledger.downloads)];
}

function fits(claim, { bench, family, verdict, words }) {
  const text = `${claim.id} ${formulas(claim.statement).textContent}`.toLowerCase();
  return (!bench || claim.bench === bench)
    && (!family || claim.family === family)
    && (!verdict || (claim.verdict || "none") === verdict)
    && text.includes(words.toLowerCase());
}

function select(name, label, options) {
  const chooser = element("select", { id: name, onchange: () => change({ [name]: chooser.value, tab: "all" }) },
    options.map(([value, title]) => element("option", { value }, title)));
  return { chooser, made: element("span", { class: "field" }, element("label", { for: name }, label), chooser) };
}

function first({ first, claims }) {
  const named = Object.fromEntries(claims.map((claim) => [claim.id, claim]));
  return element("ol", { class: "first" }, first.map(({ id, lesson }) =>
    element("li", {}, linkTo(id, lesson), element("p", { class: "faint" }, "The statement that was tested: ",
      formulas(named[id].statement), " ", verdictOf(named[id])))));
}

function linkTo(id, text) {
  const onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab
    event.preventDefault();
    change({ open: id }); // the filters stay
  };
  return element("a", { href: address("claims", { open: id }), onclick }, formulas(text));
}

function section({ title, question }, claims) {
  if (!claims.length) return [];
  const line = (claim) => element("li", {}, linkTo(claim.id, claim.statement), " ", verdictOf(claim),
    element("span", { class: "faint" }, ` (${claim.source}), said by ${claim.said_by}`));
  return [element("section", {},
    element("h2", {}, title),
    element("p", { class: "faint" }, formulas(question)),
    element("ul", { class: "plain claims" }, claims.map(line)))];
}

function verdictOf({ verdict }) {
  const kind = verdict.replace(" ", "-") || "none";
  return element("span", { class: `verdict ${kind}` },
    element("b", { "aria-hidden": "true" }, SYMBOLS[verdict]), ` ${VERDICTS[verdict] ?? VERDICTS.none}`);
}
