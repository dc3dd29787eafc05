"""How the scores of heads are shown: a row for each head, chance below, and the definitions with --explain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attnlab.evaluation.heads.measures import HeadMeasure
from attnlab.report.blocks import Block, Drawing, Presentation, Table, borderless
from attnlab.report.heads.scores.phrases import (
    chance_in_words,
    found_names,
    measured_on,
    naming_rule,
    score_in_words,
    title,
    widest,
)
from attnlab.report.writing.estimates import NONE

if TYPE_CHECKING:
    from attnlab.benches.heads.scores import HeadScores

IN_TERMINAL = (
    "previous",
    "self",
    "first",
    "duplicate",
    "induction",
    "induction_control",
    "entropy",
    "copying_eigenvalues",
)
"""The measures that fit into a terminal of 100 columns; pages, .csv and JSON have all of them."""


def head_scores(found: HeadScores) -> Presentation:
    """The scores of every head."""
    shown = [each for each in found.measures if each.key in IN_TERMINAL]
    left_out = ", ".join(each.title for each in found.measures if each.key not in IN_TERMINAL)
    blocks: list[Block] = [
        title(found),
        _table(found, shown),
        "",
        *found_names(found),
        naming_rule(found),
        measured_on(found),
        f"--json, --html and .csv also have {left_out}, and all intervals; --explain defines the measures",
    ]
    if found.settings.explain:
        blocks += [line for each in found.measures for line in definition(found, each)]
    return Presentation(blocks, lambda: _drawing(found), lambda: _page(found), _rows(found))


def definition(found: HeadScores, measure: HeadMeasure) -> list[str]:
    """A measure defined: what it says, its formula, its range, what chance means, and its source."""
    name = measure.title if measure.title != "control" else measure.key.replace("_", " ")
    return [
        "",
        f"{name}: {measure.about}",
        f"  {measure.formula}",
        f"  range: {measure.range}; chance: {chance_in_words(found, measure)}, {measure.chance}",
        f"  source: {measure.source}",
    ]


def _table(found: HeadScores, shown: Sequence[HeadMeasure]) -> Table:
    rows = [
        (str(each.head), ", ".join(each.names[:1]), *(score_in_words(each.scores.get(key.key)) for key in shown))
        for each in found.heads
    ]
    strong = [place for place, each in enumerate(found.heads) if each.names]
    rows.append(("", "", *("" for _ in shown)))
    rows.append(("", "chance", *(chance_in_words(found, each, spread=False) for each in shown)))
    rows.append(("", "± at most", *(widest(found, each) or NONE for each in shown)))
    return borderless(("head", "name", *(each.title for each in shown)), rows, words=2, strong=strong)


def _rows(found: HeadScores) -> list[dict[str, Any]]:
    """A row for each head: the value of each measure, the ends of its interval, and chance."""
    rows = []
    for each in found.heads:
        row: dict[str, Any] = {"head": str(each.head), "names": ", ".join(each.names)}
        for key, score in each.scores.items():
            row |= {key: score.value, f"{key}_low": score.low, f"{key}_high": score.high}
            row |= {f"{key}_chance": found.found.chance[key].value}
        rows.append(row)
    return rows


def _drawing(found: HeadScores) -> Drawing:
    from attnlab.report.heads.scores.chart import scores_drawing

    return scores_drawing(found)


def _page(found: HeadScores) -> str:
    from attnlab.report.heads.scores.page import scores_page

    return scores_page(found)
