"""Verdicts of the claims on what write-ups also say: with another attention, formula or world, they turn."""

from dataclasses import replace

import pytest

from attnlab import attention
from attnlab.claims.families import bigram, copying, gradients, made_up_answers, two_heads, units
from attnlab.claims.ledger import choose


def verdict(name: str) -> str:
    (claim,) = choose([name])
    return claim.run().verdict


def test_if_a_mean_of_values_were_not_a_copy_the_margin_would_be_needed_always(monkeypatch):
    monkeypatch.setattr(copying, "_without_margin", lambda generator: (1.0, 0.1))
    assert verdict("copying-needed") == "holds"


def test_heads_that_see_every_pair_alike_average_no_pair(monkeypatch):
    monkeypatch.setattr(two_heads, "attend", lambda query, keys, values: attention.attend(0 * query, keys, values))
    assert verdict("two-heads-first-two") == "fails"


def test_a_formula_without_the_slope_of_the_sigmoid_fails(monkeypatch):
    right = gradients._by_hand

    def without_slope(parts, y):
        x, *rest = right(parts, y)
        return (2 * x, *(2 * each for each in rest))

    monkeypatch.setattr(gradients, "_by_hand", without_slope)
    assert verdict("gradients-inputs") == "fails"
    assert verdict("gradients-weights") == "fails"


def test_words_that_are_cut_into_characters_have_no_meaning_in_the_unit(monkeypatch):
    monkeypatch.setattr(units, "_words", list)
    assert verdict("units-meaning") == "fails"


@pytest.mark.parametrize(("found", "holds"), [((35.0, 35.2, 35.1, 34.9), True), ((25.0, 45.0, 30.0, 40.0), False)])
def test_noise_does_not_make_counts_as_good_as_networks(monkeypatch, found, holds):
    monkeypatch.setattr(bigram, "_perplexities", lambda seed: (111.0, 35.0, found))
    assert verdict("bigram-counting") == ("holds" if holds else "fails")


def test_where_a_family_stays_in_one_place_names_do_tell(monkeypatch):
    crowd = made_up_answers._crowd

    def at_home(seed):
        people, called = crowd(seed)
        moved = tuple(replace(fact, answer=f"Home of {fact.name.split()[-1]}") for fact in people.training)
        return replace(people, training=moved), called

    monkeypatch.setattr(made_up_answers, "_crowd", at_home)
    monkeypatch.setattr(made_up_answers, "_namesakes", made_up_answers._namesakes.__wrapped__)
    assert verdict("made-up-answers-names-tell-nothing") == "fails"
