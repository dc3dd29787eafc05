"""The words and passages that cost most, each with its place."""

import math

import pytest

from attnlab.evaluation.costs import costs
from attnlab.evaluation.explanation.dearest import LONG, dearest
from attnlab.evaluation.explanation.two_models import explain_models

PLAIN = "one two three four five six seven nine. "
TEXT = PLAIN * 4 + "one two zebra four five six seven zoo. " + PLAIN * 4


def test_a_word_that_is_dear_comes_first_with_all_its_times(priced_subject):
    text = "the cat saw the zebra and the dog saw the zebra"
    found = dearest(costs(priced_subject(z=9.0), text))
    first = found.words[0]
    assert (first.text, first.times, text[first.start :][:5]) == ("zebra", 2, "zebra")
    mean = costs(priced_subject(z=9.0), text).nats.sum() / len(text)
    assert first.bits == pytest.approx(2 * (14 - 6 * mean) / math.log(2))  # each with the space before it
    assert all(each.bits > 0 for each in found.words)


def test_what_costs_less_than_the_mean_is_not_named(priced_subject):
    found = dearest(costs(priced_subject(z=9.0), "a z b"))
    assert [each.text for each in found.words] == ["z", "a"]  # the first token is one of 256


def test_the_dearest_passage_is_the_sentence_that_holds_the_dear_words(priced_subject):
    first = dearest(costs(priced_subject(z=9.0), TEXT)).passages[0]
    assert first.text == "one two zebra four five six seven zoo."
    assert TEXT[first.start :].startswith(first.text)


def test_a_passage_without_an_end_is_cut(priced_subject):
    found = dearest(costs(priced_subject(z=9.0), "z " * 95))
    assert max(len(each.text.split()) for each in found.passages) == LONG


def test_at_most_ten_are_named_by_size_whichever_the_sign(priced_subject):
    text = " ".join(f"{letter}{letter}" for letter in "abcdefghijklmnop")
    prices = {letter: 1.0 + (-0.05) ** (at % 2) * at for at, letter in enumerate("abcdefghijklmnop")}
    gap = explain_models(priced_subject(**prices), priced_subject(), text)
    sizes = [abs(each.bits) for each in gap.dearest[0].words]
    assert len(sizes) == 10
    assert sizes == sorted(sizes, reverse=True)
    assert min(each.bits for each in gap.dearest[0].words) < 0 < gap.dearest[0].words[0].bits
