"""Loads problems from TOML files: the lab's own and teachers' files."""

import re
import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, get_args

from attnlab.answers.parsing.formulas import FormulaError, parse_expression
from attnlab.answers.parsing.names import symbol
from attnlab.answers.parsing.nodes import Node, number
from attnlab.answers.parsing.shapes import SCALAR, NoValueError, Shape
from attnlab.answers.questions.problem import Kind, Problem, Sample, Symbol, Wanted
from attnlab.answers.questions.soundness import ProblemError, expect, sound
from attnlab.errors import ArgumentError, FileError, either
from attnlab.files import open_file

MOST_BYTES = 100_000
MOST_SIZE = 64
KEYS = {
    "title", "question", "wanted", "unit", "shown_in", "sizes", "members", "aliases",
    "unknowns", "defaults", "symbols", "definitions", "predictions", "samples", "otherwise", "condition", "known",
    "elementwise",
}  # fmt: skip
NEEDED = ("title", "question", "sizes", "symbols")


OWN = (
    "copy", "copy-margin", "extract", "average", "average-scale", "average-noisy", "average-norm-noise", "two-heads",
    "two-heads-norm-noise", "self-attention", "softmax-gradient", "network-gradients", "perplexity-base",
)  # fmt: skip
"""The names of the lab's own problems, the simplest first."""


def problems() -> dict[str, Problem]:
    """The lab's own problems by name, the simplest first."""
    return {name: _own_problem(name) for name in OWN}


@cache
def _own_problem(name: str) -> Problem:
    return _problem(name, tomllib.loads(own_file(name).read_text(encoding="utf-8")))


def own_file(name: str) -> Traversable:
    """The file of one of the lab's own problems."""
    return files("attnlab.answers").joinpath("problems", f"{name}.toml")


def find_problem(name: str) -> Problem:
    """The lab's own problem of that name."""
    if name not in OWN:
        raise ArgumentError.unknown("PROBLEM", name, OWN)
    return _own_problem(name)


def load_problem(path: Path | str) -> Problem:
    """A problem from a teacher's file."""
    path = Path(path)
    try:
        with open_file(path) as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    return read_problem(content, path)


def read_problem(content: bytes, path: Path) -> Problem:
    """A problem from the content of a teacher's file. The path names the problem, and is what errors are about."""
    if len(content) > MOST_BYTES:
        raise FileError(path, f"expected a problem of at most {MOST_BYTES:,} bytes, got a larger file")
    try:
        made = _problem(path.stem, tomllib.loads(content.decode("utf-8")))
        return sound(replace(made, file=str(path)))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FileError(path, "expected UTF-8 text", line=line) from error
    except tomllib.TOMLDecodeError as error:
        raise FileError(path, f"expected TOML: {str(error)[:1].lower()}{str(error)[1:]}") from error
    except (ProblemError, FormulaError, NoValueError) as error:
        raise FileError(path, " ".join(str(error).split())) from error
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise FileError(path, f"cannot be read as a problem: {' '.join(str(error).split())[:120]}") from error


def _problem(name: str, data: dict[str, Any]) -> Problem:
    unknown, missing = sorted(set(data) - KEYS), [key for key in NEEDED if key not in data]
    expect(not unknown, f"unknown key {', '.join(unknown)}; the keys are {', '.join(sorted(KEYS))}")
    expect(not missing, f"missing key {', '.join(missing)}")
    predictions = _table(data, "predictions")
    aliases = _table(data, "aliases")
    sizes = _sizes(_table(data, "sizes"))
    unknowns = {symbol(key): _shape(key, each, sizes[0]) for key, each in _table(data, "unknowns").items()}
    expect(bool(unknowns or predictions), 'unknowns: expected at least one, such as q = "d"')
    for flag, table in (("elementwise", data), ("exact", predictions)):
        expect(isinstance(table.get(flag, False), bool), f"{flag}: expected true or false")
    return Problem(
        name=name,
        title=_text(data, "title"),
        question=" ".join(_text(data, "question").split()),
        sizes=sizes,
        members={key: tuple(_texts(f"members.{key}", each)) for key, each in _table(data, "members").items()},
        aliases={symbol(key): symbol(_word("aliases", aliases, key)) for key in aliases},
        symbols={symbol(key): _symbol(key, each, sizes[0]) for key, each in _table(data, "symbols").items()},
        unknowns=unknowns,
        defaults=_formulas("defaults", _table(data, "defaults")),
        definitions={
            symbol(key): tuple(_formula(f"definitions.{key}", text) for text in _texts(f"definitions.{key}", each))
            for key, each in _table(data, "definitions").items()
        },
        wanted=tuple(_wanted(text) for text in _texts("wanted", data.get("wanted", []))),
        otherwise=tuple(tuple(map(_wanted, _texts("otherwise", each))) for each in data.get("otherwise", [])),
        condition=_formula("condition", data["condition"]) if "condition" in data else None,
        known=tuple(map(symbol, _texts("known", data.get("known", [])))),
        elementwise=data.get("elementwise", False),
        exact=predictions.get("exact", False),
        unit=_formula("unit", data["unit"]) if "unit" in data else number(1),
        shown_in=symbol(_word("shown_in", data, "shown_in")),
        given=_formulas("predictions.given", _table(predictions, "given")),
        predictions=tuple(symbol(each) for each in _texts("predictions.of", predictions.get("of", []))),
        columns_too=tuple(map(symbol, _texts("predictions.columns_too", predictions.get("columns_too", [])))),
        samples=tuple(_sample(each) for each in data.get("samples", [])),
    )


