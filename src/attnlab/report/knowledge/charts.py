"""The charts of a model's knowledge: precision against coverage, memorised and extracted facts, the
likeliest answers to a question.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from attnlab.charts import Bar
from attnlab.numbers import percent
from attnlab.report.charts.axes import thinned, unit_x, unit_y
from attnlab.report.charts.bars import draw_shares
from attnlab.report.charts.look import PALETTE
from attnlab.report.charts.reliability import HEIGHT
from attnlab.report.knowledge.phrases import CELLS
from attnlab.report.writing.lines import on_one_line
from attnlab.statistics import Share

if TYPE_CHECKING:
    from attnlab.benches.knowledge import QuestionReply
    from attnlab.evaluation.knowledge.coverage import AnswerCounts
    from attnlab.evaluation.knowledge.extraction import ExtractionTable
    from attnlab.evaluation.knowledge.measuring import Confidence

PRECISION = "precision: share of the answers that are right"


def draw_coverage(confidence: Confidence) -> alt.LayerChart:
    """Precision against coverage, with the threshold and the interval of its precision marked, and a dashed line at the
    wanted precision."""
    given, threshold = confidence.given, confidence.threshold
    x, y = unit_x("coverage", "share of questions answered"), unit_y("precision", PRECISION)
    base = alt.Chart(alt.Data(values=_curve(confidence.curve))).encode(x=x, y=y)
    tooltip = [alt.Tooltip("told:N", title="threshold")]
    layers = [
        alt.Chart(alt.Data(values=[{"precision": threshold.precision}])).mark_rule().encode(y=y),
        base.mark_line(color=PALETTE[0]),
        base.mark_point(opacity=0, size=60, aria=False).encode(tooltip=tooltip),
    ]
    if given.precision is not None and threshold.probability is not None:
        row = _point(threshold.probability, given.coverage.value, given.precision.value)
        ends = {"low": given.precision.low, "high": given.precision.high}
        mark = alt.Chart(alt.Data(values=[row | ends])).encode(x=x)
        layers += [
            mark.mark_rule(color=PALETTE[1], opacity=1, strokeDash=[1, 0], strokeWidth=2).encode(
                y=unit_y("low", PRECISION), y2="high:Q"
            ),
            mark.mark_point(color=PALETTE[1], filled=True, opacity=1, size=130).encode(y=y, tooltip=tooltip),
        ]
    return alt.LayerChart(layer=layers, height=HEIGHT)


def draw_extraction(extraction: ExtractionTable) -> alt.LayerChart:
    """A bar for each cell of the table of memorised and extracted facts, with its interval."""
    cells = {name: Share(getattr(extraction, cell), extraction.questions) for cell, name in CELLS.items()}
    bars = [Bar(name, each.value, each.low, each.high) for name, each in cells.items()]
    return draw_shares(bars, "share of the questions")


def draw_answers(replies: Sequence[QuestionReply], threshold: float | None) -> alt.LayerChart:
    """A bar for each of the likeliest answers to each question, with the threshold across them."""
    bars = []
    for reply in replies:
        question = f"{on_one_line(reply.question)} " if len(replies) > 1 else ""
        answers = [(reply.likeliest or "", reply.probability or 0.0), *reply.runners_up]
        bars += [Bar(f"{question}{on_one_line(text) or '(nothing)'}", probability) for text, probability in answers]
    marks = {} if threshold is None else {"threshold": threshold}
    return draw_shares(bars, "probability", marks, least=1.0)


def _curve(points: Sequence[tuple[float, AnswerCounts]]) -> list[dict[str, Any]]:
    return [_point(bound, given.coverage.value, given.right / given.answered) for bound, given in thinned(points)]


def _point(threshold: float, coverage: float, precision: float) -> dict[str, Any]:
    told = f"{threshold:.3f}: {percent(coverage)} answered, {percent(precision)} right"
    return {"coverage": coverage, "precision": precision, "told": told}
