"""Charts of attention on a text: the map of one head, or a small map for each of several heads.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
from jaxtyping import Float32

from attnlab.report.blocks import Drawing
from attnlab.report.charts.heat_map import heat_map
from attnlab.report.charts.look import GREY, PALETTE
from attnlab.report.heads.look.maps import pooled
from attnlab.report.writing.lines import visible

if TYPE_CHECKING:
    from attnlab.benches.heads.look import HeadPatterns

MOST_ROWS = 64
"""The most rows of the map of one head."""
MOST_RECTANGLES = 12_000
"""About the most rectangles of all small maps together: a drawing of more is slow."""
SMALL_MAP, BETWEEN = 72, 0.12
"""The size of a small map in pixels, and the gap between two of them as a share of that."""
FAINTEST = 0.004
"""Squares with less weight are not drawn: they would be invisible."""


def draw_map(found: HeadPatterns, head: str) -> Drawing:
    """The map of one head: a row for each query, a column for each key."""
    weights, every = pooled(found.weights(head), MOST_ROWS)
    ends = [min(first + every, len(found.tokens)) - 1 for first in range(0, len(found.tokens), every)]
    names = [visible(found.tokens[last]) if every == 1 else f"{last + 1 - every}–{last}" for last in ends]
    cells = [
        {
            "row": query,
            "column": key,
            "strength": float(weights[query, key]),
            "text": f"{weights[query, key]:.2f}",
            "told": f"query {names[query]}, key {names[key]}: weight {weights[query, key]:.4f}",
        }
        for query, key in zip(*np.tril_indices(len(names)), strict=True)
    ]
    chart = heat_map(cells, names, names, "query", "key")
    return Drawing(chart, f"Head {head} of {found.model}", _description(every))


def draw_heads(found: HeadPatterns) -> Drawing:
    """A small map for each head: a row for each layer, a column for each head."""
    room = int((2 * MOST_RECTANGLES / len(found.heads)) ** 0.5)
    maps = {name: pooled(found.weights(name), min(room, SMALL_MAP)) for name in found.heads}
    squares = [line for name, (weights, _) in maps.items() for line in _squares(name, weights)]
    layers, places = zip(*(map(int, name.split(".")) for name in found.heads), strict=True)
    every = max(each for _, each in maps.values())
    chart = alt.LayerChart(
        layer=[_frames(found.heads), _weights(squares)],
        width=SMALL_MAP * (max(places) - min(places) + 1),
        height=SMALL_MAP * (max(layers) - min(layers) + 1),
    )
    told = f"A map for each head: layers below each other, heads side by side. {_description(every)}"
    return Drawing(chart, f"{len(found.heads)} heads of {found.model}", told)


def _squares(name: str, weights: Float32[np.ndarray, "side side"]) -> list[str]:
    """A line of a table for each visible square of a small map: where it is in the chart, its weight and its head."""
    layer, place = map(int, name.split("."))
    side, room = len(weights), 1 - BETWEEN
    rows, columns = np.nonzero(weights > FAINTEST)
    return [
        f"{place + room * column / side:.4f},{place + room * (column + 1) / side:.4f},"
        f"{layer + room * row / side:.4f},{layer + room * (row + 1) / side:.4f},{weights[row, column]:.4f},head {name}"
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]


def _weights(squares: Sequence[str]) -> alt.Chart:
    # As one text, since altair takes a second to check a thousand rows.
    table = "\n".join(["x,x2,y,y2,weight,head", *squares])
    shade = alt.FillOpacity("weight:Q", legend=None, scale=alt.Scale(type="sqrt", domain=[0, 1], range=[0, 1]))
    tooltip = [alt.Tooltip("head:N"), alt.Tooltip("weight:Q", format=".4f")]
    base = alt.Chart(alt.InlineData(values=table, format=alt.CsvDataFormat(type="csv"))).mark_rect(color=PALETTE[0])
    return base.encode(x="x:Q", x2="x2:Q", y="y:Q", y2="y2:Q", fillOpacity=shade, tooltip=tooltip)


def _frames(heads: tuple[str, ...]) -> alt.Chart:
    """A thin frame around each small map, and the axes: the number of a head or layer is at its middle."""
    places = [tuple(map(int, name.split("."))) for name in heads]
    size = 1 - BETWEEN
    rows = [{"x": place, "x2": place + size, "y": layer, "y2": layer + size} for layer, place in places]

    def axis(numbers: list[int], title: str, orient: str) -> dict[str, Any]:
        ends = [min(numbers), max(numbers) + 1]
        style = alt.Axis(
            values=[each + size / 2 for each in sorted(set(numbers))],
            labelExpr="floor(datum.value)",
            grid=False,
            domain=False,
            ticks=False,
            orient=orient,  # pyright: ignore[reportArgumentType] (top or left)
        )
        return {"title": title, "axis": style, "scale": alt.Scale(domain=ends, nice=False, zero=False)}

    across, down = (
        axis([place for _, place in places], "head", "top"),
        axis([each for each, _ in places], "layer", "left"),
    )
    down["scale"].reverse = True
    base = alt.Chart(alt.Data(values=rows)).mark_rect(filled=False, stroke=GREY, strokeWidth=0.5, aria=False)
    return base.encode(x=alt.X("x:Q", **across), x2="x2:Q", y=alt.Y("y:Q", **down), y2="y2:Q")


def _description(every: int) -> str:
    pooling = f" One square covers {every} × {every} tokens and shows the largest weight in it." if every > 1 else ""
    return f"Rows are queries, columns are keys; the stronger the colour, the larger the weight.{pooling}"
