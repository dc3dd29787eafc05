"""Scores of heads in words: no interval and no spread is written as 0."""

from types import SimpleNamespace
from typing import Any

from attnlab.evaluation.scoring.intervals import Estimate
from attnlab.report.heads.scores.phrases import chance_in_words, interval_in_words, widest

MEASURE: Any = SimpleNamespace(key="previous")


def found(*scores: Estimate, spread: float = 0.0) -> Any:
    """The scores of some heads, as far as their words need them."""
    heads = [SimpleNamespace(scores={"previous": each}) for each in scores]
    chance = {"previous": SimpleNamespace(value=0.1, spread=spread)}
    return SimpleNamespace(heads=heads, found=SimpleNamespace(chance=chance))


def test_a_pattern_that_no_text_changes_has_no_interval():
    alike = Estimate(0.25, 0.25, 0.25)
    assert interval_in_words(alike) == "0.25"
    assert widest(found(alike, Estimate(1.0)), MEASURE) == ""
    assert widest(found(alike, Estimate(0.5, 0.4999, 0.5001)), MEASURE) == "0.01"


def test_a_narrow_interval_keeps_a_width():
    assert interval_in_words(Estimate(0.25, 0.2499, 0.2501)) == "0.25 (0.24 to 0.26)"
    assert interval_in_words(Estimate(0.25, 0.2, 0.3)) == "0.25 (0.20 to 0.30)"


def test_heads_that_hardly_differ_by_chance_differ_a_little():
    assert chance_in_words(found(spread=0.001), MEASURE) == "0.10 ± 0.01"
    assert chance_in_words(found(), MEASURE) == "0.10"
