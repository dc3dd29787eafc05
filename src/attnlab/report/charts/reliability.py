"""The reliability chart: accuracy against confidence.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import altair as alt

from attnlab.report.charts.axes import colour, fitted_legend, line_layers, unit_x, unit_y
from attnlab.report.charts.look import GREY

if TYPE_CHECKING:
    from attnlab.evaluation.reliability import Bin

HEIGHT = 290


def draw_reliability(lines: Mapping[str, Sequence[Bin]], x_title: str, unit: str) -> alt.LayerChart:
    """A line for each name, with a point for each bin: a larger point stands for more answers or texts (`unit`)."""
    rows = [
        {
            "name": name,
            "sure": each.confidence,
            "right": each.accuracy,
            "count": each.examples,
            "told": f"{each.examples:,} {unit}: {each.confidence:.3f} sure, {each.accuracy:.3f} right",
        }
        for name, bins in lines.items()
        for each in bins
    ]
    names = list(lines)
    x, y = unit_x("sure", x_title), unit_y("right", "accuracy")
    shades = colour(names).legend(fitted_legend(names) if len(names) > 1 else None)
    ends = alt.Chart(alt.Data(values=[{"sure": 0, "right": 0}, {"sure": 1, "right": 1}])).encode(x=x, y=y)
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y, color=shades)
    size = alt.Size("count:Q", legend=None, scale=alt.Scale(range=[30, 500], domainMin=0))
    tooltip = [alt.Tooltip("name:N", title="line")] * (len(names) > 1) + [alt.Tooltip("told:N", title="bin")]
    return alt.LayerChart(
        layer=[
            ends.mark_line(strokeDash=[4, 4], strokeWidth=1.5, color=GREY),
            line_layers(base, names, tooltip)[0],
            base.mark_point(filled=True, opacity=0.85).encode(size=size, tooltip=tooltip),
        ],
        height=HEIGHT,
    )
