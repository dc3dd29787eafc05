"""The page of scores: a map of the heads for each measure with its definition, and a table of all scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from attnlab.report.charts.look import PALETTE
from attnlab.report.heads.scores.phrases import (
    chance_in_words,
    found_names,
    interval_in_words,
    measured_on,
    naming_rule,
    score_in_words,
    title,
)
from attnlab.report.heads.scores.shades import strengths
from attnlab.report.page.pages import render

if TYPE_CHECKING:
    from attnlab.benches.heads.scores import HeadScores
    from attnlab.evaluation.heads.measures import HeadMeasure
    from attnlab.evaluation.heads.scores import HeadScore

FULL = 70
"""The opacity of the strongest shade in per cent; text stays readable on it."""
KINDS = {
    "text": "On a text",
    "repeats": "On random tokens that repeat",
    "weights": "From the weights alone",
}


@dataclass(frozen=True)
class HeadCell:
    """A score on the page."""

    head: str
    text: str
    told: str
    """The score with its interval and its names, for the tooltip."""
    style: str


@dataclass(frozen=True)
class MeasureMap:
    """A measure on the page: its map, and its definition."""

    measure: HeadMeasure
    chance: str
    rows: list[list[HeadCell]]
    """A row for each layer."""


def scores_page(found: HeadScores) -> str:
    """The page. It needs no script and no network."""
    shown = [_shown(found, each) for each in found.measures]
    columns = [[cell for row in each.rows for cell in row] for each in shown]
    return render(
        "heads.html",
        [],
        title=title(found),
        names=found_names(found),
        notes=[measured_on(found), naming_rule(found)],
        command=found.command,
        kinds={name: [each for each in shown if each.measure.seen_on == kind] for kind, name in KINDS.items()},
        shown=shown,
        heads=[(each, [column[place] for column in columns]) for place, each in enumerate(found.heads)],
    )


def _shown(found: HeadScores, measure: HeadMeasure) -> MeasureMap:
    cells = [
        _cell(each, measure, strength) for each, strength in zip(found.heads, strengths(found, measure), strict=True)
    ]
    rows = [cells[first : first + found.places] for first in range(0, len(cells), found.places)]
    return MeasureMap(measure, chance_in_words(found, measure), rows)


def _cell(each: HeadScore, measure: HeadMeasure, strength: float) -> HeadCell:
    score = each.scores[measure.key]
    named = f" ({', '.join(each.names)})" if each.names else ""
    red, green, blue = (int(PALETTE[strength < 0][place : place + 2], 16) for place in (1, 3, 5))
    style = f"background:rgba({red},{green},{blue},{FULL / 100 * abs(strength):.2f})"
    told = f"{each.head}{named}: {measure.title} {interval_in_words(score)}"
    return HeadCell(str(each.head), score_in_words(score), told, style)
