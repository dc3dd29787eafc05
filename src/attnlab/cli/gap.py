"""An explanation as a person reads it in a terminal: a cost by kinds, or a gap in parts, and what stands out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from attnlab.numbers import format_signed
from attnlab.report.lines import on_one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from attnlab.evaluation.explanation.gaps import Account, Costliest, Gap, Part, Place

LONGEST = 70
"""So many characters of a passage are shown."""


def explained_lines(explained: Account | Gap) -> list[RenderableType]:
    """Where a cost comes from, or why two differ; what stands out, and what else is to be said."""
    from attnlab.evaluation.explanation.gaps import Gap

    if isinstance(explained, Gap):
        heading = f"why {explained.first.name} and {explained.second.name} differ, in parts that add up"
        table = _parts(explained)
    else:
        heading, table = f"where the cost of {explained.side.name} comes from, in parts that add up", _kinds(explained)
    lines = [heading, table, *(line for each in explained.costliest for line in _dearest(each))]
    return [*lines, *([""] if explained.notes else []), *(f"note: {each}" for each in explained.notes)]


def _parts(gap: Gap) -> Table:
    """Each part in both units; a part of the logarithm is a factor of the perplexity itself."""
    texts = len(gap.costliest)
    counts = ["stretches"] if texts == 1 else [f"in {each.name}" for each in (gap.first, gap.second)]
    table = _table("part", "bits/byte", "nats/token", "perplexity")
    for name in counts:
        table.add_column(Text(name), justify="right", overflow="fold")  # the name of a text may be long
    for part in gap.parts:
        units = _units(part)
        if units != ["0", "0", "×1"]:
            table.add_row(Text(part.name), *units, *(f"{each:,}" for each in part.times))
    table.add_section()
    together = Text(f"together: {gap.first.name} less {gap.second.name}")
    table.add_row(together, *_units(gap), style="bold")
    return table


def _kinds(account: Account) -> Table:
    table = _table("kind", "bits/byte", "of the cost", "of the bytes", "stretches")
    for each in account.kinds:
        share = "" if each.share_of_bytes is None else f"{each.share_of_bytes:.1%}"
        times = "" if each.times is None else f"{each.times:,}"
        table.add_row(Text(each.name), f"{each.bits_per_byte:.4f}", f"{each.share_of_cost:.1%}", share, times)
    table.add_section()
    table.add_row("together", f"{account.side.bits_per_byte:.4f}", "100%", "100%", style="bold")
    return table


def _dearest(found: Costliest) -> list[RenderableType]:
    """The words and passages that stand out, where there are any."""
    tables = [_places(name, some) for name, some in (("word", found.words), ("passage", found.passages)) if some]
    return ["", f"what stands out: {found.what}", *tables] if tables else []


def _places(name: str, some: tuple[Place, ...]) -> Table:
    table = _table(name, "bits", "times")
    for each in some:
        table.add_row(Text(printable(each.text)), _signed(each.bits, 1), f"{each.times:,}")
    return table


def printable(text: str) -> str:
    """A text on one line of a terminal, shortened, and with nothing in it that the terminal would obey.

    >>> printable("to be,\\nor \\x1b[31mnot")
    'to be,⏎or \\\\x1b[31mnot'
    """
    line = " ".join(text.replace("\n", "⏎").split())
    shown = on_one_line(line)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _table(first: str, *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first, overflow="fold")
    for name in numbers:
        table.add_column(Text(name), justify="right", no_wrap=True)
    return table


def _units(part: Part | Gap) -> list[str]:
    """Bits per byte, nats per token, and the factor of the perplexity that these are."""
    factor = f"×{math.exp(part.nats_per_token):.4g}" if abs(part.nats_per_token) < 700 else ""
    return [_signed(part.bits_per_byte), _signed(part.nats_per_token), factor]


def _signed(value: float, digits: int = 4) -> str:
    return format_signed(value, digits).replace("−", "-")  # a hyphen, so that it can be copied into a calculation
