// The answers of a class: a CSV file is graded in a job, and comes back with verdicts.

import { get, post } from "../../api.js";
import { copyButtons } from "../../components/copy.js";
import { downloads } from "../../components/downloads.js";
import { element } from "../../components/element.js";
import { errorBox } from "../../components/error.js";
import { formulas } from "../../components/formulas.js";
import { jobProgress } from "../../components/job.js";
import { loading } from "../../components/loading.js";
import { table } from "../../components/table.js";
import { change } from "../../state.js";
import { ownOf } from "./own.js";
import { SYMBOLS } from "./verdict.js";

const MOST = 900_000; // bytes; a request has at most a million
const EXAMPLE = "student,problem,answer\nAda,extract,M = A A^T\nBob,extract,M = A^T";
const LIMITS = "The file is UTF-8 text of at most 900 kB, about 10,000 answers. It needs the columns student, problem "
  + "and answer; others may stand beside them. The studio keeps the file and the graded one in runs/classes.";
const VERDICTS = ["holds", "holds if", "fails", "undecided", "unreadable"];
const ROWS = ["Student", "Problem", "Answer", "Verdict", "Why", "Correction"].map((name) => ({ name }));

export function classTab(signal) {
  const said = element("div"), shown = element("div", { class: "graded" });
  const file = element("input", {
    id: "file", type: "file", accept: ".csv,text/csv", class: "unseen",
    onchange: () => file.files[0] && send(file.files[0]),
  });
  const withOwn = element("input", { id: "with-own", type: "checkbox" }), named = element("code");
  const drop = element("label", { for: "file", class: "drop", ondragover, ondragleave: () => mark(false), ondrop },
    element("strong", {}, "Drop a CSV file here, or choose one."), element("pre", {}, EXAMPLE));
  const made = element("div", {}, element("p", {}, "Grade the answers of a class: each row gets a verdict, the reason "
    + "and a correction."), element("p", { class: "faint" }, LIMITS), file, drop,
  element("p", {}, element("label", { for: "with-own", class: "check" }, withOwn,
    " Rows may also name the problem in the tab A problem of your own: ", named)), said, shown);
  let last = null, parameters = new URLSearchParams(), looking = new AbortController();
  signal.addEventListener("abort", () => looking.abort());

  const mark = (over) => drop.classList.toggle("over", over);

  function ondragover(event) {
    event.preventDefault();
    mark(true);
  }

  function ondrop(event) {
    event.preventDefault();
    mark(false);
    if (event.dataTransfer.files[0]) send(event.dataTransfer.files[0]);
  }

  async function send(chosen) {
    said.replaceChildren();
    try {
      const text = await content(chosen);
      const own = withOwn.checked ? ownOf(parameters) : null;
      const { id } = await post("answers/class", { name: chosen.name, text, own }, signal);
      change({ job: id });
    } catch (error) {
      said.replaceChildren(errorBox(error));
    }
    file.value = "";
  }

  async function show(now) {
    parameters = now;
    named.textContent = ownOf(now).name;
    const id = now.get("job") ?? "";
    if (id === last) return;
    last = id;
    looking.abort();
    looking = new AbortController();
    said.replaceChildren();
    shown.replaceChildren();
    if (id) await look(id, looking.signal);
  }

  async function look(id, here) {
    const ended = ({ state }) => state === "done" && look(id, here);
    shown.replaceChildren(loading(8, "Loading the grades"));
    try {
      const job = await get(`jobs/${encodeURIComponent(id)}`, here);
      if (job.state === "done") shown.replaceChildren(...graded(id, await get(`jobs/${id}/result`, here)));
      else shown.replaceChildren(jobProgress(id, "Grading the class", ended, here));
    } catch (error) {
      if (error.name !== "AbortError") shown.replaceChildren(errorBox(error));
    }
  }

  return { made, show };
}

const count = (number) => number.toLocaleString("en");

async function content(file) {
  const wrong = (message) => Object.assign(new Error(`${file.name}: ${message}`), { status: 400 });
  if (file.size > MOST) throw wrong(`expected at most ${count(MOST)} bytes, got ${count(file.size)}`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw wrong("expected UTF-8 text; save it as CSV UTF-8");
  }
}

function graded(id, { grades, command, python, downloads: endings }) {
  if (!grades) return [errorBox({ message: `job: ${id} graded no class`, status: 400 })];
  const { answers, rows, counts, common_mistakes: mistakes, warnings } = grades;
  const given = VERDICTS.filter((verdict) => Object.values(counts).some((each) => each[verdict]));
  const numbers = (each) => given.map((name) => count(each[name] ?? 0));
  const summary = Object.entries(counts).map(([problem, each]) => [problem, ...numbers(each)]);
  return [
    element("h2", {}, answers === 1 ? "1 answer" : `${count(answers)} answers`),
    element("div", { class: "actions" },
      element("a", { href: `api/answers/class/${id}`, download: true, class: "main" }, "Download the graded file"),
      copyButtons({ command, python }), downloads(id, endings, "A summary with a chart.")),
    warnings.map((warning) => element("p", { class: "error" }, warning)),
    table([{ name: "Problem" }, ...given.map((name) => ({ name, number: true }))], summary, "Verdicts by problem"),
    mistakes.length > 0 && element("div", {}, element("h3", {}, "The most common wrong answers"),
      element("ul", {}, mistakes.map((each) => element("li", {}, `${each.count} × ${each.problem}: ${each.answer}`)))),
    element("h3", {}, rows.length < answers ? `The first ${rows.length} rows` : "The rows"),
    table(ROWS, rows.map(row), "Graded answers"),
  ].flat().filter(Boolean);
}

function row({ student, problem, answer, verdict, reason, suggestion }) {
  const word = VERDICTS.findLast((each) => verdict.startsWith(each)) ?? "";
  const kind = element("span", { class: word.replace(" ", "-") },
    element("b", { "aria-hidden": "true" }, SYMBOLS[word] ?? ""), ` ${verdict}`);
  return [student, problem, answer, kind, formulas(reason), formulas(suggestion)];
}
