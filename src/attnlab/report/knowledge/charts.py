"""The charts of a model's knowledge: reliability, precision against coverage, memorised and extracted facts, the
likeliest answers to a question, and variants side by side.

Importing this module imports altair, which takes half a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from attnlab.charts import Bar
from attnlab.numbers import percent, percents
from attnlab.report.charts.axes import BAR_STEP, bar_texts, bar_y, colour, fitted_legend, line_layers, thinned
from attnlab.report.charts.look import GREY, PALETTE
from attnlab.report.knowledge.words import CELLS
from attnlab.report.writing.lines import on_one_line
from attnlab.statistics import Share

if TYPE_CHECKING:
    from attnlab.benches.knowledge import QuestionReply
    from attnlab.evaluation.knowledge.calibration import Calibration
    from attnlab.evaluation.knowledge.coverage import Given
    from attnlab.evaluation.knowledge.extraction import Extraction
    from attnlab.evaluation.knowledge.measuring import Confidence

HEIGHT = 290
PRECISION = "precision: share of the answers that are right"
PERCENT = "format(100 * datum.value, '~r') + ' %'"
"""The label of a tick: a share in per cent."""


def draw_reliability(calibrations: Mapping[str, Calibration]) -> alt.LayerChart:
    """Accuracy against confidence, a line for each calibration by its name."""
    rows = [
        {
            "name": name,
            "sure": each.confidence,
            "right": each.accuracy,
            "answers": each.examples,
            "told": f"{each.examples:,} answers: {each.confidence:.3f} sure, {each.accuracy:.3f} right",
        }
        for name, calibration in calibrations.items()
        for each in calibration.bins
    ]
    names = list(calibrations)
    x, y = _unit_x("sure", "mean probability of the answer"), _unit_y("right", "accuracy")
    shades = colour(names).legend(fitted_legend(names) if len(names) > 1 else None)
    ends = alt.Chart(alt.Data(values=[{"sure": 0, "right": 0}, {"sure": 1, "right": 1}])).encode(x=x, y=y)
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y, color=shades)
    size = alt.Size("answers:Q", legend=None, scale=alt.Scale(range=[30, 500], domainMin=0))
    tooltip = [alt.Tooltip("name:N", title="line"), alt.Tooltip("told:N", title="bin")]
    return alt.LayerChart(
        layer=[
            ends.mark_line(strokeDash=[4, 4], strokeWidth=1.5, color=GREY),
            line_layers(base, names, tooltip)[0],
            base.mark_point(filled=True, opacity=0.85).encode(size=size, tooltip=tooltip),
        ],
        height=HEIGHT,
    )


def draw_coverage(confidence: Confidence) -> alt.LayerChart:
    """Precision against coverage, with the threshold and the interval of its precision marked, and a dashed line at the
    wanted precision."""
    given, threshold = confidence.given, confidence.threshold
    x, y = _unit_x("coverage", "share of questions answered"), _unit_y("precision", PRECISION)
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
                y=_unit_y("low", PRECISION), y2="high:Q"
            ),
            mark.mark_point(color=PALETTE[1], filled=True, opacity=1, size=130).encode(y=y, tooltip=tooltip),
        ]
    return alt.LayerChart(layer=layers, height=HEIGHT)


def draw_extraction(extraction: Extraction) -> alt.LayerChart:
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


def draw_shares(
    bars: Sequence[Bar], title: str, marks: Mapping[str, float] | None = None, least: float = 0.0
) -> alt.LayerChart:
    """A bar for each share with its interval, and marks across all bars, such as a ceiling. The axis goes up to the
    largest number, but at least to `least`."""
    rows = [_bar_row(place, bar) for place, bar in enumerate(bars)]
    marks = marks or {}
    ends = [*(row["high"] for row in rows), *(row["value"] for row in rows), *marks.values(), least]
    scale = alt.Scale(domain=[0.0, max([each for each in ends if each] or [1.0])], nice=True)
    x = alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(labelExpr=PERCENT, tickCount=5))
    base = alt.Chart(alt.Data(values=rows)).encode(y=bar_y())
    interval = base.transform_filter("isValid(datum.low)").encode(x=alt.X("low:Q", title=title), x2="high:Q")
    return alt.LayerChart(
        layer=[
            base.mark_bar(color=PALETTE[0]).encode(x=x, tooltip=[alt.Tooltip("text:N", title="bar")]),
            interval.mark_rule(strokeDash=[1, 0], strokeWidth=2, opacity=1),
            *([_marks(marks, len(rows), x)] if marks else []),
            bar_texts(base),
        ],
        height=alt.Step(BAR_STEP),
    )


def _marks(marks: Mapping[str, float], bars: int, x: alt.X) -> alt.Chart:
    """Each mark as a tick across every bar, so that the text above the bars stays free; the legend has its name and
    number."""
    names = [f"{name} {percent(value)}" for name, value in marks.items()]
    pairs = zip(names, marks.values(), strict=True)
    rows = [{"name": name, "value": value, "row": row} for name, value in pairs for row in range(bars)]
    shades = [PALETTE[1 + place % (len(PALETTE) - 1)] for place in range(len(names))]  # blue is the bars'
    legend = fitted_legend(names)
    legend.symbolType, legend.symbolSize = "square", 120
    shade = alt.Color("name:N", title=None, scale=alt.Scale(domain=names, range=shades), legend=legend)
    base = alt.Chart(alt.Data(values=rows)).mark_tick(thickness=3, size=BAR_STEP / 2, opacity=1)
    return base.encode(x=x, y=bar_y(), color=shade)


def _bar_row(place: int, bar: Bar) -> dict[str, Any]:
    """A bar with its text. An interval over seeds may go beyond 0 or 1, and is cut there."""
    low, high = (None if end is None else min(max(end, 0.0), 1.0) for end in (bar.low, bar.high))
    spread = "" if low is None or high is None else f" ({percents(low, high)})"
    text = f"{bar.name}: {percent(bar.value)}{spread}"
    return {"row": place, "value": bar.value, "low": low, "high": high, "text": text}


def _curve(points: Sequence[tuple[float, Given]]) -> list[dict[str, Any]]:
    return [_point(bound, given.coverage.value, given.right / given.answered) for bound, given in thinned(points)]


def _point(threshold: float, coverage: float, precision: float) -> dict[str, Any]:
    told = f"{threshold:.3f}: {percent(coverage)} answered, {percent(precision)} right"
    return {"coverage": coverage, "precision": precision, "told": told}


def _unit_x(field: str, title: str) -> alt.X:
    return alt.X(f"{field}:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5))


def _unit_y(field: str, title: str) -> alt.Y:
    return alt.Y(f"{field}:Q", title=title, scale=alt.Scale(domain=[0, 1]))
