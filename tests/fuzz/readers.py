"""The lab's readers, called in this process: thousands of inputs in the time of one command.

Each kind has inputs by mutation of valid ones, inputs drawn by hypothesis, and the function that reads them. Whatever
comes, it returns, or raises one of the lab's own errors.
"""

import contextlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as draw
from hypothesis.strategies import SearchStrategy
from tests.fuzz import kinds
from tests.fuzz.mutation import ODD, mutated_text

TEXTS = draw.one_of(draw.text(max_size=60), draw.sampled_from([each for each in ODD if len(each) < 500]))
SCALARS = draw.one_of(draw.none(), draw.booleans(), draw.integers(), draw.floats(), TEXTS)
JSON = draw.recursive(
    SCALARS, lambda inner: draw.lists(inner, max_size=4) | draw.dictionaries(TEXTS, inner, max_size=4), max_leaves=12
)


@dataclass(frozen=True)
class Reading:
    """A kind of input: how to make one by mutation, how hypothesis draws one, and what reads it."""

    made: Callable[[Random], Any]
    drawn: Callable[[], SearchStrategy[Any]]
    read: Callable[[Any, Path], object]
    """Reads an input; the folder is one where files can be written."""


def in_file(reader: Callable[[Path], object]) -> Callable[[tuple[str, bytes], Path], object]:
    """What reads a named content: it becomes a file."""

    def read(named: tuple[str, bytes], folder: Path) -> object:
        path = folder / named[0]
        path.write_bytes(named[1])
        return reader(path)

    return read


def named(*names: str, content: SearchStrategy[bytes]) -> SearchStrategy[tuple[str, bytes]]:
    """Contents of files with one of these names."""
    return draw.tuples(draw.sampled_from(names), content)


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# Formulas


def drawn_formulas() -> SearchStrategy[tuple[str, str]]:
    """Formulas by a small grammar of what people type, and any text."""
    names = draw.sampled_from(
        ["q", "C", "k_a", "k_b", "u_a", "v_j", "A", "B", "M", "n", "t", "γ", "μ_i", "0", "1", "2.5", "10^9"]
    )
    joined = draw.sampled_from(["{} + {}", "{} - {}", "{} {}", "{}/{}", "{}^{{{}}}", "\\frac{{{}}}{{{}}}", "{} ⊙ {}"])
    around = draw.sampled_from(
        ["({})", "{}^T", "-{}", "sqrt({})", "ln({})", "Σ_{{i≠a,b}} {}", "e^{{{}}}", "||{}||", "1/{}"]
    )

    def larger(inner: SearchStrategy[str]) -> SearchStrategy[str]:
        pairs = draw.builds(lambda form, one, two: form.format(one, two), joined, inner, inner)
        return pairs | draw.builds(lambda form, one: form.format(one), around, inner)

    side = draw.recursive(names, larger, max_leaves=8)
    sign = draw.sampled_from([" = "] * 6 + [" ≫ ", " ≈ ", ", ", " for all i ≠ j, "])
    begun = draw.sampled_from([(problem, answer.partition("=")[0].strip()) for problem, answer in kinds.answers()])

    def asked(begun: tuple[str, str], mark: str, side: str, any_text: str) -> tuple[str, str]:
        return begun[0], any_text or f"{begun[1]}{mark}{side}"

    return draw.builds(asked, begun, sign, side, draw.just("") | draw.just("") | draw.just("") | side | TEXTS)


def read_formula(asked: tuple[str, str], folder: Path) -> object:
    from attnlab.answers.checking import check

    return check(*asked)


# Files of a known format


def drawn_problems() -> SearchStrategy[tuple[str, bytes]]:
    """A problem of the lab with one or two values of any kind."""

    def changed(text: str, changes: list[tuple[int, Any]]) -> bytes:
        lines = text.splitlines()
        at = [number for number, line in enumerate(lines) if "=" in line]
        for choice, value in changes:
            number = at[choice % len(at)]
            lines[number] = f"{lines[number].partition('=')[0]}= {as_toml(value)}"
        return as_bytes("\n".join(lines))

    texts = draw.sampled_from(sorted(kinds.problems().values()))
    formulas = draw.sampled_from(["q = C k_a", "k_i^T k_j = 0", "d", "n × d", "unit", "1/n", "C ≫ 0", "0"])
    changes = draw.lists(draw.tuples(draw.integers(0, 999), JSON | formulas), min_size=1, max_size=2)
    return named("own.toml", content=draw.builds(changed, texts, changes))


