"""Weights and rows of numbers as people write them: `0=0.5,2=0.5` and `1,0;0,1`. The command line and the studio read
them here, so both take the same words. This module imports no torch."""

import math
import re
from collections.abc import Iterable, Sized

from attnlab.errors import ArgumentError

NUMBER = re.compile(r"[+-]?(\d++(\.\d*+)?|\.\d++)(e[+-]?\d++)?|[+-]?(nan|inf(inity)?)", re.ASCII | re.IGNORECASE)
KEY = re.compile(r"-?\d{1,18}", re.ASCII)
LONGEST = 40
"""The most characters that an error shows of what was written."""


def read_weights(argument: str, text: str) -> dict[int, float]:
    """The weights in `0=0.5,2=0.5`, by key. Whether they are above 0 and sum to 1 is checked where they are used.

    >>> read_weights("mix", "0 = 0.5, 2=0.5")
    {0: 0.5, 2: 0.5}
    """
    found: dict[int, float] = {}
    for piece in text.split(","):
        key, weight = (part.strip() for part in piece.partition("=")[::2])
        if not (KEY.fullmatch(key) and NUMBER.fullmatch(weight)):
            raise ArgumentError(argument, f"expected KEY=WEIGHT such as 0=0.5, got {piece.strip()[:LONGEST]!r}")
        if int(key) in found:
            raise ArgumentError(argument, f"key {int(key)} is given twice")
        found[int(key)] = float(weight)
    return found


def check_lengths(argument: str, rows: Iterable[Sized]) -> None:
    """Raise if rows have different lengths."""
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        found = f"rows of {lengths[0]} and {lengths[1]} numbers"
        raise ArgumentError(argument, f"expected rows of the same length, got {found}")


def read_rows(argument: str, text: str) -> list[list[float]]:
    """The rows in `1,0;0,1`.

    >>> read_rows("queries", "1,0; 0,1")
    [[1.0, 0.0], [0.0, 1.0]]
    """
    rows = [[word.strip() for word in row.split(",")] for row in text.split(";")]
    wrong = next((row for row in rows if not all(map(NUMBER.fullmatch, row))), None)
    if wrong is not None:
        raise ArgumentError(argument, f"expected rows of numbers such as 1,0;0,1, got {','.join(wrong)[:LONGEST]!r}")
    check_lengths(argument, rows)
    infinite = next((word for row in rows for word in row if not math.isfinite(float(word))), None)
    if infinite is not None:
        raise ArgumentError(argument, f"expected finite numbers, got {infinite[:LONGEST]}")
    return [[float(word) for word in row] for row in rows]
