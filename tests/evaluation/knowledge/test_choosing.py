"""Temperature and threshold, chosen together."""

import pytest
from tests.evaluation.knowledge.worlds import said

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.evaluation.knowledge.choosing import ChosenThreshold, choose
from attnlab.evaluation.knowledge.coverage import AnswerCounts, Threshold, at
from attnlab.evaluation.knowledge.temperature import COLDEST, at_temperature


def stranger(probability: float) -> ModelAnswer:
    return ModelAnswer("C D", "Where was C D born?", "", "Rome", probability)


def test_a_model_that_is_right_about_everybody_answers_everybody_and_no_stranger():
    people, strangers = [said(0.999, True)] * 16, [stranger(0.9)] * 16
    choice = choose([*people, *strangers])
    assert choice.temperature == COLDEST
    assert choice.threshold.chosen_on == AnswerCounts(32, 16, 16)
    assert at(choice.threshold, at_temperature(people, COLDEST)) == AnswerCounts(16, 16, 16)
    assert at(choice.threshold, at_temperature(strangers, COLDEST)) == AnswerCounts(16, 0, 0)


def test_strangers_choose_the_threshold_alone():
    people = [said(0.5, True), said(0.5, False)]  # no temperature changes anything
    assert choose(people, 0.5) == ChosenThreshold(1.0, Threshold(0.5, 0.5, AnswerCounts(2, 2, 1), people=1))
    assert choose([*people, stranger(0.7)], 0.5) == ChosenThreshold(
        1.0, Threshold(None, 0.5, AnswerCounts(3, 0, 0), people=1, strangers=1)
    )


def test_there_must_be_people():
    with pytest.raises(ArgumentError, match="answers: expected at least one answer, got no answers"):
        choose([stranger(0.5)])
