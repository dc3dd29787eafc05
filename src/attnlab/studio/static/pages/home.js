// Home: what one can do here, the runs in this folder, and opening another folder or a model.

import { get, post } from "../api.js";
import { BITS_PER_BYTE, STEPS, bits } from "../components/bits.js";
import { copyButtons } from "../components/copy.js";
import { fileLinks } from "../components/downloads.js";
import { element } from "../components/element.js";
import { errorBox } from "../components/error.js";
import { loading } from "../components/loading.js";
import { table } from "../components/table.js";
import { PAGES } from "../pages.js";
import { address, change } from "../state.js";

const COLUMNS = [
  { name: "Run" }, { name: "Text" }, { name: "Model" }, { name: "State" },
  { name: "Steps", number: true, definition: STEPS },
  { name: "Bits per byte", number: true, definition: BITS_PER_BYTE },
  { name: "Opens in" },
];
const WORDS = { runs: "folder with runs", run: "run", model: "model of Hugging Face" };

export async function open(place, signal) {
  const where = element("p", { class: "faint" }, "…");
  const runs = element("div", { class: "runs" }, loading(6, "Loading the runs"));
  const opened = element("ul", { class: "plain" });
  const path = element("input", {
    id: "path", autocomplete: "off", spellcheck: "false", placeholder: "FOLDER or hf:FOLDER", required: true,
  });
  const said = element("div");
  const form = element("form", { class: "line", onsubmit },
    element("label", { for: "path" }, "Folder or model"), path, element("button", {}, "Open"));
  place.append(
    element("h1", {}, "A laboratory for attention"),
    where,
    whatOneCanDo(),
    element("section", { "aria-labelledby": "runs" }, element("h2", { id: "runs" }, "Runs"), runs),
    element("section", { "aria-labelledby": "open" }, element("h2", { id: "open" }, "Open"),
      element("p", {}, "A folder with runs, one run, or a model of Hugging Face in a folder. "
        + "The studio reads nothing else outside its own folder. What you open stays open until you close it."),
      form, said, opened),
  );
  await refresh();
  return show;

  async function refresh() {
    const home = await get("home", signal);
    where.textContent = `attnlab ${home.version}, in ${home.folder}`;
    opened.replaceChildren(...home.opened.map((each) => item(each, () => close(each.path))));
  }

  async function close(path) {
    await post("close", { path }, signal);
    await refresh();
  }

  async function onsubmit(event) {
    event.preventDefault();
    said.replaceChildren();
    try {
      const made = await post("open", { path: path.value }, signal);
      await refresh();
      path.value = "";
      if (made.kind !== "model") change({ folder: made.path });
    } catch (error) {
      said.replaceChildren(errorBox(error));
    }
  }

  async function show(parameters) {
    runs.replaceChildren(loading(6, "Loading the runs"));
    const folder = parameters.get("folder") ?? "";
    try {
      runs.replaceChildren(...runTable(await get(`runs?${new URLSearchParams(folder && { folder })}`, signal)));
    } catch (error) {
      if (error.name !== "AbortError") runs.replaceChildren(errorBox(error));
    }
  }
}

function whatOneCanDo() {
  return element("section", { "aria-labelledby": "can" }, element("h2", { id: "can" }, "What you can do here"),
    element("ul", { class: "cards" },
      Object.entries(PAGES).filter(([, { about }]) => about).map(([name, { does, about }]) =>
        element("li", {}, element("a", { href: address(name) }, does), element("p", {}, about)))),
    element("p", {}, "The command line does more: ", element("code", { class: "short" }, "attnlab --help"), "."));
}

function item({ path, kind, about }, onclick) {
  const words = `${WORDS[kind]}${about ? `, ${about}` : ""}`;
  const href = kind === "model" ? address("inside", { model: path }) : address("home", { folder: path });
  const link = element("a", { href }, path);
  const close = element("button", { type: "button", "aria-label": `Close ${path}`, onclick }, "Close");
  return element("li", {}, link, element("span", { class: "faint" }, ` ${words} `), close);
}

function runTable({ folder, record, command, python, downloads }) {
  const where = folder === "." ? "this folder" : `the folder ${folder}`;
  if (!record.runs.length) {
    const train = element("a", { href: address("train") }, "Train one");
    const command = element("code", {}, "attnlab train topics --minutes 1");
    return [element("p", {}, `There are no runs in ${where} yet. `, train, ", or on the command line: ", command)];
  }
  const rows = record.runs.map((run) => [run.run, run.text, run.model, run.state, count(run.steps),
    bits(run.bits_per_byte, run.lower_bound), opensIn(run)]);
  return [
    element("p", { class: "faint" }, `In ${where}, the best run of each text first.`),
    table(COLUMNS, rows, `Runs in ${where}`),
    element("div", { class: "actions" }, copyButtons({ command, python }),
      fileLinks((ending) => `api/runs${ending}?${new URLSearchParams({ folder })}`, downloads)),
  ];
}

// Links to the pages where a run opens, by its kind.
function opensIn({ run, task, state, answered_correctly: right }) {
  if (state.startsWith("damaged")) return "";
  const pages = task === "classify" ? { reviews: { run } } : {
    inside: { model: run }, ...(right != null && { knowledge: { run } }), ...(!task && { train: { runs: run } }),
  };
  return element("span", {}, Object.entries(pages).flatMap(([page, parameters], place) =>
    [place ? ", " : "", element("a", { href: address(page, parameters) }, PAGES[page].title)]));
}

const count = (steps) => (steps == null ? "" : steps.toLocaleString("en"));
