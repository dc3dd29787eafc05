"""The charts of a classifier: the reliability diagram and the confusion matrix, how strongly words pushed towards a
class, and how often each kind of error occurs.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import altair as alt

from attnlab.numbers import format_signed, percent, whole_percent
from attnlab.report.blocks import Drawing
from attnlab.report.charts.bars import SHARES, bar_chart, bar_y, numbered
from attnlab.report.charts.heat_map import heat_map
from attnlab.report.charts.look import GREY, PALETTE
from attnlab.report.charts.reliability import draw_reliability
from attnlab.report.writing.lines import on_one_line, shortened

if TYPE_CHECKING:
    from attnlab.benches.sentiment import EvaluatedClassifier, Explained, ExplainedErrors
    from attnlab.evaluation.classification.scores import Classification

STRONGEST = 12
"""How many words are drawn."""
LARGEST = 40
"""How many classes fit into a confusion matrix."""


def draw_evaluated(found: EvaluatedClassifier) -> Drawing:
    """The reliability diagram, and beside it the confusion matrix if it fits."""
    scores = found.scores
    panels = [draw_reliability({"": scores.reliability}, "mean probability of the predicted class", "texts")]
    if len(scores.classes) <= LARGEST:
        panels.append(_confusion([each.name for each in scores.classes], scores.confusion))
    subtitle = (
        f"{percent(scores.accuracy.value, decimals=2)} right, calibration error {scores.calibration_error:.4f}. Left: "
        "on the dashed line probabilities are calibrated. Right: true and predicted classes"
    )
    chart = alt.hconcat(*panels).properties(title=subtitle)
    return Drawing(chart, f"{found.run} on {found.data}", _description(scores))


def draw_words(found: Explained) -> Drawing:
    """A bar for each of the strongest words, the strongest on top: to the right for the predicted class, else left."""
    reasons = found.reasons
    said, against = on_one_line(reasons.said), on_one_line(reasons.against)
    rows = [
        {
            "push": word.removal,
            "text": f"{shortened(on_one_line(word.name))}: {format_signed(word.removal, 2)}",
            "side": said if word.removal > 0 else against,
        }
        for word in reasons.strongest(STRONGEST)
    ]
    title = f"push towards {said} by removal, in nats of log-odds"
    x = alt.X("push:Q", title=title, scale=alt.Scale(nice=True))
    colour = alt.Color("side:N", scale=alt.Scale(domain=[said, against], range=list(PALETTE[:2])), legend=None)
    told = ", ".join(row["text"] for row in rows) or "no word of the text is known"
    subtitle = f"{said} with probability {reasons.probability:.4f}. Right of 0: for {said}, left of 0: for {against}"
    chart = bar_chart(rows, x, noun="word", colour=colour).properties(title=subtitle)
    return Drawing(chart, f"Why {on_one_line(found.run)} says {said}", f"How far the strongest words push: {told}.")


def draw_kinds(found: ExplainedErrors) -> Drawing:
    """Two bars for each kind of error: grey for all errors of the kind, blue for errors with it as their first kind."""
    counts, errors = found.counts, max(found.counts.errors, 1)
    rows = [
        {
            "first": first / errors,
            "held": held / errors,
            "text": f"{kind}: {whole_percent(first / errors)} first, {whole_percent(held / errors)} in all",
        }
        for kind, first, held in counts.rows
    ]
    x = alt.X("held:Q", title="share of the errors", axis=SHARES, scale=alt.Scale(nice=True))
    in_all = alt.Chart(numbered(rows)).mark_bar(color=GREY, opacity=0.45).encode(x=x, y=bar_y())
    subtitle = (
        f"{counts.errors:,} errors in {counts.texts:,} texts. Blue: an error's first kind; with grey: any of its kinds"
    )
    chart = bar_chart(rows, alt.X("first:Q"), noun="kind", below=[in_all]).properties(title=subtitle)
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


def _confusion(classes: Sequence[str], table: Sequence[Sequence[int]]) -> alt.LayerChart:
    """A row for each true class; the colour is the share of its texts that are predicted as the class of the column."""
    cells = [
        {
            "row": row,
            "column": column,
            "strength": count / max(sum(counts), 1),
            "text": f"{count:,}",
            "told": f"{classes[row]}, predicted {classes[column]}: {count:,} of {sum(counts):,}",
        }
        for row, counts in enumerate(table)
        for column, count in enumerate(counts)
    ]
    return heat_map(cells, classes, classes, "true class", "predicted class")
