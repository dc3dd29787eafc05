"""Draws the lines and bars of `attnlab.charts`, and bars of counts, with Altair in the lab's look.

Importing this module imports altair, which takes half a second.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from attnlab.charts import Bar, Bars, Chart, Lines, Series
from attnlab.numbers import format_measure
from attnlab.report.charts.axes import BAR_STEP, bar_texts, bar_y, colour, fitted_legend, line_layers, log_axis
from attnlab.report.charts.look import PALETTE

FEW_POINTS = 24
"""Points are marked if a line has at most this many."""
TICK_ROOM = 65
"""The width of a tick's label on the x axis, in pixels."""


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


def draw_bars(chart: Bars) -> alt.LayerChart:
    """Horizontal bars, each with its name and number above it and its interval at its end."""
    rows = [_bar_row(bar) for bar in chart.bars]
    ends = [each for bar in chart.bars for each in (bar.value, bar.low, bar.high) if each is not None]
    domain = [min(0.0, *ends), max(0.0, *ends)] if any(ends) else [0.0, 1.0]
    x = alt.X("value:Q", title=chart.x_title, scale=alt.Scale(domain=domain, nice=True), axis=_roomy_axis())
    base = alt.Chart(alt.Data(values=[{**row, "row": at} for at, row in enumerate(rows)])).encode(y=bar_y())
    interval = base.transform_filter("isValid(datum.low)").encode(x=alt.X("low:Q", title=chart.x_title), x2="high:Q")
    zero = alt.Chart(alt.Data(values=[{"value": 0}])).mark_rule(strokeDash=[1, 0]).encode(x=x)
    return alt.LayerChart(
        layer=[
            base.mark_bar(color=PALETTE[0]).encode(x=x, tooltip=[alt.Tooltip("text:N", title="bar")]),
            zero,
            interval.mark_rule(strokeDash=[1, 0], strokeWidth=2, opacity=1),
            bar_texts(base),
        ],
        height=alt.Step(BAR_STEP),
    )


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
            x=alt.X("count:Q", title=x_title, axis=alt.Axis(tickMinStep=1, format="d")),
            y=alt.Y("name:N", title=None, sort=list(counts), axis=alt.Axis(labelLimit=260)),
            color=alt.Color("kind:N", title=None, scale=shades, legend=alt.Legend(symbolType="square")),
            order=alt.Order("order:Q"),
            tooltip=["name:N", "kind:N", alt.Tooltip("count:Q", format="d")],
        )
    )
    return alt.LayerChart(layer=[chart])


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
    return {"title": title, "scale": scale, "axis": _roomy_axis() if flat else alt.Axis()}


def _roomy_axis() -> alt.Axis:
    """An x axis with as many ticks as fit."""
    return alt.Axis(tickCount=alt.ExprRef(f"ceil(width / {TICK_ROOM})"))


def _bands(rows: Sequence[dict[str, Any]], x: alt.X, y: alt.Y, shades: alt.Color) -> list[alt.Chart]:
    """The bands of the lines that have a band."""
    banded = [row for row in rows if "low" in row]
    base = alt.Chart(alt.Data(values=banded)).mark_area(opacity=0.2, aria=False)
    return [base.encode(x=x, y=y, y2="high:Q", color=shades)] if banded else []


def _bar_row(bar: Bar) -> dict[str, Any]:
    """A bar's numbers, and the text above it."""
    low, high = (bar.value if end is None else end for end in (bar.low, bar.high))
    half = max(high - bar.value, bar.value - low)
    number = format_measure(bar.value, half)[0]
    return {"value": bar.value, "low": bar.low, "high": bar.high, "text": f"{bar.name}: {number}"}