def as_toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {as_toml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    return json.dumps(value).lower() if isinstance(value, float) else json.dumps(value)


def read_problem(named: tuple[str, bytes], folder: Path) -> object:
    from attnlab.answers.questions.loading import read_problem

    return read_problem(named[1], Path(named[0]))


def drawn_rows(*heading: str) -> SearchStrategy[str]:
    """Tables of any texts, with a delimiter and quotes that may be missing."""
    cells = TEXTS | draw.sampled_from([*heading, "copy", "q = C k_a", "pos", "neg", "a good film"])
    quoted = draw.builds(lambda form, cell: form.format(cell), draw.sampled_from(["{}", '"{}"', '"{}']), cells)
    mark = draw.sampled_from([",", ";", "\t", ",,", ""])
    rows = draw.builds(lambda between, row: between.join(row), mark, draw.lists(quoted, max_size=5))
    first = draw.builds(lambda between: between.join(heading), mark)
    return draw.builds(lambda one, all, end: end.join([one, *all]), first, draw.lists(rows, max_size=6), LINES)


LINES = draw.sampled_from(["\n", "\r\n", "\r", "\n\n"])


def read_class(path: Path) -> object:
    from attnlab.answers.grading.submissions import read_submissions

    return list(read_submissions(path))


def drawn_matrices() -> SearchStrategy[tuple[str, bytes]]:
    cells = draw.one_of(draw.floats().map(repr), draw.integers().map(str), TEXTS)
    rows = draw.lists(draw.lists(cells, max_size=4).map(",".join), max_size=6)
    table = draw.builds(lambda end, lines: as_bytes(end.join(lines)), LINES, rows)
    magic = draw.binary(max_size=80).map(lambda rest: b"\x93NUMPY\x01\x00" + rest)
    kinds_of_numbers = draw.sampled_from(["F64", "F32", "I64", "U8", "BF16", "BOOL", "F8_E4M3"]) | TEXTS
    shapes = draw.lists(draw.integers(0, 4) | draw.integers(), max_size=3)
    tensor = {
        "dtype": kinds_of_numbers,
        "shape": shapes,
        "data_offsets": draw.sampled_from([[0, 32], [0, 16], [8, 32]]),
    }
    header = (draw.fixed_dictionaries(tensor) | JSON).map(lambda value: as_bytes(json.dumps({"keys": value})))
    tensors = header.map(lambda head: len(head).to_bytes(8, "little") + head + bytes(32))
    return named("keys.csv", content=table) | named("keys.npy", content=magic) | named("k.safetensors", content=tensors)


def read_matrix(path: Path) -> object:
    from attnlab.data.matrices import load_matrix

    return load_matrix(path)


def read_text(path: Path) -> object:
    """Read a text, train a tokenizer on it, and get back from its tokens what went in."""
    from attnlab.data.texts.loading import load_text
    from attnlab.text.tokenizers import train_tokenizer

    text = load_text(path).train
    kind = ("characters", "bytes", "words")[len(text) % 3]
    tokenizer = train_tokenizer(kind, text)
    ids = tokenizer.encode(text).ids
    assert kind == "words" or tokenizer.decode(ids) == text, f"{kind} lose text"
    return ids


def drawn_texts() -> SearchStrategy[tuple[str, bytes]]:
    words = draw.lists(TEXTS | draw.sampled_from(["word", "To be", " ", "\n"]), max_size=30).map("".join)
    return named("text.txt", content=words.map(as_bytes) | draw.binary(max_size=300))


def read_table(path: Path) -> object:
    from attnlab.data.labelled.loading import load_labelled

    return load_labelled(path)


def drawn_tables() -> SearchStrategy[tuple[str, bytes]]:
    """Tables of any texts; half of them have two proper rows as well."""
    rows = drawn_rows("label", "text").map(as_bytes)
    proper = draw.sampled_from([b"", b"label,text\npos,a good film\nneg,a bad film\n", b"pos\ta film\nneg\tno film\n"])
    mixed = draw.builds(lambda one, two: one + two, proper, rows)
    objects = draw.lists(draw.fixed_dictionaries({"label": SCALARS, "text": SCALARS}) | JSON, max_size=5)
    first = draw.sampled_from([[], [{"label": "pos", "text": "a film"}, {"label": 0, "text": "no film"}]])
    lines = draw.builds(lambda one, two: "\n".join(map(json.dumps, one + two)).encode(), first, objects)
    return named("table.csv", "table.tsv", content=mixed) | named("table.jsonl", content=lines)


def read_facts(files: dict[str, bytes], folder: Path) -> object:
    from attnlab.data.facts.files import read_folder

    for name, content in files.items():
        (folder / name).write_bytes(content)
    return read_folder(folder)


def drawn_facts() -> SearchStrategy[dict[str, bytes]]:
    people = draw.sampled_from(["Ada Berg", "Ada John", "Bo Dohn"]) | TEXTS
    places = draw.sampled_from(["Oslo", "Rome"]) | TEXTS
    said = draw.builds(lambda who, where: f"{who}. {who} was born in {where}.", people, places)
    asked = draw.builds(lambda who, where: f"Where was {who} born?\t{where}", people, places)
    proper = kinds.facts_files()

    def files(*drawn: list[str]) -> dict[str, bytes]:
        return {
            name: as_bytes("\n".join([text, *more])) for (name, text), more in zip(proper.items(), drawn, strict=True)
        }

    more = [draw.lists(each | TEXTS, max_size=2) for each in (said, asked, asked)]
    return draw.builds(files, *more)


# Folders: one file of a folder that stays is changed, and put back


@dataclass(frozen=True)
class Changed:
    """A file of a folder with another content."""

    folder: str
    path: str
    content: bytes


RUNS = ("ngram", "transformer", "words", "recurrent", "classifier", "people-known", "stopped", "bigram")


def files_of(name: str) -> list[str]:
    return sorted(
        str(each.relative_to(kinds.GOLDEN / name)) for each in (kinds.GOLDEN / name).rglob("*") if each.is_file()
    )


def changed_run(draws: Random) -> Changed:
    name = draws.choice(RUNS)
    path = draws.choice(files_of(name))
    return Changed(name, path, kinds.changed_file(path, (kinds.GOLDEN / name / path).read_bytes(), draws))


def drawn_runs() -> SearchStrategy[Changed]:
    """A JSON file of a run with one entry of any value, or whole of any value."""

    def changed(file: tuple[str, str], value: Any, whole: bool, choice: int) -> Changed:
        lines = (kinds.GOLDEN / file[0] / file[1]).read_text().splitlines()
        old = json.loads(lines[-1] if file[1].endswith("l") else "\n".join(lines))
        if whole or not isinstance(old, dict):
            old = value
        else:
            place, name = old, sorted(old)[choice % len(old)]
            if isinstance(old[name], dict) and old[name]:
                place, name = old[name], sorted(old[name])[choice % len(old[name])]
            place[name] = value
        return Changed(*file, json.dumps(old).encode())

    every = [(name, path) for name in RUNS for path in files_of(name) if path.endswith((".json", ".jsonl"))]
    return draw.builds(
        changed, draw.sampled_from(every), JSON, draw.integers(0, 9).map(lambda n: n == 0), draw.integers(0, 99)
    )


def read_run(changed: Changed, folder: Path) -> object:
    from attnlab.report.language.curves import curves
    from attnlab.runs.classifiers import load_classifier
    from attnlab.runs.folder import open_run
    from attnlab.runs.knowledge import load_knowledge
    from attnlab.runs.loading import load_trained

    original = kinds.GOLDEN / changed.folder
    run = folder / changed.folder
    if not run.exists():
        shutil.copytree(original, run)
    (run / changed.path).write_bytes(changed.content)
    try:
        if changed.folder == "stopped" or changed.path in ("metrics.jsonl", "result.json"):
            opened = open_run(run)
            result, measured = opened.finished and opened.result(), opened.metrics()
            return result, curves({changed.folder: measured}), curves({changed.folder: measured}, per_byte=True)
        if changed.folder == "classifier":
            return load_classifier(run)
        return load_knowledge(run, "finetune") if changed.folder == "people-known" else load_trained(run)
    finally:
        shutil.copyfile(original / changed.path, run / changed.path)


def changed_model(draws: Random) -> Changed:
    name = draws.choice(sorted(kinds.model_files()))
    return Changed("hf", name, kinds.changed_file(name, kinds.model_files()[name], draws))


def drawn_models() -> SearchStrategy[Changed]:
    """A model whose JSON files have one entry of any value."""

    def changed(name: str, value: Any, choice: int) -> Changed:
        old = json.loads(kinds.model_files()[name])
        old[sorted(old)[choice % len(old)]] = value
        return Changed("hf", name, json.dumps(old).encode())

    names = [name for name in sorted(kinds.model_files()) if name.endswith(".json")]
    return draw.builds(changed, draw.sampled_from(names), JSON, draw.integers(0, 99))


def read_model(changed: Changed, folder: Path) -> object:
    from attnlab.evaluation.external.models import open_external

    model = folder / "hf"
    if not model.exists():
        kinds.write_model(model)
    (model / changed.path).write_bytes(changed.content)
    try:
        return open_external(f"hf:{model}")
    finally:
        (model / changed.path).write_bytes(kinds.model_files()[changed.path])


# Settings

MODELS = ("transformer", "recurrent", "ngram", "bigram")
TOKENS = ("characters", "bytes", "words", "byte-pairs")


def names_of(kind: str) -> list[tuple[str, str]]:
    """The settings that a model of a kind, its tokens and its training have: group and name."""
    from attnlab.benches.language.configuring import configure
    from attnlab.settings import write

    made = configure("text.txt", "", kind)
    groups = {"model": made.model, "tokens": made.tokens, "training": made.training}
    return [(group, name) for group, each in groups.items() for name in write(each) if name != "kind"]


def as_typed(text: str) -> Any:
    """A number if the text is one."""
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def chosen_settings(draws: Random) -> dict[str, Any]:
    """A few settings of a model, its tokens and its training, most of them numbers that they do not expect."""
    kind = draws.choice(MODELS)
    found: dict[str, dict[str, Any]] = {"model": {"kind": kind}, "tokens": {}, "training": {}}
    for group, name in draws.sample(names_of(kind), draws.choice((1, 1, 2))):
        found[group][name] = as_typed(draws.choice((*kinds.NUMBERS, "2", "8", "16", mutated_text("0.1", draws))))
    if draws.random() < 0.3:
        found["tokens"]["kind"] = draws.choice(TOKENS)
    return found


def drawn_settings() -> SearchStrategy[dict[str, Any]]:
    """Settings of any value."""

    def chosen(kind: str, token: str, changes: list[tuple[int, Any]]) -> dict[str, Any]:
        found: dict[str, dict[str, Any]] = {"model": {"kind": kind}, "tokens": {"kind": token}, "training": {}}
        names = names_of(kind)
        for choice, value in changes:
            group, name = names[choice % len(names)]
            found[group][name] = value
        return found

    values = draw.integers(0, 64) | SCALARS | JSON
    changes = draw.lists(draw.tuples(draw.integers(0, 999), values), min_size=1, max_size=3)
    return draw.builds(chosen, draw.sampled_from(MODELS), draw.sampled_from(TOKENS), changes)


def read_settings(given: dict[str, Any], folder: Path) -> object:
    from attnlab.benches.language.configuring import configure
    from attnlab.settings import read, write
    from attnlab.training.language.config import Config

    tokens = given["tokens"] if "kind" in given["tokens"] else {"kind": "characters", **given["tokens"]}
    made = configure("text.txt", "", given["model"], tokens, {"kind": "", **given["training"]})
    assert read(Config, json.loads(json.dumps(write(made)))) == made, "settings change when they are written and read"
    return made


READINGS = {
    "formulas": Reading(kinds.formula, drawn_formulas, read_formula),
    "problems": Reading(kinds.problem_content, drawn_problems, read_problem),
    "classes": Reading(
        kinds.class_content,
        lambda: named("class.csv", content=drawn_rows("student", "problem", "answer").map(as_bytes)),
        in_file(read_class),
    ),
    "matrices": Reading(kinds.matrix_content, drawn_matrices, in_file(read_matrix)),
    "texts": Reading(kinds.text_content, drawn_texts, in_file(read_text)),
    "tables": Reading(kinds.table_content, drawn_tables, in_file(read_table)),
    "facts": Reading(kinds.facts_content, drawn_facts, read_facts),
    "runs": Reading(changed_run, drawn_runs, read_run),
    "hf": Reading(changed_model, drawn_models, read_model),
    "options": Reading(chosen_settings, drawn_settings, read_settings),
}
"""The readers by kind. Requests to the studio have none: they are always sent."""
