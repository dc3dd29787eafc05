"""No interval has width 0, and no half-width is written as 0: also where all worlds of a claim agree."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.claims.test_head_flips import any_learnt, any_measured
from tests.claims.test_knowledge_flips import Told, nowhere, the_truth

from attnlab.claims import shared_measurements
from attnlab.claims.families import (
    averaging_network,
    bigram,
    induction,
    knowledge_in,
    made_up_answers,
    misread_reviews,
    reading_order,
    trained_heads,
)
from attnlab.claims.ledger import choose
from attnlab.claims.models import people as taught_models
from attnlab.claims.models import reviews as review_models
from attnlab.claims.seeds import Rate, RateDifference, over_worlds
from attnlab.numbers import percent, points

pytestmark = pytest.mark.usefixtures("as_installed", "agreeing")  # see LONG in conftest.py
FAMILIES = (
    averaging_network,
    misread_reviews,
    reading_order,
    knowledge_in,
    made_up_answers,
    bigram,
    induction,
    trained_heads,
)


def always_wrong(network: str, seed: int, reviews: Sequence[Any]) -> np.ndarray:
    return np.zeros(len(reviews), bool)


def always_praise(network: str, seed: int, texts: Sequence[str]) -> np.ndarray:
    return np.full(len(texts), 0.9)


@pytest.fixture
def agreeing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models that are the same in all worlds, and small worlds."""
    for name, value in {"TRAIN": 40, "HELD": 10, "_world": cache(review_models._world.__wrapped__)}.items():
        monkeypatch.setattr(review_models, name, value)
    for family, name in ((misread_reviews, "NETWORKS"), (averaging_network, "SEEDS"), (reading_order, "READING_SEEDS")):
        monkeypatch.setattr(family, name, 3)
        monkeypatch.setattr(family, "ASKED", 100)
        monkeypatch.setattr(family, "right", always_wrong)
        if hasattr(family, "praise"):
            monkeypatch.setattr(family, "praise", always_praise)
    monkeypatch.setattr(reading_order, "work", lambda network, seed: 1)
    monkeypatch.setattr(shared_measurements, "_known", {})
    monkeypatch.setattr(made_up_answers, "_hits", made_up_answers._hits.__wrapped__)
    knows = {"reciting": the_truth, "spanned": the_truth}
    monkeypatch.setattr(taught_models, "_knower", lambda model, seed: Told(knows.get(model, nowhere), seed))
    monkeypatch.setattr(knowledge_in, "memorised", lambda seed: Rate(1.0, 24))
    monkeypatch.setattr(bigram, "_perplexities", lambda seed: (111.0, 35.2, (35.27,) * 4))
    monkeypatch.setattr(induction, "learnt", lambda model, seed: any_learnt(model, 0))
    monkeypatch.setattr(trained_heads, "measured", lambda model, seed: any_measured(model, 0))


@pytest.mark.parametrize("family", [module.FAMILY for module in FAMILIES], ids=lambda family: family.name)
def test_where_all_worlds_agree_the_interval_is_that_of_their_examples(family):
    for claim in choose([family.name]):
        found = claim.run()
        assert not re.search(r"± 0(\.0+)?( |\))", found.explanation), claim.id
        assert [each.name for each in found.measures if each.how == "95 % interval" and not each.within] == [], claim.id


def test_a_number_that_is_0_is_written_0():
    """Not "0e+00", as for the weight that does not vary."""
    said = " ".join(claim.run().explanation for claim in choose(["two-heads-noise", "noise-remedies-more-heads"]))
    assert "standard deviation 0)" in said
    assert "0e+00" not in said


@pytest.mark.parametrize("value", [1.0, 0.99, 0.5, 0.0, 0.02])
def test_an_interval_of_a_share_never_leaves_0_to_100_per_cent(value):
    for half in (0.001, 0.03, 0.4, 0.8):
        said = percent(value, half)
        assert ("±" in said) == (value - half >= 0 and value + half <= 1), said
        ends = [float(each) for each in re.findall(r"(\d+\.\d) %", said)]
        assert all(0 <= each <= 100 for each in ends)


def test_at_the_edge_it_is_exact_and_elsewhere_that_of_a_share():
    """By Clopper and Pearson: of 160 examples that are all right, 97.7 % or more of all examples may be."""
    assert over_worlds(lambda world: Rate(1.0, 40), 0, 4) == (1.0, 1 - 0.025 ** (1 / 160))
    assert over_worlds(lambda world: Rate(0.0, 40), 0, 4)[1] == pytest.approx(1 - 0.025 ** (1 / 160))
    middle, half = over_worlds(lambda world: Rate(0.5, 40), 0, 4)
    assert (middle, round(half, 3)) == (0.5, 0.077)


def test_a_difference_has_the_width_of_both_shares():
    gained, half = over_worlds(lambda world: RateDifference(Rate(1.0, 40), Rate(0.0, 40)), 0, 4)
    assert (gained, half) == (1.0, pytest.approx(2**0.5 * (1 - 0.025 ** (1 / 160))))


def test_worlds_that_differ_have_the_interval_over_worlds():
    values = iter([0.1, 0.2, 0.3])
    middle, half = over_worlds(lambda world: Rate(next(values), 40), 0, 3)
    assert (round(middle, 6), round(half, 4)) == (0.2, 0.2484)
    assert points(middle, half) == "20 ± 25 points"


def test_seeds_that_differ_by_less_than_is_shown_have_no_interval_of_0(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bigram, "_perplexities", lambda seed: (111.0, 35.2, (35.27, 35.2701, 35.2702, 35.2703)))
    for claim in choose(["bigram"]):
        assert "35.3 ± 0.1" in claim.run().explanation


def test_heads_that_are_all_alike_have_the_exact_interval_of_their_share(monkeypatch: pytest.MonkeyPatch):
    """Of the 8 heads of each seed none is spare: by Clopper and Pearson."""
    monkeypatch.setattr(trained_heads, "_costs", lambda found: np.ones(8))
    (claim,) = choose(["trained-heads-most-can-go"])
    found = next(each for each in claim.run().measures if each.name == "share of heads that can go, plain")
    assert (found.value, found.within) == (0.0, pytest.approx(1 - 0.025 ** (1 / (8 * trained_heads.SEEDS))))
