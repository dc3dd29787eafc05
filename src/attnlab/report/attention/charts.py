"""Charts of the attention bench: remaining errors of remedies, wanted and reached weights, and matrices.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from attnlab.report.attention.noise_and_designs import SMALL, error_in_words, noise_in_words
from attnlab.report.blocks import Drawing
from attnlab.report.charts.axes import colour, log_axis
from attnlab.report.charts.bars import bar_chart
from attnlab.report.charts.heat_map import heat_map

if TYPE_CHECKING:
    from attnlab.benches.attention.design import Designed
    from attnlab.benches.attention.remedies import Remedies

MOST_CELLS = 64
"""How many rows and columns of a matrix are drawn at most."""
WIDTH = 400
"""The width of a chart of bars, in pixels."""
ROUNDING = 1e-12
"""Smaller shares of the largest number of a matrix are shown as 0."""


def draw_remedies(found: Remedies) -> Drawing:
    """A bar for each remedy: its remaining error, on a logarithmic axis."""
    # A logarithmic axis cannot show 0: bars of tiny errors end where the axis begins.
    start = max(min(each.error for each in found.rows) / 2, SMALL)
    rows = [
        {"start": start, "error": max(each.error, start), "text": f"{each.name}: {error_in_words(each.error)}"}
        for each in found.rows
    ]
    scale, axis = log_axis([start, max(row["error"] for row in rows)])
    x = alt.X("error:Q", title="E‖c − ½(v_a + v_b)‖² (logarithmic)", scale=scale, axis=axis)
    best = min(found.rows, key=lambda each: each.error)
    title = f"What helps: {found.settings.keys} keys, {noise_in_words(found.settings)}"
    told = f"The remaining error of each remedy. The least is {error_in_words(best.error)}: {best.name}."
    return Drawing(bar_chart(rows, x, noun="remedy", x2="start:Q"), title, told)


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
        title = f"No query reaches the wanted weights{some}"
        told = "The wanted weights of the keys, which no query reaches, and the weights of a query that tries."
    else:
        title = f"No query reaches the wanted weights{some}"
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
    """A heat map of the first rows and columns of a matrix."""
    shown_rows, shown_columns = list(rows[:MOST_CELLS]), list(columns[:MOST_CELLS])
    largest = max(abs(value) for numbers in matrix for value in numbers) or 1.0
    cells = [
        {
            "row": row,
            "column": column,
            "strength": value / largest,
            "text": _number(value, largest),
            "told": f"{row_title} {rows[row]}, {column_title} {columns[column]}: {value:.6g}",
        }
        for row, numbers in enumerate(matrix[:MOST_CELLS])
        for column, value in enumerate(numbers[:MOST_CELLS])
    ]
    part = "" if len(cells) == len(rows) * len(columns) else f", the first {MOST_CELLS} of {len(rows)} rows"
    told = f"{title}{part}: a row for each {row_title}. The largest number is {largest:.3g}."
    return Drawing(heat_map(cells, shown_rows, shown_columns, row_title, column_title), f"{title}{part}", told)


def _number(value: float, largest: float) -> str:
    """A number in a cell; 0 if it may be a rounding error."""
    return f"{value:.3g}".replace("-", "−") if abs(value) > ROUNDING * largest else "0"
