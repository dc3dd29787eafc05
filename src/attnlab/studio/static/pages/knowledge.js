// Knowledge: the people of a world, questions to a model that has read about them, and the threshold of its answers.
// Parameters: run, question, precision, words (a filter of the people).

import { get, post } from "../api.js";
import { copyButtons } from "../components/copy.js";
import { fileLinks } from "../components/downloads.js";
import { element, say } from "../components/element.js";
import { errorBox } from "../components/error.js";
import { jobProgress } from "../components/job.js";
import { loading } from "../components/loading.js";
import { table } from "../components/table.js";
import { address, change, read, settle } from "../state.js";
import { reply } from "./knowledge/reply.js";
import { thresholds } from "./knowledge/thresholds.js";

const INTRODUCTION = "A model has read lines about people, and learnt to answer questions about some of them. What "
  + "does it know of the others, and what does it make up about strangers, whom no line mentions?";
const PARTS = "trained on: the answer was taught; kept out: used to pick the threshold; held out: only the evaluation "
  + "asks about them.";
const MOST = 100; // people who are listed

export async function open(place, signal) {
  const body = element("div", {}, loading(12, "Loading the models"));
  place.append(element("h1", {}, "Knowledge"), element("p", {}, INTRODUCTION), body);
  let view = null;
  await refresh();
  return (parameters) => view?.(parameters);

  async function refresh() {
    const found = await get("knowledge", signal);
    const maker = makeButton(found.running, async () => { await refresh(); view?.(read().parameters); }, signal);
    view = found.runs.length ? build(body, found.runs, maker, signal) : null;
    if (!view) body.replaceChildren(element("p", {}, "There is no finetuned model in this folder yet."), maker);
  }
}

// A button that makes a small model, and the progress of that job. `done()` is called at its end.
function makeButton(running, done, signal) {
  const button = element("button", { type: "button", onclick: start }, "Make a small one");
  const told = element("span", { class: "faint" }, "pretrained and finetuned on a generated world; a minute or two");
  const progress = element("div");
  if (running) follow(running);
  return element("div", {}, element("div", { class: "line" }, button, told), progress);

  async function start() {
    button.disabled = true;
    try {
      follow((await post("knowledge/make", {}, signal)).id);
    } catch (error) {
      button.disabled = false;
      progress.replaceChildren(errorBox(error));
    }
  }

  function follow(id) {
    button.disabled = true;
    progress.replaceChildren(jobProgress(id, "Making a model", ({ state }) => {
      button.disabled = false;
      if (state !== "done") return;
      change({ run: "", question: "" }, { step: false });
      done();
    }, signal));
  }
}

function build(place, runs, maker, signal) {
  const chooser = element("select", { id: "run", onchange: () => change({ run: chooser.value, question: "" }) },
    runs.map((run) => element("option", { value: run }, run)));
  const question = element("input", { id: "question", maxlength: 1000, autocomplete: "off", required: true });
  const form = element("form", { class: "line", onsubmit },
    element("label", { for: "question" }, "Question"), question, element("button", {}, "Ask"));
  const answered = element("div", { class: "reply" }, loading(5, "Asking"));
  const moved = element("section", { class: "moved", "aria-labelledby": "threshold" });
  const words = element("input", { id: "words", autocomplete: "off",
    oninput: () => change({ words: words.value }, { step: false }) });
  const people = element("div", { class: "people" }, loading(8, "Loading the people"));
  place.replaceChildren(
    element("p", { class: "line" }, element("label", { for: "run" }, "Model"), chooser), maker,
    element("h2", {}, "Ask"), form, answered, moved,
    element("h2", {}, "People"), element("p", { class: "faint" }, PARTS),
    element("p", { class: "line" }, element("label", { for: "words" }, "Find"), words), people);
  let world = null, of = "", asking = new AbortController(), move = null, asked = "";
  signal.addEventListener("abort", () => asking.abort());

  function onsubmit(event) {
    event.preventDefault();
    change({ question: question.value });
  }

  return async (parameters) => {
    const run = parameters.get("run") || runs[0];
    if (!runs.includes(run)) chooser.append(element("option", { value: runs[runs.push(run) - 1] }, run));
    chooser.value = run;
    settle({ run });
    try {
      if (of !== run) {
        of = run;
        world = await get(`knowledge/people?${new URLSearchParams({ run })}`, signal);
        move = await thresholds(moved, run, world.precision, signal);
      }
    } catch (error) {
      of = "";
      if (error.name !== "AbortError") answered.replaceChildren(errorBox(error));
      return;
    }
    const precision = Number(parameters.get("precision") ?? world.precision);
    move(precision);
    words.value = parameters.get("words") ?? "";
    people.replaceChildren(...listed(world, words.value));
    await ask({ run, question: parameters.get("question") || world.example, precision });
  };

  async function ask(now) {
    if (JSON.stringify(now) === asked) return;
    question.value = now.question;
    asking.abort();
    asking = new AbortController();
    try {
      const found = await post("knowledge/ask", now, asking.signal);
      asked = JSON.stringify(now);
      answered.replaceChildren(...reply(found, now));
      const [{ answer }] = found.record.replies;
      say(answer == null ? "The model says that it does not know" : `The model answers ${answer}`);
    } catch (error) {
      if (error.name !== "AbortError") answered.replaceChildren(errorBox(error));
    }
  }
}

// The people whose rows contain the words, and questions about strangers. Each question is a link that asks it.
function listed({ record, strangers, command, python, downloads }, words) {
  const rows = [
    ...record.people.flatMap(({ name, part, questions }) =>
      questions.map(([question, answer]) => [name, question, answer, part])),
    ...strangers.map((question, place) => [record.strangers[place], question, "–", "stranger"]),
  ].filter((row) => row.join(" ").toLowerCase().includes(words.toLowerCase()));
  const columns = ["Name", "Question", "True answer", "Used for"].map((name) => ({ name }));
  const shown = rows.slice(0, MOST).map(([name, question, ...rest]) => [name, link(question), ...rest]);
  return [
    element("p", { class: "faint" }, `Questions: ${rows.length}`,
      rows.length > MOST && `; the first ${MOST} are shown`),
    table(columns, shown, "People"),
    element("div", { class: "actions" }, copyButtons({ command, python }),
      fileLinks((ending) => `api/knowledge/people${ending}?${new URLSearchParams({ run: record.run })}`, downloads)),
  ];
}

function link(question) {
  const onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab
    event.preventDefault();
    change({ question });
    document.getElementById("question").focus();
  };
  return element("a", { href: address("knowledge", { question }), onclick }, question);
}
