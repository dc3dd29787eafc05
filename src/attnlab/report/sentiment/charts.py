"""The charts of a classifier: the reliability diagram and the confusion matrix, how strongly words pushed towards a
class, and how often each kind of error occurs.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt

from attnlab.numbers import format_signed
from attnlab.report.blocks import Drawing
from attnlab.report.charts.axes import BAR_STEP, bar_texts, bar_y
from attnlab.report.charts.look import GREY, PALETTE
from attnlab.report.writing.lines import on_one_line, shortened

if TYPE_CHECKING:
    from attnlab.benches.sentiment import Evaluated, Explained, ExplainedErrors
    from attnlab.evaluation.classification.scores import Classification
    from attnlab.evaluation.reliability import Bin

STRONGEST = 12
"""How many words are drawn."""
LARGEST = 40
"""How many classes fit into a confusion matrix."""


def draw_evaluated(found: Evaluated) -> Drawing:
    """The reliability diagram, and beside it the confusion matrix if it fits."""
    scores = found.scores
    panels = [_reliability(scores.reliability)]
    if len(scores.classes) <= LARGEST:
        panels.append(_confusion([each.name for each in scores.classes], scores.confusion))
    subtitle = (
        f"{scores.accuracy.value:.2%} right, calibration error {scores.calibration_error:.4f}. Left: on the dashed "
        "line probabilities are calibrated. Right: true and predicted classes"
    )
    chart = alt.hconcat(*panels).properties(title=subtitle)
    return Drawing(chart, f"{found.run} on {found.data}", _description(scores))


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


def _description(scores: Classification) -> str:
    """What the charts show, in words."""
    points = ", ".join(f"{each.confidence:.2f} sure, {each.accuracy:.2f} right" for each in scores.reliability)
    names = [each.name for each in scores.classes]
    pairs = [
        (count, names[row], names[column])
        for row, counts in enumerate(scores.confusion)
        for column, count in enumerate(counts)
        if row != column and count
    ]
    worst = ", ".join(
        f"{of} predicted as {said} {count:,} times" for count, of, said in sorted(pairs, reverse=True)[:3]
    )
    return f"Reliability by bins: {points}. Confusions: {worst or 'none'}."


def _reliability(points: Sequence[Bin]) -> alt.LayerChart:
    rows = [
        {
            "sure": each.confidence,
            "right": each.accuracy,
            "texts": each.examples,
            "told": f"{each.examples:,} texts: {each.confidence:.3f} sure, {each.accuracy:.3f} right",
        }
        for each in points
    ]
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("sure:Q", title="mean probability of the predicted class", scale=scale)
    y = alt.Y("right:Q", title="accuracy", scale=scale)
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y)
    line = alt.Chart(alt.Data(values=[{"sure": 0, "right": 0}, {"sure": 1, "right": 1}])).encode(x=x, y=y)
    size = alt.Size("texts:Q", legend=None, scale=alt.Scale(range=[30, 500], domainMin=0))
    return alt.LayerChart(
        layer=[
            line.mark_line(strokeDash=[4, 4], strokeWidth=1.5, color=GREY),
            base.mark_line(color=PALETTE[0]),
            base.mark_point(color=PALETTE[0], filled=True, opacity=1).encode(
                size=size, tooltip=[alt.Tooltip("told:N", title="bin")]
            ),
        ],
        height=290,
    )


def _confusion(classes: Sequence[str], table: Sequence[Sequence[int]]) -> alt.LayerChart:
    rows = [
        {
            "is": f"{row} {of}",
            "said": f"{column} {said}",
            "share": count / max(sum(table[row]), 1),
            "count": f"{count:,}",
            "told": f"{of}, predicted {said}: {count:,} of {sum(table[row]):,}",
        }
        for row, of in enumerate(classes)
        for column, said in enumerate(classes)
        for count in (table[row][column],)
    ]
    # The number in front keeps the order of the classes, and tells equal names apart; the axis does not show it.
    names = alt.Axis(
        labelExpr="slice(datum.label, indexof(datum.label, ' ') + 1)", domain=False, ticks=False, labelLimit=110
    )
    order_is, order_said = ([f"{place} {name}" for place, name in enumerate(classes)] for _ in range(2))
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("said:N", title="predicted class", sort=order_said, axis=names),
        y=alt.Y("is:N", title="true class", sort=order_is, axis=names),
    )
    shade = alt.Opacity("share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.04, 0.55]))
    layers = [
        base.mark_rect(color=PALETTE[0]).encode(opacity=shade, tooltip=[alt.Tooltip("told:N", title="texts")]),
    ]
    if len(classes) <= 12:
        layers.append(base.mark_text(fontSize=12).encode(text="count:N"))
    return alt.LayerChart(layer=layers, width=290, height=290)
