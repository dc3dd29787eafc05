"""Reads the measures of a model from JSON. Types are checked, and every share must match its counts."""

from collections.abc import Mapping
from typing import Any

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.measuring import Knowledge
from attnlab.settings import read
from attnlab.statistics import Share

DISAGREES = "expected numbers that agree with one another"
CELLS = ("both", "memorised_only", "extracted_only", "neither")


def read_knowledge(value: Mapping[str, Any]) -> Knowledge:
    """The record that `as_json` wrote; the value may contain other keys too.

    >>> from attnlab.evaluation.knowledge.answers import ModelAnswer
    >>> from attnlab.evaluation.knowledge.measuring import measure_knowledge
    >>> measured = measure_knowledge([ModelAnswer("Ada", "?", "Rome", "Rome", 0.5)]).as_json()
    >>> read_knowledge(measured).accuracy.value
    1.0
    >>> read_knowledge(measured | {"accuracy": measured["accuracy"] | {"count": 0}})
    Traceback (most recent call last):
    attnlab.errors.ArgumentError: accuracy: expected numbers that agree with one another
    """
    try:
        found: Knowledge = read(Knowledge, _fields(value))
        written = found.as_json()
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError, OverflowError) as error:
        raise ArgumentError("measured", f"expected the measures of a model: {error!r}") from error
    for name, each in written.items():
        if _counted(each) != _counted(value[name]):
            raise ArgumentError(name, DISAGREES)
    return found


def check_share(name: str, share: Share, value: Any) -> None:
    """Raise unless a share has the value of its JSON."""
    possible = 0 <= share.count <= share.examples and share.examples
    if not possible or _counted(share.as_json()) != _counted(value):
        raise ArgumentError(name, DISAGREES)


def _counted(value: Any) -> Any:
    """JSON without the ends of intervals: they follow from the counts, and an older version had another rule."""
    if isinstance(value, dict):
        ends = value["interval"] or [] if "interval" in value else None  # null: there is no interval
        told = {"interval": [isinstance(end, float) for end in ends]} if isinstance(ends, list | tuple) else {}
        return {name: _counted(each) for name, each in value.items()} | told
    return [_counted(each) for each in value] if isinstance(value, list | tuple) else value


def _fields(value: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of each field that differs from `as_json`: shares are replaced by counts."""
    sure, cells = value["confidence"], value["extraction"]
    return {
        **{name: value[name] for name in ("accuracy", "calibration", "resembling")},
        "confidence": sure and _confidence(sure),
        "extraction": cells and {name: cells[name]["count"] for name in CELLS},
    }


def _confidence(sure: Mapping[str, Any]) -> dict[str, Any]:
    threshold, given = sure["threshold"], _given(sure["given"])
    chosen = threshold["chosen_on"]
    return {
        **sure,
        "threshold": {
            **threshold,
            "chosen_on": _given(chosen),
            "people": chosen["people"],
            "strangers": chosen["strangers"],
        },
        "given": given,
        "curve": [[bound, {**given, "answered": answered, "right": right}] for bound, answered, right in sure["curve"]],
    }


def _given(shares: Mapping[str, Any]) -> dict[str, Any]:
    coverage, precision = shares["coverage"], shares["precision"]
    right = precision["count"] if precision else 0
    return {"questions": coverage["examples"], "answered": coverage["count"], "right": right}
