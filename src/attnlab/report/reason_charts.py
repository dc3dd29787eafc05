"""The charts of reasons: how strongly words pushed towards a class, and how often each kind of error occurs.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from attnlab.numbers import format_signed
from attnlab.report.axes import BAR_STEP, bar_texts, bar_y
from attnlab.report.blocks import Drawing
from attnlab.report.lines import on_one_line, shortened
from attnlab.report.look import GREY, PALETTE

if TYPE_CHECKING:
    from attnlab.benches.sentiment import Explained, ExplainedErrors

STRONGEST = 12
"""How many words are drawn."""


def draw_words(found: Explained) -> Drawing:
    """A bar for each of the strongest words, the strongest on top: to the right for the predicted class, else left."""
    reasons = found.reasons
    said, against = on_one_line(reasons.said), on_one_line(reasons.against)
    rows = [
        {"row": row, "push": push, "text": f"{name}: {format_signed(push, 2)}", "side": said if push > 0 else against}
        for row, place in enumerate(reasons.strongest(STRONGEST))
        for push in (float(reasons.removal[place]),)
        for name in (shortened(on_one_line(reasons.words[place].text)),)
    ]
    title = f"push towards {said} by removal, in nats of log-odds"
    x = alt.X("push:Q", title=title, scale=alt.Scale(nice=True))
    colour = alt.Color("side:N", scale=alt.Scale(domain=[said, against], range=list(PALETTE[:2])), legend=None)
    base = alt.Chart(alt.Data(values=rows)).encode(y=bar_y())
    bars = base.mark_bar().encode(x=x, color=colour, tooltip=[alt.Tooltip("text:N", title="word")])
    layers = [bars, bar_texts(base, dy=-10)]
    told = ", ".join(row["text"] for row in rows) or "no word of the text is known"
    subtitle = f"{said} with probability {reasons.probability:.4f}. Right of 0: for {said}, left of 0: for {against}"
    chart = alt.LayerChart(layer=layers, height=alt.Step(BAR_STEP)).properties(title=subtitle)
    return Drawing(chart, f"Why {on_one_line(found.run)} says {said}", f"How far the strongest words push: {told}.")


def draw_kinds(found: ExplainedErrors) -> Drawing:
    """Two bars for each kind of error: grey for all errors of the kind, blue for errors with it as their first kind."""
    counts, errors = found.counts, max(found.counts.errors, 1)
    rows = [
        {
            "row": row,
            "first": first / errors,
            "held": held / errors,
            "text": f"{kind}: {first / errors:.0%} first, {held / errors:.0%} in all",
        }
        for row, (kind, first, held) in enumerate(counts.rows)
    ]
    x = alt.X("held:Q", title="share of the errors", axis=alt.Axis(format="%", tickCount=5), scale=alt.Scale(nice=True))
    base = alt.Chart(alt.Data(values=rows)).encode(y=bar_y())
    tooltip = [alt.Tooltip("text:N", title="kind")]
    layers = [
        base.mark_bar(color=GREY, opacity=0.45).encode(x=x, tooltip=tooltip),
        base.mark_bar(color=PALETTE[0]).encode(x=alt.X("first:Q"), tooltip=tooltip),
        bar_texts(base, dy=-10),
    ]
    subtitle = (
        f"{counts.errors:,} errors in {counts.texts:,} texts. Blue: an error's first kind; with grey: any of its kinds"
    )
    chart = alt.LayerChart(layer=layers, height=alt.Step(BAR_STEP)).properties(title=subtitle)
    told = ", ".join(f"{kind} {first:,} (in all {held:,})" for kind, first, held in counts.rows)
    description = f"Errors by their first kind: {told}. An error may be of several kinds."
    return Drawing(chart, f"Why {found.run} misreads {found.data}", description)
