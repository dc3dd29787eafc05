"""Temperatures, against scipy and against worlds whose temperature is known."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from tests.evaluation.knowledge.worlds import answer_of, drawn_answers, said, weighed

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.evaluation.knowledge.calibration import calibration, calibrations
from attnlab.evaluation.knowledge.temperature import COLDEST, HOTTEST, answer_nats, at_temperature, best_temperature


def nats(answers: list[ModelAnswer], temperature: float = 1.0) -> float:
    """What answers cost at a temperature, in a plain loop."""
    total = 0.0
    for each in answers:
        listed = [each.probability, *(p for _, p in each.runners_up), each.rest]
        answer, *others = [max(p, 1e-12) ** (1 / temperature) for p in listed]
        total -= np.log((answer if each.right else sum(others)) / (answer + sum(others)))
    return total / len(answers)


@given(st.lists(weighed, min_size=1, max_size=8), st.floats(1, 20))
def test_nats_are_those_of_a_plain_loop(drawn, temperature):
    answers = [answer_of(*each) for each in drawn]
    assert answer_nats(answers) == pytest.approx(nats(answers), rel=1e-6, abs=1e-9)
    warm = at_temperature(answers, temperature)
    # What is left over by probabilities near 1 is known to fewer digits.
    assert answer_nats(warm) == pytest.approx(nats(answers, temperature), rel=1e-4, abs=1e-6)


@settings(max_examples=40)
@given(st.lists(weighed, min_size=1, max_size=8))
def test_no_other_temperature_is_better(drawn):
    answers = [answer_of(*each) for each in drawn]
    best = best_temperature(answers)
    assert COLDEST <= best <= HOTTEST
    least = nats(answers, best)
    assert all(least <= nats(answers, other) + 1e-3 for other in np.geomspace(COLDEST, HOTTEST, 40))


@pytest.mark.parametrize("boldness", [0.5, 1.0, 2.5])
def test_the_temperature_of_a_world_is_found_and_is_that_of_scipy(boldness):
    answers = drawn_answers(4000, boldness, seed=1)
    best = best_temperature(answers)
    assert best == pytest.approx(boldness, rel=0.06)
    small = answers[:200]
    reference: Any = minimize_scalar(lambda each: nats(small, each), bounds=(COLDEST, HOTTEST), method="bounded")
    assert best_temperature(small) == pytest.approx(reference.x, rel=1e-3)


def test_calibration_gets_better_on_other_people():
    temperature = best_temperature(drawn_answers(1000, 3.0, seed=3))
    found = calibrations(drawn_answers(3000, 3.0, seed=2), temperature)
    assert found.temperature == temperature
    assert found.before.error > 0.15
    assert found.after.error < 0.05
    assert found.after.nats < found.before.nats


@given(st.lists(weighed, min_size=1, max_size=5))
def test_temperature_one_changes_nothing(drawn):
    answers = [answer_of(*each) for each in drawn]
    for before, after in zip(answers, at_temperature(answers, 1.0), strict=True):
        assert (after.answer, after.truth, after.name) == (before.answer, before.truth, before.name)
        assert after.probability == pytest.approx(before.probability, abs=1e-9)
        assert dict(after.runners_up) == pytest.approx(dict(before.runners_up), abs=1e-9)


@given(st.lists(weighed, min_size=1, max_size=5), st.floats(0.05, 20))
def test_alternatives_keep_their_order_and_add_up_to_one(drawn, temperature):
    answers = [answer_of(*each) for each in drawn]
    for before, after in zip(answers, at_temperature(answers, temperature), strict=True):
        old = [before.probability, *(p for _, p in before.runners_up), before.rest]
        new = [after.probability, *(p for _, p in after.runners_up), after.rest]
        assert sum(new) == pytest.approx(1)
        clear = [(i, j) for i, p in enumerate(old) for j, q in enumerate(old) if p > q + 1e-9]
        assert all(new[i] >= new[j] - 1e-12 for i, j in clear)


@pytest.mark.parametrize(
    ("answers", "best"),
    [
        ([said(0.9, True)], COLDEST),
        ([said(0.9, False)], HOTTEST),
        ([said(0.5, True), said(0.5, False)], 1.0),  # no temperature changes anything
        ([said(1.0, True)], COLDEST),
        ([said(1.0, False)], HOTTEST),
        ([said(0.0, False)], COLDEST),  # it said that it is something else, and it is
    ],
)
def test_the_ends(answers, best):
    assert best_temperature(answers) == best
    scaled = at_temperature(answers, best)
    assert np.isfinite(calibration(scaled).nats)


def test_which_other_alternative_is_true_does_not_count():
    runners_up = (("Oslo", 0.2), ("Lima", 0.1))
    one, other = ([ModelAnswer("a", "?", truth, "Rome", 0.6, runners_up)] for truth in ("Lima", "Elsewhere"))
    assert answer_nats(one) == answer_nats(other) == pytest.approx(-np.log(0.4))


def test_however_cold_the_surer_stay_the_surer():
    unsure, sure = at_temperature([said(0.9, True), said(0.999, True)], COLDEST)
    assert unsure.probability < sure.probability < 1


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("inf"), float("nan")])
def test_bad_temperatures(temperature):
    with pytest.raises(ArgumentError, match="temperature: expected a number above 0"):
        at_temperature([said(0.5, True)], temperature)


def test_no_answers():
    for count in (best_temperature, calibration, lambda each: at_temperature(each, 1.0)):
        with pytest.raises(ArgumentError, match="expected at least one answer, got no answers"):
            count([])
