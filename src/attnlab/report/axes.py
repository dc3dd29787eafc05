"""What charts of lines share: axes, and a line a name with the numbers that a pointer brings up."""

import math
from collections.abc import Sequence

import altair as alt

from attnlab.report.look import colours, dashes

LETTER = 7.5
"""About the width of a letter in a legend."""


def log_axis(values: Sequence[float]) -> tuple[alt.Scale, alt.Axis]:
    """A logarithmic scale from the least to the greatest of the values, all above 0, and its ticks."""
    low, high = min(values), max(values)
    if low == high:
        low, high = low / 2, high * 2
    written_out = low >= 1e-4 and high < 1e6
    axis = alt.Axis(format=",~g" if written_out else "~e", values=log_ticks(low, high))
    return alt.Scale(type="log", domain=[low, high]), axis


def log_ticks(low: float, high: float) -> list[float]:
    """The numbers 1, 2 and 5 times a power of ten from low to high, or the powers alone where that would crowd."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    if len(powers) > 4:
        every = math.ceil(len(powers) / 10)
        return [10.0**power for power in powers[::every] if low <= 10.0**power <= high]
    return [tick for power in powers for step in (1, 2, 5) if low <= (tick := step * 10.0**power) <= high]


def colour(names: Sequence[str]) -> alt.Color:
    """A name's colour: the same in every panel, whatever a panel leaves out."""
    return alt.Color("name:N", title=None, scale=alt.Scale(domain=list(names), range=colours(len(names))))


def fitted_legend(names: Sequence[str]) -> alt.Legend:
    """A legend with as many columns as fit, for a chart of one panel."""
    column = LETTER * max(map(len, names), default=0) + 45
    return alt.Legend(columns=alt.ExprRef(f"max(1, floor(width / {column:.0f}))"), labelLimit=0, symbolOpacity=1)


def line_layers(
    base: alt.Chart, names: Sequence[str], tooltip: Sequence[alt.Tooltip], *, cut: bool = False
) -> list[alt.Chart]:
    """A line a name, and its points, which are seen by the pointer only. `base` has the data, x, y and colour.

    The points carry the numbers that the pointer brings up: a line would bring up those of its first point, wherever it
    is. A line is clipped only if it leaves the panel (`cut`): clipping halves its width at the panel's edges.
    """
    dash = alt.StrokeDash("name:N", title=None, scale=alt.Scale(domain=list(names), range=dashes(len(names))))
    return [
        base.mark_line(clip=cut).encode(strokeDash=dash),
        base.mark_point(clip=cut, opacity=0, size=60, aria=False).encode(tooltip=list(tooltip)),
    ]
