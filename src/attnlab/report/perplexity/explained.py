"""How an explanation is shown: a cost by kinds, or a gap in parts, and the costliest words and passages."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from attnlab.numbers import percent
from attnlab.report.blocks import Block, Table, borderless
from attnlab.report.perplexity.steps import steps_blocks
from attnlab.report.writing.estimates import typed_signed
from attnlab.report.writing.lines import printable

if TYPE_CHECKING:
    from attnlab.benches.perplexity import Comparison
    from attnlab.evaluation.explanation.gaps import Account, Costliest, CostlyText, Gap, Part

DIGITS = 4
NOTHING = ["0", "0", "×1"]


def explained_blocks(found: Comparison) -> list[Block]:
    """Where a cost comes from, or why costs differ, pair by pair; the costliest words and passages, and notes."""
    blocks: list[Block] = []
    blocks += steps_blocks(found.gaps)
    told: set[str] = set()
    for gap in found.gaps:
        blocks += [*([""] if blocks else []), *gap_blocks(gap, told)]
        told.update(gap.notes)
    if found.account is not None:
        blocks += account_blocks(found.account)
    return ["", *blocks] if blocks else []


def gap_blocks(gap: Gap, told: Collection[str] = ()) -> list[Block]:
    """Why two measurements differ, without the notes that were told before."""
    heading = f"why {gap.first.name} and {gap.second.name} differ: the parts add up to the difference"
    return [heading, _parts(gap), *_beside(gap.costliest, [each for each in gap.notes if each not in told])]


def account_blocks(account: Account) -> list[Block]:
    """Where the cost of a measurement comes from."""
    heading = f"where the cost of {account.side.name} comes from: the parts add up to the total"
    return [heading, _kinds(account), *_beside(account.costliest, account.notes)]


def _parts(gap: Gap) -> Table:
    """Each part in both units; a part of the logarithm is a factor of the perplexity itself."""
    counts = ["times"] if len(gap.costliest) == 1 else [f"times in {each.name}" for each in (gap.first, gap.second)]
    rows = [(part.name, *_units(part), *(f"{each:,}" for each in part.times)) for part in gap.parts]
    rows = [row for row in rows if list(row[1:4]) != NOTHING]
    total = f"total: {gap.first.name} minus {gap.second.name}"
    cells = [*(_filled(row, 4 + len(counts)) for row in rows), _filled((total, *_units(gap)), 4 + len(counts))]
    return borderless(("part", "bits/byte", "nats/token", "perplexity", *counts), cells, strong=[len(rows)])


def _kinds(account: Account) -> Table:
    rows = [
        (
            each.name,
            f"{each.bits_per_byte:.4f}",
            percent(each.share_of_cost),
            "" if each.share_of_bytes is None else percent(each.share_of_bytes),
            "" if each.times is None else f"{each.times:,}",
        )
        for each in account.kinds
    ]
    total = ("total", f"{account.side.bits_per_byte:.4f}", percent(1), percent(1), "")
    names = ("kind", "bits/byte", "share of the cost", "share of the bytes", "times")
    return borderless(names, [*rows, total], strong=[len(rows)])


def _beside(costliest: Sequence[Costliest], notes: Sequence[str]) -> list[Block]:
    """The costliest words and passages, if there are any, and notes."""
    blocks: list[Block] = []
    for each in costliest:
        tables = [_places(name, some) for name, some in (("word", each.words), ("passage", each.passages)) if some]
        blocks += ["", f"what stands out: {each.what}", *tables] if tables else []
    return [*blocks, *([""] if notes else []), *(f"note: {each}" for each in notes)]


def _places(name: str, some: Sequence[CostlyText]) -> Table:
    rows = [(printable(each.text), typed_signed(each.bits, 1), f"{each.times:,}") for each in some]
    return borderless((name, "bits", "times"), rows)


def _units(part: Part | Gap) -> list[str]:
    """Bits per byte, nats per token, and the factor of the perplexity that these are."""
    factor = f"×{math.exp(part.nats_per_token):.4g}" if abs(part.nats_per_token) < 700 else ""
    return [typed_signed(part.bits_per_byte, DIGITS), typed_signed(part.nats_per_token, DIGITS), factor]


def _filled(row: Sequence[str], length: int) -> list[str]:
    return [*row, *[""] * (length - len(row))]
