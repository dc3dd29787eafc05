"""The chart of theory beside heads: the predicted and the observed spread of each head's weights.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from attnlab.report.blocks import Drawing
from attnlab.report.charts.look import GREY, PALETTE
from attnlab.report.writing.estimates import estimate_in_words

if TYPE_CHECKING:
    from attnlab.benches.heads.theory import Theory


def theory_drawing(found: Theory) -> Drawing:
    """A point for each head; on the line, the head has the spread that the law predicts."""
    points = [
        {
            "predicted": each.spread.predicted,
            "observed": each.spread.observed,
            "head": str(each.head),
            "told": f"{each.head}: {estimate_in_words(each.spread.ratio)} times the predicted spread",
        }
        for each in found.heads
    ]
    most = 1.08 * max([0.01, *(max(each["predicted"], each["observed"]) for each in points)])
    scale = alt.Scale(domain=[0, most], nice=False)
    line = alt.Chart(alt.Data(values=[{"at": 0.0}, {"at": most}])).mark_line(color=GREY, strokeDash=[4, 4])
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X("predicted:Q", title="spread of the weight by the exact law", scale=scale),
        y=alt.Y("observed:Q", title="spread of the weight in the model", scale=scale),
        tooltip=[alt.Tooltip("told:N", title="head")],
    )
    chart = alt.layer(
        line.encode(x=alt.X("at:Q", scale=scale), y=alt.Y("at:Q", scale=scale)),
        base.mark_circle(size=70, color=PALETTE[0], opacity=0.9),
        base.mark_text(align="left", dx=7, dy=-5, fontSize=11).encode(text="head:N"),
    ).properties(width=420, height=420)
    told = "; ".join(f"{each['head']} {each['predicted']:.3f} and {each['observed']:.3f}" for each in points)
    description = (
        "A point for each head: across, the spread of its weights that the exact law predicts from the lengths of its "
        f"keys; upwards, the spread that they have. On the dashed line both are the same. {told}."
    )
    return Drawing(chart, f"Theory and the heads of {found.model}", description)