def _text(data: dict[str, Any], key: str) -> str:
    expect(isinstance(data[key], str) and bool(data[key].strip()), f"{key}: expected a text")
    return data[key]


def _texts(key: str, value: Any) -> list[str]:
    values = [value] if isinstance(value, str) else value
    right = isinstance(values, list) and all(isinstance(each, str) for each in values)
    expect(right, f"{key}: expected a text, or a list of texts")
    return values


def _table(data: dict[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key, {})
    expect(isinstance(value, dict), f"{key}: expected a table")
    return value


def _formula(key: str, text: Any) -> Node:
    expect(isinstance(text, str), f"{key}: expected a formula as a text")
    try:
        return parse_expression(text)
    except FormulaError as error:
        raise ProblemError(f"{key}: {error}") from error


def _formulas(key: str, table: dict[str, Any]) -> dict[str, Node]:
    return {symbol(name): _formula(f"{key}.{name}", text) for name, text in table.items()}


def _wanted(text: str) -> Wanted:
    left, sign, right = (
        re.split(r"(≈|~=|\\approx|=)", text, maxsplit=1) if re.search("≈|=|approx", text) else ("", "", "")
    )
    expect(bool(sign), f"wanted: expected left = right or left ≈ right, got '{text}'")
    return Wanted(_formula("wanted", left), _formula("wanted", right), exact=sign == "=")


def _sample(value: Any) -> Sample:
    right = isinstance(value, dict) and {"answer", "verdict"} == set(value)
    expect(right, "samples: expected an answer and a verdict for each sample")
    verdicts = ("holds", "holds if", "fails")
    expect(value["verdict"] in verdicts, f"samples: expected the verdict {either(verdicts)}")
    expect(isinstance(value["answer"], str), "samples: expected the answer as a text")
    return Sample(value["answer"], value["verdict"])


def _sizes(table: dict[str, Any]) -> tuple[dict[str, int], ...]:
    """The sizes of each instance."""
    for key, values in table.items():
        whole = isinstance(values, list) and all(type(each) is int and 1 <= each <= MOST_SIZE for each in values)
        right = whole and bool(values)
        expect(right, f"sizes.{key}: expected a list of whole numbers from 1 to {MOST_SIZE}, smallest instance first")
    counts = {len(values) for values in table.values()}
    expect(len(counts) == 1, "sizes: expected lists of the same length, with a number for each instance")
    return tuple(dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True))


def _shape(key: str, text: Any, sizes: dict[str, int]) -> Shape:
    """The shape that a text such as "d×n" or "d" names."""
    expect(isinstance(text, str), f'{key}: expected a shape such as "d" or "d×n"')
    rows, _, columns = re.sub(r"\s", "", text).replace("x", "×").partition("×")
    for each in (rows, columns or "1"):
        expect(each == "1" or each in sizes, f"{key}: {each} in the shape '{text}' is not one of {', '.join(sizes)}")
    return rows, columns or "1"


def _word(where: str, value: dict[str, Any], key: str) -> str:
    expect(isinstance(value.get(key, ""), str), f"{where}: expected a name for {key}")
    return value.get(key, "")


def _symbol(key: str, value: Any, sizes: dict[str, int]) -> Symbol:
    where = f"symbols.{key}"
    expect(
        isinstance(value, dict) and value.get("is") in get_args(Kind),
        f"{where}.is: expected {either(get_args(Kind))}",
    )
    allowed = {"is", "shape", "says", "norm", "orthogonal_to", "variance", "shown"}
    expect(not (set(value) - allowed), f"{where}: unknown key {', '.join(sorted(set(value) - allowed))}")
    variance, shown = value.get("variance", 0.0), value.get("shown", 0.0)
    numbers = isinstance(variance, int | float | str) and isinstance(shown, int | float)
    expect(numbers, f"{where}: expected numbers for variance and shown")
    return Symbol(
        kind=value["is"],
        shape=_shape(where, value["shape"], sizes) if "shape" in value else SCALAR,
        says=str(value.get("says", "")),
        norm=symbol(_word(where, value, "norm")),
        orthogonal_to=symbol(_word(where, value, "orthogonal_to")),
        variance=symbol(variance) if isinstance(variance, str) else float(variance),
        shown=float(shown),
    )
