"""How heads along a training are shown: a row for each checkpoint, and the scores below the loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attnlab.report.blocks import Block, Drawing, Presentation, borderless
from attnlab.report.writing.estimates import NONE

if TYPE_CHECKING:
    from attnlab.benches.heads.over_time import HeadsOverTime, Moment

TITLES = {
    "previous": "previous",
    "induction": "induction",
    "induction_control": "control",
    "duplicate": "duplicate",
    "first": "first",
}
"""The measures that are shown, and their names. The control is that of the best induction head."""

RISE = 0.05
"""A smaller rise of the induction score is no turn."""


def over_time(found: HeadsOverTime) -> Presentation:
    """The best head of each kind at each checkpoint."""
    rows = [
        (f"{each.step:,}", _loss(found, each.step), *(_best(each, key) for key in TITLES)) for each in found.moments
    ]
    blocks: list[Block] = [
        f"{found.run} on {found.text}: {len(found.moments)} checkpoints",
        borderless(("step", "validation", *TITLES.values()), rows, words=0),
        "",
        _turn(found),
        "each score is that of the best head at this step, named in brackets; control: the score of the best induction "
        "head where the tokens do not repeat",
        "validation: nats per token of the validation split, if it was measured at this step; --json has all scores",
    ]
    return Presentation(blocks, lambda: _drawing(found), rows=[_row(found, each) for each in found.moments])


def _best(moment: Moment, key: str) -> str:
    best = moment.best(key)
    return NONE if best is None else f"{best[1]:.2f} ({best[0]})"


def _loss(found: HeadsOverTime, step: int) -> str:
    return f"{found.validation[step]:.4f}" if step in found.validation else NONE


def _turn(found: HeadsOverTime) -> str:
    """Where the induction score rises most."""
    if found.turn is None or found.turn[2] < RISE:
        return f"the induction score of the best head rises by less than {RISE} between any two checkpoints"
    first, last, rise = found.turn
    return f"the induction score of the best head rises most from step {first:,} to step {last:,}: by {rise:.2f}"


def _row(found: HeadsOverTime, moment: Moment) -> dict[str, Any]:
    row: dict[str, Any] = {"step": moment.step, "validation": found.validation.get(moment.step)}
    for key in TITLES:
        best = moment.best(key)
        row |= {key: best and best[1], f"{key}_head": best and best[0]}
    return row


def _drawing(found: HeadsOverTime) -> Drawing:
    """The loss above, the scores of the best heads below, over the same steps."""
    import altair as alt

    from attnlab.charts import Lines, Series
    from attnlab.report.charts.axes import thinned
    from attnlab.report.charts.figures import draw_lines

    title = f"{found.run}: heads along the training"
    losses = []
    for name, values in (("training", found.training), ("validation", found.validation)):
        points = thinned([(float(step), loss) for step, loss in values.items()])
        if points:
            losses.append(Series(name, *(tuple(each) for each in zip(*points, strict=True))))
    scores = []
    for key, name in TITLES.items():
        points = [(float(each.step), best[1]) for each in found.moments if (best := each.best(key)) is not None]
        if points:
            scores.append(Series(name, *(tuple(each) for each in zip(*points, strict=True))))
    said = f"The loss, and below it the score of the best head of each kind, by step: {_turn(found)}."
    charts = [
        draw_lines(Lines(title, "step", y_title, tuple(series), said))
        for y_title, series in (("nats per token", losses), ("score of the best head", scores))
        if series
    ]
    chart = alt.VConcatChart(vconcat=charts).resolve_scale(x="shared", color="independent", strokeDash="independent")
    return Drawing(chart, title, said)
