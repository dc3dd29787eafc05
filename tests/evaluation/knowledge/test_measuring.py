"""The whole record: what is measured of what there is, and plain JSON in every case."""

import json
from dataclasses import replace

import pytest
from tests.evaluation.knowledge.worlds import drawn_answers, said

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.coverage import at
from attnlab.evaluation.knowledge.measuring import confidence, measure_knowledge
from attnlab.evaluation.knowledge.temperature import at_temperature
from attnlab.statistics import Share

KNOWN = [("A C", "Oslo"), ("D E", "Rome")]


def test_everything_is_measured_where_there_is_everything():
    answers, held_out, unseen = (drawn_answers(200, 2.0, seed) for seed in (6, 7, 8))
    found = measure_knowledge(
        answers, held_out=held_out, unseen=unseen, known=KNOWN, memorised=[True] * 200, precision=0.7
    )
    value = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert value["accuracy"]["count"] == sum(each.right for each in answers)
    assert value["confidence"]["calibrations"]["before"] == value["calibration"]
    assert value["confidence"]["curve"][-1][1:] == [200, value["accuracy"]["count"]]
    assert value["extraction"]["both"]["count"] == value["accuracy"]["count"]
    assert value["resembling"]["shuffles"] == 9999
    assert value["confidence"]["confident_wrong"]["examples"] == 200


def test_the_threshold_is_for_probabilities_at_the_temperature():
    answers, held_out = (drawn_answers(300, 3.0, seed) for seed in (9, 10))
    found = confidence(answers, held_out, precision=0.7)
    assert found.threshold.probability is not None
    warm = at_temperature(answers, found.calibrations.temperature)
    assert found.given == at(found.threshold.probability, warm)
    assert found.confident_wrong is None


def test_strangers_choose_the_threshold_and_not_the_temperature():
    answers, held_out = (drawn_answers(300, 3.0, seed) for seed in (9, 10))
    strangers = [replace(each, truth="") for each in drawn_answers(300, 3.0, 11)]
    alone, both = (confidence(answers, some, precision=0.7) for some in (held_out, [*held_out, *strangers]))
    assert both.calibrations == alone.calibrations
    assert alone.threshold.probability is not None
    assert (both.threshold.questions, both.threshold.strangers) == (300, 300)
    if both.threshold.probability is not None:
        assert both.threshold.probability > alone.threshold.probability


def test_what_is_not_measured_is_null():
    value = measure_knowledge([said(0.5, True)]).as_json()
    assert value["accuracy"]["value"] == 1
    assert [value[name] for name in ("confidence", "resembling", "extraction")] == [None, None, None]


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("probability", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("count", [1, 3])
def test_the_ends(right, probability, count):
    answers = [said(probability, right)] * count
    found = measure_knowledge(answers, held_out=answers, unseen=answers, known=KNOWN, memorised=[not right] * count)
    json.dumps(found.as_json(), allow_nan=False)
    assert found.accuracy == Share(count * right, count)
    assert found.confidence is not None
    assert (found.confidence.threshold.probability is not None) == right
    assert found.confidence.confident_wrong == Share(0, count)  # without a threshold nobody is given any answer
    assert (found.resembling is None) == right


def test_no_answers():
    with pytest.raises(ArgumentError, match="answers: expected at least one answer, got no answers"):
        measure_knowledge([])
    with pytest.raises(ArgumentError, match="memorised: expected one value for each of 1 questions"):
        measure_knowledge([said(0.5, True)], memorised=[True, False])
