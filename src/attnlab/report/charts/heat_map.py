"""Matrices as heat maps.

Importing this module imports altair, which takes half a second.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from attnlab.report.charts.axes import LETTER
from attnlab.report.charts.look import GREY, PALETTE
from attnlab.report.writing.lines import on_one_line

MOST_LABELLED = 12
"""Cells show their texts if a matrix has at most this many rows and columns."""
CELL, SMALL_CELL = 52, 12
"""The size of a cell with a text and of a cell without, in pixels."""
LONGEST = 24
"""How many letters of a name are shown at most."""


def heat_map(
    cells: Iterable[Mapping[str, Any]], rows: Sequence[str], columns: Sequence[str], row_title: str, column_title: str
) -> alt.LayerChart:
    """A square for each cell, which has the number of its `row` and `column`, a `strength` from −1 to 1, its `text`,
    and what is `told` in its tooltip. The larger the strength, the stronger the colour: blue above 0, orange below."""
    base = alt.Chart(alt.Data(values=list(cells))).encode(
        x=alt.X("column:O", title=column_title, axis=_axis(columns, across=True)),
        y=alt.Y("row:O", title=row_title, axis=_axis(rows, across=False)),
    )
    colours = alt.condition("datum.strength < 0", alt.value(PALETTE[1]), alt.value(PALETTE[0]))
    opacity = alt.FillOpacity("size:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0, 0.7]))
    squares = base.transform_calculate(size="abs(datum.strength)").mark_rect(stroke=GREY, strokeWidth=0.3)
    layers = [squares.encode(color=colours, fillOpacity=opacity, tooltip=[alt.Tooltip("told:N", title="cell")])]
    labelled = max(len(rows), len(columns)) <= MOST_LABELLED
    if labelled:
        layers.append(base.mark_text().encode(text="text:N"))
    wide = max(CELL, round(LETTER * min(max(map(len, columns), default=0), LONGEST)) + 12)
    side = CELL if labelled else SMALL_CELL
    return alt.LayerChart(layer=layers, width=alt.Step(wide if labelled else side), height=alt.Step(side))


def _axis(names: Sequence[str], *, across: bool) -> alt.Axis:
    """An axis with a name for each number, horizontal so that it is easy to read."""
    return alt.Axis(
        # A control character must go before json escapes it: the expression would bring it back, and vl-convert crash.
        labelExpr=f"{json.dumps([on_one_line(name) for name in names])}[datum.value]",
        labelAngle=0,
        labelOverlap=True,
        labelLimit=round(LETTER * LONGEST),
        orient="top" if across else "left",
        domain=False,
        ticks=False,
    )
