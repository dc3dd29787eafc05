"""How the worth of heads is shown: a row for each head, how well the rankings agree, and how many heads can go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attnlab.report.blocks import Block, Drawing, Presentation, Table, borderless
from attnlab.report.writing.estimates import NONE, estimate_in_words

if TYPE_CHECKING:
    from attnlab.benches.heads.ablation import Ablation, AblationCurve, HeadWorth
    from attnlab.evaluation.scoring.intervals import Estimate

COLUMNS = ("zero", "mean", "first_order", "importance", "frozen")
FEWEST = 4
"""With fewer blocks than this there is no interval."""
MOST_PAIRS = 20
"""Pairs in a terminal; .json has all."""


def ablation(found: Ablation) -> Presentation:
    """What each head is worth."""
    blocks: list[Block] = [_title(found), _table(found), "", *_notes(found)]
    if found.pairs:
        blocks += ["", *_pairs(found)]
    blocks += ["", *(_agreed(name, each) for name, each in found.agreement.items())]
    blocks += [_can_go(found, each) for each in found.curves]
    return Presentation(blocks, lambda: _drawing(found), rows=[_row(each) for each in found.heads])


def _title(found: Ablation) -> str:
    read = f"{found.tokens:,} tokens ({found.raw_bytes:,} bytes) in windows of {found.context:,}"
    return f"{found.model} on {found.text}: {found.bits_per_byte:.4f} bits per byte; {read}"


def _table(found: Ablation) -> Table:
    names = [name for name in COLUMNS if name != "frozen" or found.settings.frozen]
    rows = [(each.head, *(estimate_in_words(getattr(each, name)) for name in names)) for each in found.heads]
    strong = [place for place, each in enumerate(found.heads) if each.zero.low is not None and each.zero.low > 0]
    return borderless(("head", *(name.replace("_", " ") for name in names)), rows, strong=strong)


def _notes(found: Ablation) -> list[str]:
    """What the columns mean."""
    same = "the same text" if found.own_reference else found.reference
    notes = [
        "bits per byte that the text costs more without the head; below 0 it costs less",
        f"zero: the head's output is 0; mean: it is its mean over all positions of {same}",
        "first order: −∂L/∂ξ, what zero would be if the cost were linear; importance: E|∂L/∂ξ| over the windows",
    ]
    if found.settings.frozen:
        notes.append("frozen: as zero, but all heads keep their attention weights; frozen − zero is what they repair")
    told = [each.zero.low is not None for each in found.heads]
    if any(told):
        notes.append(f"in brackets: 95 % intervals from the differences between {found.blocks} blocks of the text")
    if not all(told):
        few = f"the text has {found.blocks} blocks" if found.blocks < FEWEST else "distant blocks of the text are alike"
        notes.append(f"without brackets: {few}, so that it cannot tell how far other texts of its kind differ")
    return notes


def _pairs(found: Ablation) -> list[Block]:
    """The pairs with the strongest interactions."""
    rows = [
        (" + ".join(each.heads), estimate_in_words(each.both), estimate_in_words(each.interaction))
        for each in found.pairs[:MOST_PAIRS]
    ]
    more = len(found.pairs) - len(rows)
    left = f"; {more:,} weaker pairs are in --json" if more else ""
    said = "beyond the sum: above 0, each head does what the other could have done; below 0, they need each other"
    return [borderless(("both zero", "together", "beyond the sum"), rows), said + left]


def _agreed(name: str, found: Estimate | None) -> str:
    return f"ranks of {name}: Spearman's ρ {NONE if found is None else estimate_in_words(found)}"


def _can_go(found: Ablation, curve: AblationCurve) -> str:
    """How many heads can go before the text costs 1 % more."""
    count, last = curve.can_go, len(curve.order)
    return (
        f"one after the other, {curve.by}, least important first: {count} of {last} heads can go before the text costs "
        f"1 % more; without all {last} it costs {curve.bits_per_byte[-1]:.4f} bits per byte"
    )


def _row(each: HeadWorth) -> dict[str, Any]:
    row: dict[str, Any] = {"head": each.head}
    for name in COLUMNS:
        estimate = getattr(each, name)
        if estimate is not None:
            row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return row


def _drawing(found: Ablation) -> Drawing:
    """The cost against the number of heads switched off; without curves, a bar for each head."""
    from attnlab.charts import Bar, Bars, Lines, Series
    from attnlab.report.charts.figures import draw_chart

    if not found.curves:
        title = f"What each head of {found.model} is worth on {found.text}"
        bars = tuple(Bar(each.head, **vars(each.zero)) for each in found.heads)
        said = "Bits per byte that the text costs more without each head, with 95 % intervals: "
        said += ", ".join(f"{bar.name} {bar.value:.3g}" for bar in bars)
        return Drawing(draw_chart(Bars(title, "bits per byte more without the head", bars, said)), title, said)
    title = f"{found.model} on {found.text}: heads switched off one after the other"
    counts = tuple(float(count) for count in range(len(found.heads) + 1))
    lines = [Series(f"by {each.by}", counts, each.bits_per_byte) for each in found.curves]
    limit = 1.01 * found.bits_per_byte
    lines.append(Series("1 % more", (counts[0], counts[-1]), (limit, limit)))
    said = "; ".join(_can_go(found, each) for each in found.curves)
    chart = Lines(title, "heads switched off, the least important first", "bits per byte", tuple(lines), said)
    return Drawing(draw_chart(chart), title, said)
