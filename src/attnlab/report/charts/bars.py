"""Charts of horizontal bars, one below the other, each with its text above it.

Importing this module imports altair, which takes half a second.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from attnlab.charts import Bar, Bars
from attnlab.numbers import PLAIN, format_measure, format_number, percent, percents
from attnlab.report.charts.axes import fitted_legend, roomy_axis
from attnlab.report.charts.look import PALETTE

BAR_STEP = 46
"""The height of a bar with its text above it, in pixels."""
SHARES = alt.Axis(labelExpr="format(100 * datum.value, '~r') + ' %'", tickCount=5)
"""An axis of shares, in per cent."""
DIGITS = 3
"""How many digits are shown of a number without an interval, as in the tables."""
Row = Mapping[str, Any]


def bar_chart(
    rows: Sequence[Row],
    x: alt.X,
    *,
    noun: str,
    x2: str | None = None,
    colour: alt.Color | None = None,
    below: Sequence[alt.Chart] = (),
    above: Sequence[alt.Chart] = (),
) -> alt.LayerChart:
    """A bar for each row, which has the field of `x` and the bar's `text`. `noun` names a bar in its tooltip.

    Rows with `low` and `high` get a line from one to the other. The layers `below` and `above` the bars have data of
    their own: `numbered` rows, and `bar_y` as their y axis.
    """
    base = alt.Chart(numbered(rows)).encode(y=bar_y())
    bars = base.mark_bar().encode(
        x=x,
        x2=x2 or alt.Undefined,
        color=colour or alt.value(PALETTE[0]),
        tooltip=[alt.Tooltip("text:N", title=noun)],
    )
    layers = [*below, bars, *above]
    if any(row.get("low") is not None for row in rows):
        interval = base.transform_filter("isValid(datum.low)").encode(x="low:Q", x2="high:Q")
        layers.append(interval.mark_rule(strokeDash=[1, 0], strokeWidth=2, opacity=1))
    texts = base.mark_text(align="left", baseline="bottom", dy=-11, limit=0).encode(x=alt.value(0), text="text:N")
    return alt.LayerChart(layer=[*layers, texts], height=alt.Step(BAR_STEP))


def numbered(rows: Sequence[Row]) -> alt.Data:
    """The rows as data for `bar_y`, from the top down."""
    return alt.Data(values=[{"row": at, **row} for at, row in enumerate(rows)])


def bar_y() -> alt.Y:
    """The y axis of bars with their text above them, by the field `row`."""
    return alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.62, paddingOuter=0.31))


def draw_bars(chart: Bars) -> alt.LayerChart:
    """Bars, each with its name and number above it and its interval at its end."""
    rows = [{"value": bar.value, "low": bar.low, "high": bar.high, "text": _text(bar)} for bar in chart.bars]
    ends = [each for bar in chart.bars for each in (bar.value, bar.low, bar.high) if each is not None]
    domain = [min(0.0, *ends), max(0.0, *ends)] if any(ends) else [0.0, 1.0]
    x = alt.X("value:Q", title=chart.x_title, scale=alt.Scale(domain=domain, nice=True), axis=roomy_axis())
    zero = alt.Chart(alt.Data(values=[{"value": 0}])).mark_rule(strokeDash=[1, 0]).encode(x=x)
    return bar_chart(rows, x, noun="bar", above=[zero])


def draw_shares(
    bars: Sequence[Bar], title: str, marks: Mapping[str, float] | None = None, least: float = 0.0
) -> alt.LayerChart:
    """A bar for each share with its interval, and marks across all bars, such as a ceiling. The axis goes up to the
    largest number, but at least to `least`."""
    rows = [_share_row(bar) for bar in bars]
    marks = marks or {}
    ends = [*(row["high"] for row in rows), *(row["value"] for row in rows), *marks.values(), least]
    scale = alt.Scale(domain=[0.0, max([each for each in ends if each] or [1.0])], nice=True)
    x = alt.X("value:Q", title=title, scale=scale, axis=SHARES)
    return bar_chart(rows, x, noun="bar", above=[_marks(marks, len(rows), x)] if marks else [])


def _text(bar: Bar) -> str:
    """The name and the number of a bar."""
    low, high = (bar.value if end is None else end for end in (bar.low, bar.high))
    half = max(high - bar.value, bar.value - low)
    if half or float(bar.value).is_integer():
        return f"{bar.name}: {format_measure(bar.value, half)[0]}"
    power = math.floor(math.log10(abs(bar.value)))
    if power not in PLAIN:
        return f"{bar.name}: {format_number(float(f'{bar.value:.{DIGITS}g}'))}"
    number = f"{bar.value:,.{max(0, DIGITS - 1 - power)}f}".replace("-", "−")
    return f"{bar.name}: {number}"


def _share_row(bar: Bar) -> dict[str, Any]:
    """A share with its text. An interval over seeds may go beyond 0 or 1, and is cut there."""
    low, high = (None if end is None else min(max(end, 0.0), 1.0) for end in (bar.low, bar.high))
    spread = "" if low is None or high is None else f" ({percents(low, high)})"
    return {"value": bar.value, "low": low, "high": high, "text": f"{bar.name}: {percent(bar.value)}{spread}"}


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
