"""The overview of three or more explained models: what each step between two models is worth, and its largest parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attnlab.report.blocks import Block, Table, borderless
from attnlab.report.writing.estimates import typed_signed

if TYPE_CHECKING:
    from attnlab.evaluation.explanation.gaps import Gap

DIGITS = 4
LARGEST = 3
"""How many parts of a step the overview names."""
HEADING = "what each step is worth, in the bits/byte that the first model costs more; neighbours in rank come first"
SUM = "steps between neighbours add up to the step from the best model to the worst; the details of each step follow"


def steps_blocks(gaps: Sequence[Gap]) -> list[Block]:
    """The overview, if there is more than one step."""
    return [HEADING, steps_table(gaps), SUM] if len(gaps) > 1 else []


def steps_table(gaps: Sequence[Gap]) -> Table:
    """A row for each pair of models."""
    rows = [
        (each.first.name, each.second.name, typed_signed(each.bits_per_byte, DIGITS), _largest(each)) for each in gaps
    ]
    columns = ("first", "second", "bits/byte", "largest parts")
    return borderless(columns, rows, words=len(columns))


def _largest(gap: Gap) -> str:
    """The largest parts of a step, in bits per byte."""
    largest = sorted(gap.parts, key=lambda each: -abs(each.bits_per_byte))[:LARGEST]
    said = ((each.name, typed_signed(each.bits_per_byte, DIGITS)) for each in largest)
    return ", ".join(f"{name} {value}" for name, value in said if value != "0")
