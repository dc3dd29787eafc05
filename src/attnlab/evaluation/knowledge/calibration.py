"""Calibration of answers: confidence against accuracy, before and after a temperature fitted on other people."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from attnlab.evaluation.knowledge.answers import ModelAnswer, confidences, hits
from attnlab.evaluation.knowledge.temperature import answer_nats, at_temperature
from attnlab.evaluation.reliability import Bin, calibration_error, reliability


@dataclass(frozen=True)
class Calibration:
    """Confidence against accuracy."""

    bins: tuple[Bin, ...]
    """The bins that hold at least one answer."""
    nats: float
    """The mean of −ln p over right answers and −ln(1 − p) over wrong answers."""

    @property
    def error(self) -> float:
        """The expected calibration error."""
        return calibration_error(self.bins)

    def as_json(self) -> dict[str, Any]:
        """All fields."""
        return {"error": self.error, "nats": self.nats, "bins": [asdict(each) for each in self.bins]}


@dataclass(frozen=True)
class Calibrations:
    """Calibration before and after a temperature that was fitted on held-out people."""

    temperature: float
    before: Calibration
    after: Calibration

    def as_json(self) -> dict[str, Any]:
        """All fields."""
        before, after = self.before.as_json(), self.after.as_json()
        return {"temperature": self.temperature, "before": before, "after": after}


def calibration(answers: Sequence[ModelAnswer]) -> Calibration:
    """The calibration of unscaled answers."""
    return Calibration(reliability(confidences(answers), hits(answers)), answer_nats(answers))


def calibrations(answers: Sequence[ModelAnswer], temperature: float) -> Calibrations:
    """The calibration of unscaled answers, and at a temperature that was fitted on other people."""
    after = calibration(at_temperature(answers, temperature))
    return Calibrations(temperature, calibration(answers), after)
