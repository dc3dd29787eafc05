"""Sums of orthogonal parts, and their notation.

Parts u_a, u_b, … are orthogonal vectors of one norm β, large. An input is a sum of them, x1 = u_d + u_b, and in part
coordinates a row of coefficients. A matrix in part coordinates has an entry m_pq for (u_p u_qᵀ)/β², which takes u_q to
u_p, because u_qᵀu_q = β². So the identity matrix is the identity on everything the parts span.

Names: letters, digits and underscores, a letter first; a leading `u_` is dropped, so `u_b` and `b` are one part.
Numbers are plain decimals: in `2e3` the e may be a part, so that is an error rather than a guess.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy
import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.argument_checks import exact_matrix, exact_vector, shape_of
from attnlab.errors import ArgumentError, either

MOST_CHARACTERS, MOST_INPUTS, MOST_PARTS = 20_000, 64, 64
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_NUMBER = r"(?:(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?:\*\s*)?)?"
_SIGN = r"\s*(?P<sign>[+\-−])?\s*"
_PART = rf"(?P<part>{_NAME.pattern})?"
_OUTER = rf"(?:(?P<to>{_NAME.pattern})(?:\s+|\s*\*\s*)(?P<of>{_NAME.pattern})\s*(?:ᵀ|\^T))?"
_SUM_TERM = re.compile(_SIGN + _NUMBER + _PART + r"\s*")
_MATRIX_TERM = re.compile(_SIGN + _NUMBER + _OUTER + r"\s*")
_EXPONENT = re.compile(r"(?<![A-Za-z0-9_])[\d.]+[eE][+\-−]?\d+")


@dataclass(frozen=True)
class Inputs:
    """The inputs x1 … xn as sums of parts: row i of `coefficients` (float64) has x_i's amount of each part."""

    parts: tuple[str, ...]
    coefficients: Float[Tensor, "inputs parts"]

    def __post_init__(self):
        exact = exact_matrix("inputs", self.coefficients, "inputs", "parts")
        if exact.shape[0] > MOST_INPUTS or exact.shape[1] > MOST_PARTS:
            raise ArgumentError(
                "inputs", f"expected at most {MOST_INPUTS} inputs of {MOST_PARTS} parts, got shape {shape_of(exact)}"
            )
        bad = [part for part in self.parts if not _NAME.fullmatch(part)]
        if bad or len(set(self.parts)) != len(self.parts) or len(self.parts) != exact.shape[1]:
            wanted = f"{exact.shape[1]} different names of letters, digits and underscores that begin with a letter"
            raise ArgumentError("parts", f"expected {wanted}, got {', '.join(map(repr, self.parts))}")
        object.__setattr__(self, "coefficients", exact)

    def __str__(self) -> str:
        return format_rows("x", dict(enumerate(self.coefficients)), self.parts)


def parse_inputs(text: str) -> Inputs:
    """The inputs from text such as `x1 = d + b; x2 = 2a - 0.5c`, separated by lines or semicolons; parts are sorted.

    To use a part in an output that no input holds, write it with 0: `x1 = a + 0e`.

    >>> print(parse_inputs("x1 = d + b; x2 = 2a - 0.5c"))
    x1 = u_b + u_d; x2 = 2 u_a − 0.5 u_c
    """
    rows = _parse_rows("inputs", "x", text)
    expected = list(range(len(rows)))
    if list(rows) != expected:
        order = ", ".join(f"x{i + 1}" for i in rows)
        raise ArgumentError("inputs", f"expected x1, x2, … in order, got {order}")
    parts = tuple(sorted({part for row in rows.values() for part in row}))
    if not parts:
        raise ArgumentError("inputs", f"expected at least one part, got {_shorten(text)!r}")
    numbers = [[row.get(part, 0.0) for part in parts] for row in rows.values()]
    return Inputs(parts, torch.tensor(numbers, dtype=torch.float64))


