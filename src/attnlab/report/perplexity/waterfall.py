"""The waterfall chart of a gap: a bar for each part, and below them the total.

Each bar begins where the bar above ended. It goes right if the part makes the first measurement costlier, else left.
Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import altair as alt

from attnlab.numbers import format_signed
from attnlab.report.blocks import Drawing
from attnlab.report.charts.bars import BAR_STEP, bar_chart, bar_y, numbered
from attnlab.report.charts.look import GREY, PALETTE

if TYPE_CHECKING:
    from attnlab.evaluation.explanation.gaps import Gap

_signed = partial(format_signed, decimals=4)
KINDS = {"more": PALETTE[1], "less": PALETTE[0], "gap": GREY}
"""The colours of parts that make the first costlier, or cheaper, and of the gap."""
TOTAL = "total"


def parts_drawing(gap: Gap) -> Drawing:
    """The chart, with the meaning of its colours as its subtitle."""
    chart = draw_parts(gap).properties(title=colours_in_words(gap))
    return Drawing(chart, parts_title(gap), describe_parts(gap))


def pairs_drawing(gaps: Sequence[Gap]) -> Drawing:
    """The chart of each pair, one below the other."""
    titles = [alt.Title(parts_title(each), subtitle=colours_in_words(each)) for each in gaps]
    charts = [draw_parts(each).properties(title=title) for each, title in zip(gaps, titles, strict=True)]
    names = dict.fromkeys(side.name for gap in gaps for side in (gap.second, gap.first))
    title = f"Why {', '.join(names)} differ, pair by pair"
    return Drawing(alt.vconcat(*charts), title, " ".join(map(describe_parts, gaps)))


def parts_title(gap: Gap) -> str:
    """The title: which two measurements differ."""
    return f"Why {gap.first.name} and {gap.second.name} differ"


def colours_in_words(gap: Gap) -> str:
    """The meaning of the bars' colours."""
    return f"Orange makes {gap.first.name} cost more than {gap.second.name}, blue less; grey is the total"


def describe_parts(gap: Gap) -> str:
    """What the chart shows, in words: the total and the three largest parts."""
    largest = sorted(gap.parts, key=lambda each: -abs(each.bits_per_byte))[:3]
    said = ", ".join(f"{each.name} {_signed(each.bits_per_byte)}" for each in largest)
    total = f"{_signed(gap.bits_per_byte)} bits per byte, {_signed(gap.nats_per_token)} nats per token"
    both = f"{gap.first.name} minus {gap.second.name}"
    return f"{both}: {total}. The largest parts, in bits per byte: {said}. {colours_in_words(gap)}."


def draw_parts(gap: Gap) -> alt.HConcatChart:
    """Bits per byte and nats per token side by side. Parts that round to 0 in both units are left out."""
    shown = [each for each in gap.parts if {_signed(each.nats_per_token), _signed(each.bits_per_byte)} != {"0"}]
    per_byte = [(each.name, each.bits_per_byte) for each in shown]
    per_token = [(each.name, each.nats_per_token) for each in shown]
    return alt.hconcat(
        _panel(per_byte, gap.bits_per_byte, "bits per byte of the raw text (comparable)"),
        _panel(per_token, gap.nats_per_token, "nats per token (the logarithm of perplexity)"),
    )


def _panel(parts: Sequence[tuple[str, float]], gap: float, x_title: str) -> alt.LayerChart:
    """The bars of one unit, and below them the total, which begins at 0 as the first bar does."""
    ends = list(accumulate((value for _, value in parts), initial=0.0))
    rows = [_row(*each, *span) for each, span in zip(parts, pairwise(ends), strict=True)]
    rows.append(_row(TOTAL, gap, 0.0, gap) | {"kind": "gap"})
    low, high = min(*ends, gap), max(*ends, gap)
    scale = alt.Scale(domain=[low, high] if low < high else [-1.0, 1.0], nice=True)
    x = alt.X("start:Q", title=x_title, scale=scale, axis=alt.Axis(tickCount=5))
    colour = alt.Color("kind:N", legend=None, scale=alt.Scale(domain=list(KINDS), range=list(KINDS.values())))
    zero = alt.Chart(numbered(rows)).mark_tick(thickness=1, size=BAR_STEP * 0.4, color=GREY)
    zeros = zero.encode(x=alt.datum(0, type="quantitative"), y=bar_y())
    return bar_chart(rows, x, noun="part", x2="end:Q", colour=colour, above=[zeros])


def _row(name: str, value: float, start: float, end: float) -> dict[str, Any]:
    kind = "more" if value > 0 else "less"
    return {"kind": kind, "start": start, "end": end, "text": f"{name}: {_signed(value)}"}
