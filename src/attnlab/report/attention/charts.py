"""Charts of the attention bench: remaining errors of remedies, wanted and reached weights, and matrices.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from attnlab.report.attention.shown import SMALL, error_in_words, noise_in_words
from attnlab.report.blocks import Drawing
from attnlab.report.charts.axes import BAR_STEP, bar_texts, bar_y, colour, log_axis
from attnlab.report.charts.look import GREY, PALETTE

if TYPE_CHECKING:
    from attnlab.benches.attention.design import Designed
    from attnlab.benches.attention.remedies import Remedies

MOST_CELLS = 64
"""How many rows and columns of a matrix are drawn at most."""
MOST_LABELLED = 12
"""Cells show their numbers if a matrix has at most this many rows and columns."""
WIDTH = 400
"""The width of a chart of bars, in pixels."""
CELL, SMALL_CELL = 52, 12
"""The size of a cell with a number and of a cell without, in pixels."""
ROUNDING = 1e-12
"""Smaller shares of the largest number of a matrix are shown as 0."""


def draw_remedies(found: Remedies) -> Drawing:
    """A bar for each remedy: its remaining error, on a logarithmic axis."""
    # A logarithmic axis cannot show 0: bars of tiny errors end where the axis begins.
    start = max(min(each.error for each in found.rows) / 2, SMALL)
    rows = [
        {
            "row": place,
            "start": start,
            "error": max(each.error, start),
            "text": f"{each.name}: {error_in_words(each.error)}",
        }
        for place, each in enumerate(found.rows)
    ]
    scale, axis = log_axis([start, max(row["error"] for row in rows)])
    x = alt.X("error:Q", title="E‖c − ½(v_a + v_b)‖² (logarithmic)", scale=scale, axis=axis)
    base = alt.Chart(alt.Data(values=rows)).encode(y=bar_y())
    tooltip = [alt.Tooltip("text:N", title="remedy")]
    layers = [
        base.mark_bar(color=PALETTE[0]).encode(x=x, x2="start:Q", tooltip=tooltip),
        bar_texts(base),
    ]
    best = min(found.rows, key=lambda each: each.error)
    title = f"What helps: {found.settings.keys} keys, {noise_in_words(found.settings)}"
    told = f"The remaining error of each remedy. The least is {error_in_words(best.error)}: {best.name}."
    return Drawing(alt.LayerChart(layer=layers, height=alt.Step(BAR_STEP)), title, told)


def draw_design(found: Designed, rows: Sequence[Mapping[str, Any]]) -> Drawing:
    """For each key a bar of the wanted weight, and a bar of the reached weight if there is a query."""
    names = [name for name in ("wanted", "reached") if name in rows[0]]
    bars = [{"key": row["key"], "name": name, "weight": row[name]} for row in rows for name in names]
    chart = (
        alt.Chart(alt.Data(values=bars))
        .mark_bar()
        .encode(
            x=alt.X("key:O", title="key", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("name:N", sort=names),
            y=alt.Y("weight:Q", title="weight", scale=alt.Scale(domain=[0, 1])),
            color=colour(names).legend(alt.Legend(symbolType="square")),
            tooltip=["key:O", "name:N", alt.Tooltip("weight:Q", format=".6~g")],
        )
    )
    some = "" if len(rows) == len(found.wanted) else f", the {len(rows)} largest of {len(found.wanted)}"
    if found.holds:
        title = f"The wanted and the reached weights{some}"
        error = max(abs(row["reached"] - row["wanted"]) for row in rows)
        told = f"The weights of the keys, wanted and reached; they differ by at most {error:.3g}."
    elif found.weights is not None:
        title = f"No query reaches the wanted weights; this is close{some}"
        told = "The wanted weights of the keys, which no query reaches, and the weights of a query that is close."
    else:
        title = f"No query reaches these weights{some}"
        told = "The wanted weights of the keys, which no query reaches."
    return Drawing(alt.LayerChart(layer=[chart], width=WIDTH), title, told)


def draw_matrix(
    matrix: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    row_title: str,
    column_title: str,
) -> Drawing:
    """A heat map: the larger a number, the stronger its colour, blue above 0 and orange below."""
    shown_rows, shown_columns = list(rows[:MOST_CELLS]), list(columns[:MOST_CELLS])
    largest = max(abs(value) for numbers in matrix for value in numbers) or 1.0
    cells = [
        {"row": row, "column": column, "value": value, "text": _number(value, largest)}
        for row, numbers in zip(shown_rows, matrix, strict=False)
        for column, value in zip(shown_columns, numbers, strict=False)
    ]
    across, down = alt.Axis(labelAngle=0, labelOverlap=True, orient="top"), alt.Axis(labelOverlap=True)
    base = alt.Chart(alt.Data(values=cells)).encode(
        x=alt.X("column:N", title=column_title, sort=shown_columns, axis=across),
        y=alt.Y("row:N", title=row_title, sort=shown_rows, axis=down),
    )
    colours = alt.condition("datum.value < 0", alt.value(PALETTE[1]), alt.value(PALETTE[0]))
    strength = alt.FillOpacity("strength:Q", legend=None, scale=alt.Scale(domain=[0, largest], range=[0, 0.7]))
    tooltip = [
        alt.Tooltip("row:N", title=row_title),
        alt.Tooltip("column:N", title=column_title),
        alt.Tooltip("value:Q", format=".6~g"),
    ]
    squares = base.transform_calculate(strength="abs(datum.value)").mark_rect(stroke=GREY, strokeWidth=0.3)
    layers = [squares.encode(color=colours, fillOpacity=strength, tooltip=tooltip)]
    labelled = max(len(shown_rows), len(shown_columns)) <= MOST_LABELLED
    if labelled:
        layers.append(base.mark_text().encode(text="text:N"))
    side = alt.Step(CELL if labelled else SMALL_CELL)
    part = "" if len(cells) == len(rows) * len(columns) else f", the first {MOST_CELLS} of {len(rows)} rows"
    told = f"{title}{part}: a row for each {row_title}. The largest number is {largest:.3g}."
    return Drawing(alt.LayerChart(layer=layers, width=side, height=side), f"{title}{part}", told)


def _number(value: float, largest: float) -> str:
    """A number in a cell; 0 if it may be a rounding error."""
    return f"{value:.3g}" if abs(value) > ROUNDING * largest else "0"
