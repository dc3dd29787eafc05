"""Draws the lines and bars of `attnlab.charts`, and bars of counts, with Altair in the lab's look.

Importing this module imports altair, which takes half a second.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from attnlab.charts import Chart, Lines, Series
from attnlab.report.charts.axes import colour, fitted_legend, line_layers, log_axis, roomy_axis
from attnlab.report.charts.bars import draw_bars
from attnlab.report.charts.look import PALETTE

FEW_POINTS = 24
"""Points are marked if a line has at most this many."""


def draw_chart(chart: Chart) -> alt.LayerChart:
    """The Altair chart, without its title and description: pages show these beside it."""
    return draw_lines(chart) if isinstance(chart, Lines) else draw_bars(chart)


def draw_lines(chart: Lines) -> alt.LayerChart:
    """A line for each series, with its band if the series has a band, and with its points marked if they are few.

    A logarithmic axis leaves out points that are not above 0.
    """
    rows = [row for each in chart.series for row in _points(each) if _has_place(row, chart)]
    names = [each.name for each in chart.series]
    heights = [height for row in rows for height in _heights(row)]
    x = alt.X("x:Q", **_axis(chart.x_title, [row["x"] for row in rows], chart.log_x, flat=True))
    upright = _axis(chart.y_title, heights, chart.log_y)
    shades = colour(names).legend(fitted_legend(names) if len(names) > 1 else None)
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=alt.Y("y:Q", **upright), color=shades)
    tooltip = [
        alt.Tooltip("name:N", title="line"),
        alt.Tooltip("x:Q", title=chart.x_title, format=".4~g"),
        alt.Tooltip("y:Q", title=chart.y_title, format=".4~g"),
    ]
    layers = [*_bands(rows, x, alt.Y("low:Q", **upright), shades), *line_layers(base, names, tooltip)]
    if all(len(each.x) <= FEW_POINTS for each in chart.series):
        layers.append(base.mark_point(opacity=1, size=28, aria=False))
    return alt.LayerChart(layer=layers)


def draw_counts(counts: Mapping[str, Mapping[str, int]], kinds: Sequence[str], x_title: str) -> alt.LayerChart:
    """A stacked bar for each name: the counts of at most three kinds."""
    rows = [
        {"name": name, "kind": kind, "order": order, "count": found[kind]}
        for name, found in counts.items()
        for order, kind in enumerate(kinds)
        if found.get(kind)
    ]
    shades = alt.Scale(domain=list(kinds), range=[PALETTE[2], PALETTE[1], PALETTE[0]][: len(kinds)])
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("count:Q", title=x_title, axis=alt.Axis(values=_whole(counts), format="d")),
            y=alt.Y("name:N", title=None, sort=list(counts), axis=alt.Axis(labelLimit=260)),
            color=alt.Color("kind:N", title=None, scale=shades, legend=alt.Legend(symbolType="square")),
            order=alt.Order("order:Q"),
            tooltip=["name:N", "kind:N", alt.Tooltip("count:Q", format="d")],
        )
    )
    return alt.LayerChart(layer=[chart])


def _whole(counts: Mapping[str, Mapping[str, int]]) -> list[int]:
    """Ticks at whole numbers, about ten, up to the longest bar."""
    longest = max((sum(found.values()) for found in counts.values()), default=0)
    steps = (step * 10**power for power in range(19) for step in (1, 2, 5))
    step = next(each for each in steps if 10 * each >= longest)
    return list(range(0, longest + step, step))


def _points(series: Series) -> list[dict[str, Any]]:
    """A row for each point of a line."""
    rows = [{"name": series.name, "x": x, "y": y} for x, y in zip(series.x, series.y, strict=True)]
    if not (series.low and series.high):
        return rows
    edges = zip(series.low, series.high, strict=True)
    return [{**row, "low": low, "high": high} for row, (low, high) in zip(rows, edges, strict=True)]


def _heights(row: dict[str, Any]) -> list[float]:
    """The y of a point and of the edges of its band."""
    return [row[name] for name in ("y", "low", "high") if name in row]


def _has_place(row: dict[str, Any], chart: Lines) -> bool:
    """Whether a point and its band can be drawn on the chart's axes."""
    return (not chart.log_x or row["x"] > 0) and (not chart.log_y or min(_heights(row)) > 0)


def _axis(title: str, values: Sequence[float], log: bool, *, flat: bool = False) -> dict[str, Any]:
    """Title, scale and ticks of an axis for the values. It begins at 0 unless that would squeeze them.

    `flat` is the x axis, which ends where the lines end.
    """
    if log and values:
        scale, axis = log_axis(values)
        return {"title": f"{title} (logarithmic)", "scale": scale, "axis": axis}
    squeezed = bool(values) and min(values) > max(values) / 2
    scale = alt.Scale(zero=not squeezed, nice=not flat)
    return {"title": title, "scale": scale, "axis": roomy_axis() if flat else alt.Axis()}


def _bands(rows: Sequence[dict[str, Any]], x: alt.X, y: alt.Y, shades: alt.Color) -> list[alt.Chart]:
    """The bands of the lines that have a band."""
    banded = [row for row in rows if "low" in row]
    base = alt.Chart(alt.Data(values=banded)).mark_area(opacity=0.2, aria=False)
    return [base.encode(x=x, y=y, y2="high:Q", color=shades)] if banded else []
