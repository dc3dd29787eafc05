"""The chart of a gap's parts: a bar each, from where the last one ended to the right where it makes the first costlier,
else to the left, and below them the gap that they add up to.

Importing this module brings altair along, which takes half a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import altair as alt

from attnlab.numbers import format_signed
from attnlab.report.charts import save_chart
from attnlab.report.figures import BAR_STEP
from attnlab.report.look import PALETTE

DIGITS = 4
INK_OF_BOTH = "#808080"
"""Seen on white and on dark paper."""
KINDS = {"more": PALETTE[1], "less": PALETTE[0], "gap": INK_OF_BOTH}
"""The colours of parts that make the first costlier, or cheaper, and of the gap."""


@dataclass(frozen=True)
class PartBar:
    """A part of a gap in both units."""

    name: str
    nats_per_token: float
    bits_per_byte: float


@dataclass(frozen=True)
class Parts:
    """The parts of the gap between two measurements, by their names."""

    first: str
    second: str
    parts: tuple[PartBar, ...]

    @property
    def title(self) -> str:
        """What is explained."""
        return f"Why {self.first} and {self.second} differ"

    @property
    def gap(self) -> PartBar:
        """All parts together."""
        return PartBar(
            "together",
            sum(each.nats_per_token for each in self.parts),
            sum(each.bits_per_byte for each in self.parts),
        )

    @property
    def colours(self) -> str:
        """What the bars' colours mean."""
        return f"Orange makes {self.first} cost more than {self.second}, blue less; grey is all of it together"

    @property
    def description(self) -> str:
        """In words what the chart shows: the gaps, and the parts that are largest."""
        largest = sorted(self.parts, key=lambda each: -abs(each.bits_per_byte))[:3]
        said = ", ".join(f"{each.name} {_signed(each.bits_per_byte)}" for each in largest)
        gap = f"{_signed(self.gap.bits_per_byte)} bits per byte, {_signed(self.gap.nats_per_token)} nats per token"
        return f"{self.first} less {self.second}: {gap}. The largest parts, in bits per byte: {said}. {self.colours}."


def draw_parts(parts: Parts) -> alt.HConcatChart:
    """Both units side by side, the one that compares first; each bar begins where the one above it ends.

    What reads as 0 in both is left out.
    """
    shown = [each for each in parts.parts if {_signed(each.nats_per_token), _signed(each.bits_per_byte)} != {"0"}] + [
        parts.gap
    ]
    return alt.hconcat(
        _panel([(each.name, each.bits_per_byte) for each in shown], "bits per byte of the raw text, which compare"),
        _panel([(each.name, each.nats_per_token) for each in shown], "nats per token (the logarithm of perplexity)"),
    )


def save_parts(parts: Parts, path: Path) -> None:
    """Write the chart to a file: .png, .svg or .html."""
    save_chart(
        draw_parts(parts).properties(title=parts.colours), path, title=parts.title, description=parts.description
    )


def _panel(values: Sequence[tuple[str, float]], x_title: str) -> alt.LayerChart:
    """The bars of one unit, of which the last is the gap: it begins at 0, where the first part does."""
    *parts, (together, gap) = values
    ends = list(accumulate((value for _, value in parts), initial=0.0))
    rows = [_row(*each, *span) for each, span in zip(parts, pairwise(ends), strict=True)]
    rows.append(_row(together, gap, 0.0, gap) | {"kind": "gap"})
    numbered = alt.Data(values=[{**row, "row": at} for at, row in enumerate(rows)])
    low, high = min(*ends, gap), max(*ends, gap)
    scale = alt.Scale(domain=[low, high] if low < high else [-1.0, 1.0], nice=True)
    x = alt.X("start:Q", title=x_title, scale=scale, axis=alt.Axis(tickCount=5))
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.62, paddingOuter=0.31))
    colour = alt.Color("kind:N", legend=None, scale=alt.Scale(domain=list(KINDS), range=list(KINDS.values())))
    base = alt.Chart(numbered).encode(y=y)
    tooltip = [alt.Tooltip("text:N", title="part")]
    return alt.LayerChart(
        layer=[
            base.mark_bar().encode(x=x, x2="end:Q", color=colour, tooltip=tooltip),
            base.mark_tick(thickness=1, size=BAR_STEP * 0.4, color=INK_OF_BOTH).encode(
                x=alt.datum(0, type="quantitative")
            ),
            base.mark_text(align="left", baseline="bottom", dy=-10, limit=0).encode(x=alt.value(0), text="text:N"),
        ],
        height=alt.Step(BAR_STEP),
    )


def _row(name: str, value: float, start: float, end: float) -> dict[str, Any]:
    kind = "more" if value > 0 else "less"
    return {"kind": kind, "start": start, "end": end, "text": f"{name}: {_signed(value)}"}


def _signed(value: float) -> str:
    return format_signed(value, DIGITS)
