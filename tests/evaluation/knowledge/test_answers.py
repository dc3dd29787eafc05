"""Answers: what is right, what is refused, and how often."""

import math

import pytest

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import ModelAnswer, accuracy, confidences, hits
from attnlab.statistics import Share


def said(answer: str, truth: str, probability: float = 0.5, *runners_up: tuple[str, float]) -> ModelAnswer:
    return ModelAnswer("A B", "Where was A B born?", truth, answer, probability, runners_up)


@pytest.mark.parametrize(
    ("answer", "truth", "right"),
    [
        ("Rome", "Rome", True),
        (" Rome\n", "Rome", True),
        ("rome", "Rome", False),
        ("", "Rome", False),
        ("", " ", False),
        (" ", "", False),
    ],
)
def test_right_is_letter_by_letter_but_for_space(answer, truth, right):
    assert said(answer, truth).right is right


@pytest.mark.parametrize("probability", [-0.1, 1.1, math.nan, math.inf])
def test_what_is_no_probability_is_refused(probability):
    with pytest.raises(ArgumentError, match="expected numbers from 0 to 1 that sum to at most 1, got"):
        said("Rome", "Rome", probability)


def test_probabilities_that_add_up_to_more_than_one_are_refused_but_for_rounding():
    with pytest.raises(ArgumentError, match=r"got 0.7, 0.4 for 'A B'"):
        said("Rome", "Rome", 0.7, ("Paris", 0.4))
    answer = said("Rome", "Rome", 1.0000001, ("Paris", 1e-6))
    assert answer.rest == 0
    assert confidences([answer]).tolist() == [1.0]


def test_an_answer_that_is_listed_twice_is_refused():
    with pytest.raises(ArgumentError, match="runners_up: expected each answer once"):
        said("Rome", "Rome", 0.4, ("Rome ", 0.4))


@pytest.mark.parametrize("probability", [0, 1])
def test_the_ends_are_probabilities(probability):
    assert said("Rome", "Rome", probability).rest == 1 - probability


def test_accuracy_counts_those_that_are_right():
    answers = [said("Rome", "Rome"), said("Rome", "Paris"), said("Paris", "Paris")]
    assert hits(answers).tolist() == [True, False, True]
    assert accuracy(answers) == Share(2, 3)


def test_no_answers():
    with pytest.raises(ArgumentError, match="answers: expected at least one answer, got no answers"):
        accuracy([])
