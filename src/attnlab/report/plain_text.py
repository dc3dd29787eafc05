"""Blocks as plain text: the repr of a record, and what a terminal without colours shows."""

from collections.abc import Sequence
from itertools import zip_longest
from unicodedata import east_asian_width

from attnlab.report.blocks import Block, Marked, Table

SIGNS = {"for": "+", "against": "-", "unknown": "?"}
WEAK, STRONG = 1, 3
"""A mark of strength 1 has no sign, since a text full of signs is hard to read; from 3 on the sign is twice."""


def plain_text(blocks: Sequence[Block]) -> str:
    """The blocks, one below the other.

    >>> print(plain_text(["Two rows.", Table(("name", "n"), (("a", "1"), ("b", "10")))]))
    Two rows.
    name   n
    a      1
    b     10
    """
    return "\n".join(_lines(each) for each in blocks)


def _lines(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    return signed_text(block) if isinstance(block, Marked) else block


def signed_text(block: Marked) -> str:
    """The legend, and the text with a sign behind each marked piece: what colours show, without colours.

    >>> print(signed_text(Marked([("Superb", "for4"), (" but ", ""), ("long", "against2")], {"for3": "+ for it"})))
    + for it   (twice: strongly; weak: no sign)
    Superb(++) but long(-)
    """
    signs = [_sign(mark) for _, mark in block.pieces]
    text = "".join(piece + sign for (piece, _), sign in zip(block.pieces, signs, strict=True))
    strongly = ["(twice: strongly; weak: no sign)"] if any(each[1:2] in ("+", "-") for each in signs) else []
    return "\n".join([*(["   ".join([*block.legend.values(), *strongly])] if block.legend else []), text])


def _sign(mark: str) -> str:
    side, strength = mark.rstrip("1234"), mark[-1:]
    number = int(strength) if strength.isdigit() else WEAK + 1
    if side not in SIGNS or number <= WEAK:
        return ""
    return f"({SIGNS[side] * (2 if number >= STRONG else 1)})"


def _table(table: Table) -> str:
    grid = [list(table.columns), *map(list, table.rows)]
    widths = [max(map(_width, column)) for column in zip_longest(*grid, fillvalue="")]
    lines = [
        "  ".join(
            cell + pad if place < table.words else pad + cell
            for place, (cell, width) in enumerate(zip(row, widths, strict=False))
            for pad in (" " * (width - _width(cell)),)
        ).rstrip()
        for row in grid
    ]
    return "\n".join([*lines, *([table.note] if table.note else [])])


def _width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in text)
