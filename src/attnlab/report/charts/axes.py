"""Parts that several charts share: axes, colours, legends and lines."""

import math
from collections.abc import Sequence
from typing import TypeVar

import altair as alt

from attnlab.report.charts.look import colours, dashes

LETTER = 7.5
"""Approximate width of a letter in a legend, in pixels."""
TICK_ROOM = 65
"""The width of a tick's label on the x axis, in pixels."""
MOST_POINTS = 400
"""More points of a line could not be told apart."""
Point = TypeVar("Point")


def log_axis(values: Sequence[float]) -> tuple[alt.Scale, alt.Axis]:
    """A logarithmic scale from the least to the greatest of the values, all above 0, and its ticks."""
    low, high = min(values), max(values)
    if low == high:
        low, high = low / 2, high * 2
    written_out = low >= 1e-4 and high < 1e6
    axis = alt.Axis(format=",~g" if written_out else "~e", values=log_ticks(low, high))
    return alt.Scale(type="log", domain=[low, high]), axis


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten from low to high; the powers alone where that would be too many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    if len(powers) > 4:
        every = math.ceil(len(powers) / 10)
        return [10.0**power for power in powers[::every] if low <= 10.0**power <= high]
    return [tick for power in powers for step in (1, 2, 5) if low <= (tick := step * 10.0**power) <= high]


def colour(names: Sequence[str]) -> alt.Color:
    """The colours of names: the same in every panel, even if a panel leaves out some names."""
    return alt.Color("name:N", title=None, scale=alt.Scale(domain=list(names), range=colours(len(names))))


def fitted_legend(names: Sequence[str]) -> alt.Legend:
    """A legend with as many columns as fit, for a chart of one panel."""
    column = LETTER * max(map(len, names), default=0) + 45
    return alt.Legend(columns=alt.ExprRef(f"max(1, floor(width / {column:.0f}))"), labelLimit=0, symbolOpacity=1)


def line_layers(
    base: alt.Chart, names: Sequence[str], tooltip: Sequence[alt.Tooltip], *, cut: bool = False
) -> list[alt.Chart]:
    """A line for each name, and invisible points with the tooltips. `base` has the data, x, y and colour.

    The tooltips are on points because a line always shows the numbers of its first point. A line is clipped only if it
    leaves the panel (`cut`): clipping halves its width at the panel's edges.
    """
    dash = alt.StrokeDash("name:N", title=None, scale=alt.Scale(domain=list(names), range=dashes(len(names))))
    return [
        base.mark_line(clip=cut).encode(strokeDash=dash),
        base.mark_point(clip=cut, opacity=0, size=60, aria=False).encode(tooltip=list(tooltip)),
    ]


def roomy_axis() -> alt.Axis:
    """An x axis with as many ticks as fit."""
    return alt.Axis(tickCount=alt.ExprRef(f"ceil(width / {TICK_ROOM})"))


def unit_x(field: str, title: str) -> alt.X:
    """An x axis from 0 to 1."""
    return alt.X(f"{field}:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5))


def unit_y(field: str, title: str) -> alt.Y:
    """A y axis from 0 to 1."""
    return alt.Y(f"{field}:Q", title=title, scale=alt.Scale(domain=[0, 1]))


def thinned(points: Sequence[Point]) -> list[Point]:
    """Every n-th point and the last, about `MOST_POINTS` in all."""
    every = len(points) // MOST_POINTS + 1
    return [point for number, point in enumerate(points, start=1) if number % every == 0 or number == len(points)]
