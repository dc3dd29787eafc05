"""Verdicts on classifiers of reviews follow what is measured: with another network, they turn."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from attnlab.claims.families import averaging_network, misread_reviews, reading_order
from attnlab.claims.ledger import choose
from attnlab.claims.models import reviews as review_networks
from attnlab.claims.models.reviews import ReviewNetwork, fresh, praise, right
from attnlab.claims.seeds import worlds
from attnlab.data.worlds.reviews.plans import Kind

# thousands of reviews: see LONG in conftest.py
pytestmark = pytest.mark.usefixtures("as_installed")


def verdict(name: str) -> str:
    (claim,) = choose([name])
    return claim.run().verdict


def networks(monkeypatch, **others: ReviewNetwork) -> None:
    """Other networks in the place of some: words="pairs" has that of pairs asked wherever that of words should be."""
    for family in (averaging_network, misread_reviews, reading_order):
        for name, ask in (("praise", praise), ("right", right)):
            if hasattr(family, name):
                monkeypatch.setattr(family, name, partial(_instead, ask, others))


def _instead(ask: Callable[..., Any], others: dict[str, ReviewNetwork], network: ReviewNetwork, *rest: Any) -> Any:
    return ask(others.get(network, network), *rest)


def test_a_network_that_sees_pairs_is_not_blind(monkeypatch):
    networks(monkeypatch, words="pairs")
    assert verdict("averaging-network-blind") == "fails"


def test_a_network_that_sees_no_pairs_buys_nothing_back(monkeypatch):
    networks(monkeypatch, pairs="words")
    assert verdict("averaging-network-pairs") == "fails"
    assert verdict("averaging-network-blind") == "fails"  # the shuffles would have changed nothing for any network


def test_one_that_reads_in_order_heeds_denials_and_turns(monkeypatch):
    networks(monkeypatch, words="recurrent")
    for family, name in ((averaging_network, "SEEDS"), (misread_reviews, "NETWORKS")):
        monkeypatch.setattr(family, name, review_networks.READING_SEEDS)  # another claim has trained these
    assert verdict("averaging-network-negation") == "fails"
    assert verdict("misread-reviews-opening") == "fails"


def test_if_reading_in_order_were_averaging_order_would_be_worth_nothing(monkeypatch):
    networks(monkeypatch, recurrent="words", Transformer="words")
    assert verdict("reading-order-worth") == "fails"
    assert verdict("reading-order-pairs") == "holds"


def test_a_word_that_is_no_louder_than_others_drowns_nothing(monkeypatch):
    monkeypatch.setattr(misread_reviews, "_against", lambda review: [])
    cut = misread_reviews._without
    monkeypatch.setattr(misread_reviews, "_without", lambda review, phrases: cut(review, []))
    assert verdict("misread-reviews-keywords") == "fails"
    assert verdict("misread-reviews-mixed") == "fails"


def test_what_is_asked_was_not_learnt_from():
    for seed in worlds(0, review_networks.SEEDS):
        asked = {review.text for review in fresh(seed, 300)}
        assert len(asked) == 300
        assert not asked & review_networks._world(seed)[2]


def test_networks_are_the_same_on_any_number_of_threads():
    """Trained once more: what is kept of the first time is left alone."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    averaging = review_networks.averaging_network.__wrapped__(0, 2).model
    reader = review_networks._reader.__wrapped__(0, "recurrent")
    torch.set_num_threads(before)
    kept = review_networks.averaging_network(0, 2).model.parameters()
    for name, one in averaging.parameters().items():
        np.testing.assert_array_equal(one, kept[name])
    for one, other in zip(reader.parameters(), review_networks._reader(0, "recurrent").parameters(), strict=True):
        assert torch.equal(one, other)


def test_if_mixed_reviews_were_contrasts_it_would_err_most_on_them(monkeypatch):
    asked = averaging_network._asked
    other: dict[str, Kind] = {"mixed": "contrast", "contrast": "plain", "reported": "plain", "plain": "plain"}
    monkeypatch.setattr(averaging_network, "_asked", lambda kind, seed: asked(other[kind], seed))
    assert verdict("averaging-network-mixed-most") == "holds"
