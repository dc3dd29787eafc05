"""The words and passages that cost most, each with its place."""

import math

import pytest

from attnlab.evaluation.explanation.costliest import LONG
from attnlab.evaluation.explanation.gaps import Costliest
from attnlab.evaluation.explanation.model_gap import explain_models
from attnlab.evaluation.explanation.one_text import explain_text
from attnlab.evaluation.scoring.costs import costs
from attnlab.evaluation.scoring.subjects import Subject

PLAIN = "One two three four five six seven nine. "
TEXT = PLAIN * 4 + "One two zebra four five six seven zoo. " + PLAIN * 4


def costliest(subject: Subject, text: str) -> Costliest:
    return explain_text(subject, text).costliest[0]


def test_a_word_that_is_dear_comes_first_with_all_its_times(priced_subject):
    text = "the cat saw the zebra and the dog saw the zebra"
    found = costliest(priced_subject(z=9.0), text)
    first = found.words[0]
    assert (first.text, first.times, text[first.start :][:5]) == ("zebra", 2, "zebra")
    mean = costs(priced_subject(z=9.0), text).nats[3:].sum() / len(text[3:])  # but for the first word
    assert first.bits == pytest.approx(2 * (14 - 6 * mean) / math.log(2))  # each with the space before it
    assert all(each.bits > 0 for each in found.words)


def test_what_costs_less_than_the_mean_or_begins_the_text_is_not_named(priced_subject):
    found = costliest(priced_subject(z=9.0, q=9.0), "q z b")
    assert [each.text for each in found.words] == ["z"]


def test_what_stands_out_by_less_than_a_bit_is_not_named(priced_subject):
    """Two nats above the mean of the rest are nearly three bits; half a nat is less than one."""
    text = "a " * 200 + "z b"
    assert [each.text for each in costliest(priced_subject(z=3.0), text).words] == ["z"]
    assert costliest(priced_subject(z=1.5), text).words == ()


def test_ends_of_line_are_no_words(priced_subject):
    found = costliest(priced_subject(**{"\n": 9.0}), "one two\nthree\n\nfour")
    assert not any(each.text.isspace() for each in (*found.words, *found.passages))


def test_equal_passages_are_one_with_their_times(priced_subject):
    line = "+-------------------\n"
    found = costliest(priced_subject(**{"-": 5.0}), ("So it was, and so it will be for ever.\n" + line) * 7)
    assert [(each.text, each.times) for each in found.passages] == [(line.strip(), 7)]


def test_passages_begin_with_sentences_and_words(priced_subject):
    text = "So at 11:45. he left, because his Uncle (who was ill) had sent for him. Then " + "word, because " * 30
    found = costliest(priced_subject(**{"w": 9.0, ":": 99.0}), text + "so. End of all this long text, at last it is.")
    starts = {each.text.split()[0] for each in found.passages}
    assert "So" in starts
    assert starts <= {"So", "Then", "word,", "because", "so.", "End"}


def test_a_sentence_that_was_cut_ends_its_last_passage(priced_subject):
    long = "Wz" + " wz" * (LONG + 1) + ". "
    found = costliest(priced_subject(z=9.0), "One two three four five six seven eight. " + long + "And a zz here.")
    assert "wz wz." in [each.text for each in found.passages]


def test_the_costliest_passage_is_the_sentence_that_holds_the_dear_words(priced_subject):
    first = costliest(priced_subject(z=9.0), TEXT).passages[0]
    assert first.text == "One two zebra four five six seven zoo."
    assert TEXT[first.start :].startswith(first.text)


def test_a_passage_without_an_end_is_cut(priced_subject):
    found = costliest(priced_subject(z=9.0), "z " * 95)
    assert max(len(each.text.split()) for each in found.passages) == LONG


def test_at_most_ten_are_named_by_size_whichever_the_sign(priced_subject):
    text = " ".join(f"{letter}{letter}" for letter in "abcdefghijklmnop")
    prices = {letter: 1.0 + (-0.05) ** (at % 2) * at for at, letter in enumerate("abcdefghijklmnop")}
    gap = explain_models(priced_subject(**prices), priced_subject(), text)
    sizes = [abs(each.bits) for each in gap.costliest[0].words]
    assert len(sizes) == 10
    assert sizes == sorted(sizes, reverse=True)
    assert min(each.bits for each in gap.costliest[0].words) < 0 < gap.costliest[0].words[0].bits
