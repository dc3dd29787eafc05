"""What was measured, read back: the same record, and an error for whatever was damaged."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import ModelAnswer
from attnlab.evaluation.knowledge.measuring import Knowledge, measure_knowledge
from attnlab.evaluation.knowledge.reading import check_share, read_knowledge
from attnlab.statistics import Share


def measured(*, bare: bool = False) -> Knowledge:
    """Everything, or as little as can be, of four answers."""
    sure = (("Rome", 0.9), ("Oslo", 0.4), ("Rome", 0.7), ("Oslo", 0.2))
    answers = [ModelAnswer(f"Ada B{number}", "?", "Rome", place, p) for number, (place, p) in enumerate(sure)]
    if bare:
        return measure_knowledge(answers)
    known = [("Ada C", "Oslo")]
    return measure_knowledge(answers, held_out=answers, unseen=answers, known=known, memorised=[True, False] * 2)


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of the values inside a JSON value."""
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*path, key))
    else:
        yield path


def damaged(value: Any, path: tuple[str | int, ...], by: Any) -> Any:
    value = copy.deepcopy(value)
    inside = value
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = by
    return value


@pytest.mark.parametrize("bare", [False, True])
def test_what_is_written_is_read(bare: bool):
    found = measured(bare=bare)
    assert read_knowledge(json.loads(json.dumps(found.as_json() | {"seconds": 3}))) == found


def test_every_value_of_another_kind_is_noticed():
    whole = json.loads(json.dumps(measured().as_json()))
    for path in leaves(whole):
        with pytest.raises(ArgumentError):
            read_knowledge(damaged(whole, path, {"x": 1}))


@pytest.mark.parametrize(
    ("path", "by", "message"),
    [
        (("accuracy", "count"), 1, "accuracy: expected numbers that agree with one another"),
        (("accuracy", "count"), "2", "accuracy.count: expected a whole number, got '2'"),
        (("accuracy", "examples"), 0, "measured: expected the measures of a model: ZeroDivisionError"),
        (("calibration", "error"), 0.5, "calibration: expected numbers that agree with one another"),
        (("confidence", "given", "coverage", "value"), 0.9, "confidence: expected numbers that agree with one another"),
        (("extraction", "both", "count"), 4, "extraction: expected numbers that agree with one another"),
        (("confidence",), 3, "measured: expected the measures of a model: "),
    ],
)
def test_what_does_not_agree_is_named(path: tuple[str, ...], by: Any, message: str):
    whole = json.loads(json.dumps(measured().as_json()))
    with pytest.raises(ArgumentError) as caught:
        read_knowledge(damaged(whole, path, by))
    assert str(caught.value).startswith(message)


def test_what_is_missing_is_named():
    for name in measured().as_json():
        with pytest.raises(ArgumentError):
            read_knowledge({each: value for each, value in measured().as_json().items() if each != name})


def test_a_share_agrees_with_its_counts():
    check_share("right", Share(1, 2), Share(1, 2).as_json())
    for share in (Share(0, 2), Share(3, 2), Share(-1, 2), Share(0, 0)):
        with pytest.raises(ArgumentError, match="right: expected numbers that agree with one another"):
            check_share("right", share, Share(1, 2).as_json())
    with pytest.raises(ArgumentError, match=r"^right: expected numbers that agree"):
        check_share("right", Share(1, 2), Share(1, 2).as_json() | {"interval": 7})