def parse_wants(text: str, inputs: Inputs) -> dict[int, Float[Tensor, "parts"]]:
    """The wanted outputs from text such as `c2 = b; c1 = b - c`, in part coordinates, by input number from 0 on.

    >>> parse_wants("c2 = b; c1 = b - c", parse_inputs("x1 = a; x2 = b + c"))[1].tolist()
    [0.0, 1.0, 0.0]
    """
    wants: dict[int, Tensor] = {}
    for i, row in _parse_rows("wants", "c", text).items():
        if i >= len(inputs.coefficients):
            raise ArgumentError("wants", f"c{i + 1}: expected c1 to c{len(inputs.coefficients)}, one per input")
        for part in row:
            if part not in inputs.parts:
                known = either(inputs.parts)
                raise ArgumentError("wants", f"c{i + 1}: no input names the part {part!r}; expected {known}")
        wants[i] = torch.tensor([row.get(part, 0.0) for part in inputs.parts], dtype=torch.float64)
    return wants


def parse_matrix(text: str, parts: tuple[str, ...], *, name: str = "matrix") -> Float[Tensor, "parts parts"]:
    """The matrix in part coordinates from text such as `(u_d u_aᵀ - 2 u_c u_dᵀ)/β²`, `I`, `-2 I` or `0`.

    `^T` may stand for ᵀ, and the brackets and /β² may be left out: every u_p u_qᵀ means (u_p u_qᵀ)/β² here.

    >>> parse_matrix("d a^T", ("a", "d")).tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    _check_length(name, text)
    identity = re.fullmatch(_SIGN + _NUMBER + r"I\s*", text)
    if identity:
        return _value(identity) * torch.eye(len(parts), dtype=torch.float64)
    inner = re.sub(r"\s*/\s*(β²|β\^2|beta\^2)\s*$", "", text).strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    matrix = torch.zeros(len(parts), len(parts), dtype=torch.float64)
    for term in _terms(name, _MATRIX_TERM, inner, "(u_d u_aᵀ − 2 u_c u_dᵀ)/β², I or 0"):
        if term["to"] is None:
            continue
        row, column = _part(name, term["to"]), _part(name, term["of"])
        for part in (row, column):
            if part not in parts:
                raise ArgumentError(name, f"{part!r} is not a part of the inputs; expected {either(parts)}")
        matrix[parts.index(row), parts.index(column)] += _value(term)
    return matrix


def format_sum(coefficients: Float[Tensor, "parts"], parts: tuple[str, ...], *, digits: int = 6) -> str:
    """The sum in the usual notation, to `digits` significant digits: `2 u_a − 0.5 u_b`, or `0`. 17 are exact."""
    numbers = exact_vector("coefficients", coefficients, len(parts)).tolist()
    return _join([(number, f"u_{part}") for number, part in zip(numbers, parts, strict=True)], digits)


def format_rows(
    letter: str, rows: Mapping[int, Float[Tensor, "parts"]], parts: tuple[str, ...], *, digits: int = 6
) -> str:
    """The sums with their names, a letter and a number from 1 on: `c1 = u_b − u_c; c2 = u_b`."""
    return "; ".join(f"{letter}{i + 1} = {format_sum(row, parts, digits=digits)}" for i, row in rows.items())


def format_matrix(matrix: Float[Tensor, "parts parts"], parts: tuple[str, ...], *, digits: int = 6) -> str:
    """The matrix in part coordinates in the usual notation: `(u_d u_aᵀ + u_c u_dᵀ)/β²`, `I`, `0`.

    >>> format_matrix(torch.tensor([[0.0, -1.0], [2.0, 0.0]]), ("a", "b"))
    '(2 u_b u_aᵀ − u_a u_bᵀ)/β²'
    """
    exact = exact_matrix("matrix", matrix, "parts", "parts")
    if exact.shape != (len(parts), len(parts)):
        raise ArgumentError(
            "matrix", f"expected {len(parts)} × {len(parts)}, one per part, got shape {shape_of(exact)}"
        )
    first = float(exact[0, 0])
    if first != 0.0 and torch.equal(exact, first * torch.eye(len(parts), dtype=exact.dtype, device=exact.device)):
        return _join([(first, "I")], digits)
    # By column: the image of u_a, then of u_b, …
    terms = [(float(exact[p, q]), f"u_{to} u_{of}ᵀ") for q, of in enumerate(parts) for p, to in enumerate(parts)]
    count = sum(number != 0.0 for number, _ in terms)
    text = _join(terms, digits)
    return f"({text})/β²" if count > 1 else f"{text}/β²" if count else text


def _parse_rows(argument: str, letter: str, text: str) -> dict[int, dict[str, float]]:
    """The numbered sums in the text, by number from 0 on: each part with its coefficient."""
    _check_length(argument, text)
    rows: dict[int, dict[str, float]] = {}
    for piece in filter(str.strip, re.split(r"[;\n]", text)):
        left, _, right = piece.partition("=")
        named = re.fullmatch(rf"\s*{letter}_?([1-9]\d{{0,3}})\s*", left)
        if named is None:
            raise ArgumentError(
                argument, f"cannot read {_shorten(piece)!r}; expected a sum such as {letter}1 = 2a - 0.5b"
            )
        i = int(named[1]) - 1
        if i in rows:
            raise ArgumentError(argument, f"{letter}{i + 1} is given twice; expected once")
        row: dict[str, float] = {}
        for term in _terms(argument, _SUM_TERM, right, "2a - 0.5b or 0"):
            if term["part"] is not None:
                part = _part(argument, term["part"])
                row[part] = row.get(part, 0.0) + _value(term)
        rows[i] = row
    if not rows:
        raise ArgumentError(argument, f"expected sums such as {letter}1 = 2a - 0.5b, got nothing")
    return rows


def _terms(argument: str, pattern: re.Pattern[str], text: str, example: str) -> list[re.Match[str]]:
    """The signed terms of the text: all but the first must have a sign, and a bare number must be 0."""
    if exponent := _EXPONENT.search(text):
        message = f"{exponent[0]!r} could be one number or a number times a part"
        raise ArgumentError(argument, f"{message}; write a plain decimal, or * between them")
    found, place = [], 0
    while place < len(text) or not found:
        term = pattern.match(text, place)
        assert term is not None  # every piece of the pattern may be absent
        things = any(value is not None for name, value in term.groupdict().items() if name not in ("sign", "number"))
        nothing = not things and (term["number"] is None or float(term["number"]) != 0.0)
        if nothing or (found and term["sign"] is None):
            rest = _shorten(text[place:].strip())
            at = f"cannot read {rest!r} in {_shorten(text.strip())!r}" if rest else "a sum is missing or ends too early"
            raise ArgumentError(argument, f"{at}; expected, for example, {example}")
        found.append(term)
        place = term.end()
    return found


def _value(term: re.Match[str]) -> float:
    """The signed coefficient of a term."""
    size = 1.0 if term["number"] is None else float(term["number"])
    return -size if term["sign"] in ("-", "−") else size


def _part(argument: str, name: str) -> str:
    """The part's name without its leading u_."""
    bare = name.removeprefix("u_")
    if not _NAME.fullmatch(bare):
        raise ArgumentError(argument, f"{name!r} is not a part; expected a letter after u_")
    return bare


def _join(terms: list[tuple[float, str]], digits: int) -> str:
    """The nonzero terms, joined by their signs; a coefficient of 1 is left out."""
    text = ""
    for number, thing in terms:
        if number == 0.0:
            continue
        size = numpy.format_float_positional(abs(number), precision=digits, fractional=False, trim="-")
        sign = (" − " if number < 0 else " + ") if text else ("−" if number < 0 else "")
        text += sign + (thing if size == "1" else f"{size} {thing}")
    return text or "0"


def _check_length(argument: str, text: str) -> None:
    """Raise if the text is unreasonably long."""
    if len(text) > MOST_CHARACTERS:
        raise ArgumentError(argument, f"expected at most {MOST_CHARACTERS} characters, got {len(text)}")


def _shorten(text: str) -> str:
    """The text, shortened for a message."""
    text = text.strip()
    return text if len(text) <= 40 else text[:39] + "…"
