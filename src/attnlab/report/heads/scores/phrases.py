"""Sentences about the scores of heads, for the terminal and the page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attnlab.evaluation.heads.measures import MARGIN, NAMES
from attnlab.report.writing.estimates import NONE

if TYPE_CHECKING:
    from attnlab.benches.heads.scores import HeadScores
    from attnlab.evaluation.heads.measures import HeadMeasure
    from attnlab.evaluation.scoring.intervals import Estimate

MOST_LISTED = 12
"""How many heads of one name are listed."""


def title(found: HeadScores) -> str:
    """What was scored."""
    layers = "1 layer" if found.layers == 1 else f"{found.layers} layers"
    heads = "1 head" if found.places == 1 else f"{found.places} heads"
    return f"What the heads of {found.model} do ({layers} of {heads})"


def found_names(found: HeadScores) -> list[str]:
    """The heads of each name."""
    lines = []
    for name in NAMES.values():
        heads = [str(each.head) for each in found.heads if name in each.names]
        if heads:
            more = f" and {len(heads) - MOST_LISTED} more" if len(heads) > MOST_LISTED else ""
            lines.append(f"{name}: {', '.join(heads[:MOST_LISTED])}{more}")
    return lines or ["no head has a name"]


def naming_rule(found: HeadScores) -> str:
    """When a head gets a name."""
    rule = f"a head has a name if its score and all of its 95 % interval are above chance by {MARGIN:g}"
    rule += ", and for induction and duplicate tokens above the control, too"
    if any(each.scores["previous"].low is None for each in found.heads):
        rule += "; scores without an interval give no names: the text has too few windows that differ"
    return rule


def measured_on(found: HeadScores) -> str:
    """How much was read: of the text, and of random tokens."""
    scores, which = found.found, "the held-out part of " if found.own_text else ""
    windows = "1 window" if scores.windows == 1 else f"{scores.windows:,} windows"
    text = f"text scores: {found.tokens:,} tokens of {which}{found.text} in {windows} of {scores.length}"
    if not scores.rows:
        return f"{text}; no induction and duplicate scores: they need a context and a vocabulary of at least 8 tokens"
    each = f"{scores.rows} rows of {scores.row_length} random tokens"
    return f"{text}; induction and duplicate scores: {each} that repeat, and as many with shuffled copies"


def score_in_words(score: Estimate | None) -> str:
    """A score without its interval."""
    return NONE if score is None else number(score.value)


def interval_in_words(score: Estimate) -> str:
    """A score with its interval, if that has a width. Ends that would be written alike are rounded outwards."""
    value = number(score.value)
    if score.low is None or score.high is None or score.low == score.high:
        return value
    ends = number(score.low), number(score.high)
    if ends[0] == ends[1]:
        ends = number(math.floor(100 * score.low) / 100), number(math.ceil(100 * score.high) / 100)
    return f"{value} ({ends[0]} to {ends[1]})"


def chance_in_words(found: HeadScores, measure: HeadMeasure, *, spread: bool = True) -> str:
    """The value of a random head, with the standard deviation of random heads if there is one."""
    chance = found.found.chance[measure.key]
    within = f" ± {number(max(chance.spread, 0.01))}" if spread and chance.spread else ""
    return f"{number(chance.value)}{within}"


def widest(found: HeadScores, measure: HeadMeasure) -> str:
    """The largest half-width of the intervals of a measure, rounded up; empty if it has none, or none with a width."""
    scores = [each.scores[measure.key] for each in found.heads if measure.key in each.scores]
    halves = [(each.high - each.low) / 2 for each in scores if each.low is not None and each.high is not None]
    return number(math.ceil(100 * max(halves)) / 100) if any(halves) else ""


def number(value: float) -> str:
    """A score: two decimals below 10, one below 100, none above.

    >>> number(0.123), number(-0.001), number(12.34), number(250.4)
    ('0.12', '0.00', '12.3', '250')
    """
    text = f"{value:.{2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0}f}"
    return text.lstrip("-") if not text.strip("-0.") else text.replace("-", "−")
