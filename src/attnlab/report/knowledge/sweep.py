"""How a sweep is shown: the table of its variants, and their bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.charts import Bar
from attnlab.numbers import percent, percent_as_typed
from attnlab.report.blocks import Drawing, Presentation, borderless
from attnlab.report.knowledge.phrases import shares_sentence

if TYPE_CHECKING:
    from attnlab.benches.knowledge import Sweep, SweepRow

COLUMNS = ("variant", "mixer", "parameters", "right", "memorised", "given", "made up")


def sweep(found: Sweep) -> Presentation:
    """The table, the baseline and the ceiling."""
    seeds, over = found.settings.seeds, "over the questions"
    if seeds > 1:
        over = f"over the questions, or over {seeds} seeds where that one is wider"
    against = [
        ("always the commonest", f"{percent(found.baseline)} ({found.commonest})"),
        ("ceiling", f"{percent(found.ceiling)} of {found.questions:,} held-out questions have the answer on a line"),
    ]
    remarks = dict.fromkeys(said for row in found.rows for each in row.models for said in each.notes.asides)
    blocks = [
        borderless(COLUMNS, [_cells(row) for row in found.rows], words=2),
        borderless(("compare with", ""), against, words=2),
        f"right: in brackets the 95 % interval {over}",
        f"given: the share of questions answered at {percent_as_typed(found.settings.precision)} precision; 0 % if no "
        "threshold reaches it. The threshold was picked on people kept out of finetuning and on strangers",
        "made up: the share of other strangers who get an answer (–: there are no strangers)",
        *remarks,
        f"the runs are in {found.path}",
    ]
    rows = [{name: each for name, each in row.to_dict().items() if name != "runs"} for row in found.rows]
    return Presentation(blocks, lambda: _drawing(found), rows=rows)


def _cells(row: SweepRow) -> tuple[str, ...]:
    made_up = "–" if row.confident_wrong is None else percent(row.confident_wrong)
    shares = percent(row.memorised), percent(row.coverage), made_up
    return (row.variant, row.mixer, f"{row.parameters:,}", row.accuracy_words, *shares)


def _drawing(found: Sweep) -> Drawing:
    from attnlab.report.charts.bars import draw_shares

    several = len({row.mixer for row in found.rows}) > 1
    bars = [
        Bar(f"{row.variant}, {row.mixer}" if several else row.variant, row.accuracy, *row.interval)
        for row in found.rows
    ]
    marks = {"always the commonest": found.baseline, "ceiling": found.ceiling}
    chart = draw_shares(bars, "questions answered correctly", marks)
    return Drawing(chart, f"Knowledge of {found.settings.facts.name}", shares_sentence(bars, marks))
