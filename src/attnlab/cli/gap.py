"""A gap in parts, as a person reads it in a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from attnlab.evaluation.explanation.records import Dearest, Gap, Place

LONGEST = 70
"""So many characters of a passage are shown."""


def gap_lines(gap: Gap) -> list[RenderableType]:
    """The two measurements, the parts of the gap, what stands out, and what else is to be said."""
    lines: list[RenderableType] = [_measured(gap), "", _parts(gap)]
    for each in gap.dearest:
        lines += dearest_lines(each)
    return [*lines, *([""] if gap.notes else []), *(f"note: {each}" for each in gap.notes)]


def dearest_lines(found: Dearest) -> list[RenderableType]:
    """The words and passages that stand out, where there are any."""
    tables = [_places(name, some) for name, some in (("word", found.words), ("passage", found.passages)) if some]
    return ["", f"what stands out: {found.what}", *tables] if tables else []


def _measured(gap: Gap) -> Table:
    table = _table("", "perplexity", "nats/token", "bits/byte", "tokens", "bytes")
    for side in (gap.first, gap.second):
        numbers = (f"{side.perplexity:.4g}", f"{side.nats_per_token:.4f}", f"{side.bits_per_byte:.4f}")
        table.add_row(Text(side.name), *numbers, f"{side.tokens:,}", f"{side.raw_bytes:,}")
    return table


def _parts(gap: Gap) -> Table:
    """Each part in both units; a part of the logarithm is a factor of the perplexity itself."""
    table = _table("part", "nats/token", "perplexity", "bits/byte", "stretches")
    for part in gap.parts:
        table.add_row(
            part.name,
            _signed(part.nats_per_token),
            _factor(part.nats_per_token),
            _signed(part.bits_per_byte),
            "" if part.times is None else f"{part.times:,}",
        )
    total = (_signed(gap.nats_per_token), _factor(gap.nats_per_token), _signed(gap.bits_per_byte))
    table.add_section()
    table.add_row("together: the first less the second", *total, "", style="bold")
    return table


def _places(name: str, some: tuple[Place, ...]) -> Table:
    table = _table(name, "bits", *(["times"] if name == "word" else []))
    for each in some:
        times = [f"{each.times:,}"] if name == "word" else []
        table.add_row(Text(printable(each.text)), _signed(each.bits, 1), *times)
    return table


def printable(text: str) -> str:
    """A text on one line of a terminal, shortened, and with nothing in it that the terminal would obey.

    >>> printable("to be,\\nor \\x1b[31mnot")
    'to be,⏎or \\\\x1b[31mnot'
    """
    line = " ".join(text.replace("\n", "⏎").split())
    shown = "".join(each if each.isprintable() else repr(each)[1:-1] for each in line)
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _table(first: str, *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first, overflow="fold")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _signed(value: float, digits: int = 4) -> str:
    return f"{value:+,.{digits}f}" if value else "0"


def _factor(nats: float) -> str:
    return f"×{math.exp(nats):.4g}" if abs(nats) < 700 else ""
