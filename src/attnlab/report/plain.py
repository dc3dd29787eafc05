"""Blocks as plain text: the repr of a record."""

from collections.abc import Sequence
from itertools import zip_longest
from unicodedata import east_asian_width

from attnlab.report.blocks import Block, Marked, Table


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
    return "".join(text for text, _ in block.pieces) if isinstance(block, Marked) else block


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
