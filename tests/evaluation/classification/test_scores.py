"""Numbers of a classifier, against what they are by hand."""

import json

import numpy as np
import pytest

from attnlab.errors import ArgumentError
from attnlab.evaluation.classification.scores import classify_scores

CLASSES = ("a", "b", "c")


def said(*places: int, sure: float = 0.8) -> np.ndarray:
    found = np.full((len(places), 3), (1 - sure) / 2)
    found[np.arange(len(places)), places] = sure
    return found


def test_every_number_by_hand():
    found = classify_scores(said(0, 0, 1, 1, 1), np.array([0, 1, 1, 1, 0]), CLASSES)
    assert found.confusion == ((1, 1, 0), (1, 2, 0), (0, 0, 0))
    assert (found.accuracy.count, found.examples) == (3, 5)
    a, b, c = found.classes
    assert (a.precision, a.recall, a.f1, a.examples, a.predicted) == (0.5, 0.5, 0.5, 2, 2)
    assert (b.precision, b.recall, b.examples) == (pytest.approx(2 / 3), pytest.approx(2 / 3), 3)
    assert (c.precision, c.recall, c.f1, c.examples) == (0, 0, 0, 0)
    assert found.macro_f1 == pytest.approx((0.5 + 2 / 3) / 2)  # c is neither there nor said
    assert found.nats == pytest.approx(-(3 * np.log(0.8) + 2 * np.log(0.1)) / 5)
    (only,) = found.reliability
    assert (only.examples, only.confidence, only.accuracy) == (5, pytest.approx(0.8), 0.6)
    assert found.calibration_error == pytest.approx(0.2)


def test_probabilities_that_say_how_often_they_are_right_have_no_calibration_error():
    draws = np.random.default_rng(0)
    second = draws.uniform(0, 1, 200_000)
    labels = (draws.uniform(0, 1, 200_000) < second).astype(np.int64)
    fair = classify_scores(np.stack([1 - second, second], 1), labels, ("n", "p"))
    assert fair.calibration_error < 0.01
    bold = np.clip((second - 0.5) * 3 + 0.5, 0, 1)
    assert classify_scores(np.stack([1 - bold, bold], 1), labels, ("n", "p")).calibration_error > 0.1


def test_a_certain_error_is_still_a_number():
    found = classify_scores(np.array([[1.0, 0.0]]), np.array([1]), ("n", "p"))
    assert np.isfinite(found.nats)
    json.dumps(found.to_dict(), allow_nan=False)


def test_json_has_what_is_promised():
    value = classify_scores(said(0, 1), np.array([0, 1]), CLASSES).to_dict()
    assert {"accuracy", "macro_f1", "examples", "calibration_error", "confusion", "reliability"} <= set(value)
    assert [each["examples"] for each in value["classes"]] == [1, 1, 0]


def test_no_texts():
    with pytest.raises(ArgumentError, match="expected at least one labelled text"):
        classify_scores(np.zeros((0, 3)), np.zeros(0, np.int64), CLASSES)
