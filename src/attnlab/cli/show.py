"""Show a record in a terminal: its blocks, one below the other."""

import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from attnlab.records import Record, presentation
from attnlab.report.blocks import Block, Marked, Table
from attnlab.report.plain_text import signed_text
from attnlab.report.writing.lines import harmless

NEVER_FOLDED = 100_000
COLOURS = {"for": "blue", "against": "dark_orange"}
STYLES = ("", "", "bold", "bold reverse")
"""The style of each mark, from weak to strong, in addition to its colour."""


def show(found: Record, lines: Sequence[str] = ()) -> None:
    """Print a record, and lines below it."""
    # Without a terminal, no line is folded. We print it ourselves: rich would end the program if the pipe is closed.
    console = Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else NEVER_FOLDED)
    with console.capture() as captured:
        for each in (*presentation(found).blocks, *map(harmless, lines)):
            console.print(_rendered(each, colours=bool(console.color_system) and not console.no_color))
    print(*(line.rstrip() for line in captured.get().splitlines()), sep="\n")


def _rendered(block: Block, colours: bool) -> Any:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Marked):
        return _marked(block) if colours else Text(signed_text(block))
    return Text(block)


def _table(block: Table) -> RichTable:
    table = RichTable(box=None, pad_edge=False, header_style="bold", caption=block.note or None, caption_justify="left")
    for place, name in enumerate(block.columns):
        words = place < block.words
        table.add_column(Text(name), justify="left" if words else "right", overflow="fold")
    for number, row in enumerate(block.rows):
        table.add_row(*map(Text, row), style="bold" if number in block.strong else "")
    return table


def _marked(block: Marked) -> Text:
    shown = Text()
    for mark, text in block.legend.items():
        shown.append(f"{text}   ", _style(mark))
    shown.append("\n" if block.legend else "")
    for text, mark in block.pieces:
        shown.append(text, _style(mark))
    return shown


def _style(mark: str) -> str:
    if mark == "unknown":
        return "underline"
    side, strength = mark.rstrip("1234"), mark[-1:]
    return f"{STYLES[int(strength) - 1]} {COLOURS[side]}".strip() if side in COLOURS else ""
