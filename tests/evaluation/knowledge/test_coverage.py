"""Precision against coverage, against plain loops."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evaluation.knowledge.worlds import drawn_answers, said

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.evaluation.knowledge.coverage import (
    AnswerCounts,
    Threshold,
    at,
    confident_wrong,
    curve,
    threshold_for,
)
from attnlab.statistics import Share

some = st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.7, 0.9, 1.0]), st.booleans()), min_size=1)


def counted(answers, threshold) -> AnswerCounts:
    kept = [each for each in answers if each.probability >= threshold]
    return AnswerCounts(len(answers), len(kept), sum(each.right for each in kept))


@given(some)
def test_the_curve_is_that_of_a_plain_loop(drawn):
    answers = [said(*each) for each in drawn]
    thresholds = sorted({each.probability for each in answers}, reverse=True)
    assert curve(answers) == tuple((each, counted(answers, each)) for each in thresholds)
    assert all(at(threshold, answers) == given for threshold, given in curve(answers))


@given(some, st.sampled_from([0.5, 0.9, 1.0]))
def test_the_lowest_threshold_that_reaches_the_precision(drawn, precision):
    answers = [said(*each) for each in drawn]
    reaching = []
    for threshold in {each.probability for each in answers}:
        given = counted(answers, threshold)
        if Share(given.right, given.answered).value >= precision:
            reaching.append(threshold)
    found = threshold_for(answers, precision)
    assert found.probability == (min(reaching) if reaching else None)
    assert found.chosen_on == at(found, answers)
    if not reaching:
        assert at(found, answers) == AnswerCounts(len(answers), 0, 0)


def test_one_lucky_answer_is_enough():
    answers = [said(0.9, True), said(0.8, False), said(0.7, False)]
    assert threshold_for(answers) == Threshold(0.9, 0.9, AnswerCounts(3, 1, 1), people=1)


def test_a_threshold_says_how_many_people_and_questions_it_was_chosen_on():
    strangers = [ModelAnswer("C D", "Where was C D born?", " ", "Rome", p) for p in (0.7, 0.3)]
    answers = [said(0.9, True), said(0.8, True), said(0.4, False, "E F"), *strangers]
    found = threshold_for(answers)
    assert (found.questions, found.people, found.strangers) == (3, 2, 2)
    assert found.as_json() == {
        "probability": 0.8,
        "precision": 0.9,
        "chosen_on": {"questions": 3, "people": 2, "strangers": 2, **AnswerCounts(5, 2, 2).as_json()},
    }
    none = threshold_for(strangers).as_json()
    assert (none["probability"], none["chosen_on"]["people"], none["chosen_on"]["strangers"]) == (None, 0, 2)


def test_precision_holds_on_other_people():
    held_out, others = (drawn_answers(3000, 2.0, seed) for seed in (4, 5))
    given = at(threshold_for(held_out, 0.8), others)
    assert given.precision is not None
    assert given.precision.value == pytest.approx(0.8, abs=0.04)
    assert 0.1 < given.coverage.value < 0.9


def test_confident_wrong_answers():
    unseen = [said(0.9, False), said(0.9, True), said(0.6, False), said(0.1, False)]
    assert confident_wrong(0.6, unseen) == Share(2, 4)
    assert confident_wrong(0.0, unseen) == Share(3, 4)
    assert confident_wrong(Threshold(None, 0.9, AnswerCounts(4, 0, 0), people=4), unseen) == Share(0, 4)


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("probability", [0.0, 0.5, 1.0])
def test_all_alike(right, probability):
    answers = [said(probability, right)] * 3
    found = threshold_for(answers)
    assert (found.probability is not None) == right
    given = at(found, answers)
    assert given.precision == (Share(3, 3) if right else None)
    json.dumps([found.as_json(), given.as_json()], allow_nan=False)


def test_no_answers():
    for count in (curve, threshold_for, lambda each: at(0.5, each), lambda each: confident_wrong(0.5, each)):
        with pytest.raises(ArgumentError, match="answers: expected at least one answer, got no answers"):
            count([])


@pytest.mark.parametrize("precision", [0.0, -1.0, 1.5, float("nan")])
def test_bad_precisions(precision):
    with pytest.raises(ArgumentError, match="precision: expected a number above 0 and at most 1, got"):
        threshold_for([said(0.5, True)], precision)


def test_an_empty_text_is_never_an_answer_that_is_given():
    silent = [
        ModelAnswer("A B", "Where was A B born?", "", "", 0.99),
        ModelAnswer("C D", "Where was C D born?", "Rome", " ", 0.9),
    ]
    assert curve(silent) == ()
    assert threshold_for(silent, 0.5).probability is None
    assert at(0.5, silent) == AnswerCounts(2, 0, 0)
    assert confident_wrong(0.5, silent).count == 0
    assert [(bound, some.answered) for bound, some in curve([*silent, said(0.4, True)])] == [(0.4, 1)]
    threshold = threshold_for([*silent, said(0.4, True)], 0.9)
    assert threshold.chosen_on == AnswerCounts(3, 1, 1)
