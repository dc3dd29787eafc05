"""The chart of scores: a map of layers by heads for each main measure.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt

from attnlab.report.blocks import Drawing
from attnlab.report.charts.look import GREY, PALETTE
from attnlab.report.heads.scores.phrases import chance_in_words, found_names, interval_in_words, title
from attnlab.report.heads.scores.shades import strengths

if TYPE_CHECKING:
    from attnlab.benches.heads.scores import HeadScores
    from attnlab.evaluation.heads.measures import HeadMeasure

DRAWN = ("previous", "first", "self", "duplicate", "induction", "copying_eigenvalues")
ACROSS = 3
"""How many maps stand side by side."""
WIDTH, ROW, HIGHEST = 190, 28, 240
"""The width of a map, the height of a layer and the largest height of a map, in pixels."""


def scores_drawing(found: HeadScores) -> Drawing:
    """Maps of the main scores."""
    shown = [each for each in found.measures if each.key in DRAWN]
    rows = [shown[first : first + ACROSS] for first in range(0, len(shown), ACROSS)]
    chart = alt.vconcat(*(alt.hconcat(*(_map(found, each) for each in row), spacing=24) for row in rows))
    return Drawing(chart, title(found), describe(found, shown))


def describe(found: HeadScores, shown: Sequence[HeadMeasure]) -> str:
    """The highest score of each measure, in words."""
    best = []
    for measure in shown:
        head = max(found.heads, key=lambda each: each.scores[measure.key].value)
        best.append(f"{measure.title} {interval_in_words(head.scores[measure.key])} at {head.head}")
    named = "; ".join(found_names(found))
    return (
        "A square for each head: layers from top to bottom, heads from left to right, counted from 0. The stronger the "
        f"blue, the higher the score; orange is below 0. Highest scores: {'; '.join(best)}. Names: {named}."
    )


def _map(found: HeadScores, measure: HeadMeasure) -> alt.Chart:
    chance = chance_in_words(found, measure)
    cells = [
        {
            "layer": each.head.layer,
            "head": each.head.place,
            "strength": strength,
            "told": f"{each.head}: {interval_in_words(each.scores[measure.key])}; chance {chance}",
        }
        for each, strength in zip(found.heads, strengths(found, measure), strict=True)
    ]
    return (
        alt.Chart(alt.Data(values=cells), title=f"{measure.title} (chance {chance})")
        .transform_calculate(size="abs(datum.strength)")
        .mark_rect(stroke=GREY, strokeWidth=0.4)
        .encode(
            x=alt.X("head:O", title="head", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("layer:O", title="layer"),
            color=alt.condition("datum.strength < 0", alt.value(PALETTE[1]), alt.value(PALETTE[0])),
            fillOpacity=alt.FillOpacity("size:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0, 0.95])),
            tooltip=[alt.Tooltip("told:N", title="head")],
        )
        .properties(width=WIDTH, height=max(ROW, min(ROW * found.layers, HIGHEST)))
    )
