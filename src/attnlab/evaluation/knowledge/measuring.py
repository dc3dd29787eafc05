"""All measures of one model's answers, in one record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attnlab.evaluation.knowledge.answers import ModelAnswer, accuracy, hits
from attnlab.evaluation.knowledge.calibration import Calibration, Calibrations, calibration, calibrations
from attnlab.evaluation.knowledge.choosing import choose
from attnlab.evaluation.knowledge.coverage import AnswerCounts, Threshold, at, confident_wrong, curve
from attnlab.evaluation.knowledge.extraction import ExtractionTable, extraction
from attnlab.evaluation.knowledge.resembling import Resembling, resembling
from attnlab.evaluation.knowledge.temperature import at_temperature
from attnlab.statistics import Share


@dataclass(frozen=True)
class Confidence:
    """A model's confidence: the temperature and threshold, chosen on held-out people, and their results."""

    calibrations: Calibrations
    threshold: Threshold
    """Answers are given from this probability on, at that temperature."""
    given: AnswerCounts
    """Coverage and precision on the questions."""
    curve: tuple[tuple[float, AnswerCounts], ...]
    """Coverage and precision at every other threshold, at that temperature."""
    confident_wrong: Share | None
    """The share of strangers about whom a wrong answer is given; None if no stranger was asked about."""

    def as_json(self) -> dict[str, Any]:
        """All fields; the curve as rows of threshold, answered and right."""
        return {
            "calibrations": self.calibrations.as_json(),
            "threshold": self.threshold.as_json(),
            "given": self.given.as_json(),
            "curve": [[threshold, given.answered, given.right] for threshold, given in self.curve],
            "confident_wrong": self.confident_wrong and self.confident_wrong.as_json(),
        }


@dataclass(frozen=True)
class Knowledge:
    """All measures of a model's answers; None for those that were not measured."""

    accuracy: Share
    calibration: Calibration
    """Calibration of the unscaled probabilities."""
    confidence: Confidence | None
    resembling: Resembling | None
    extraction: ExtractionTable | None

    def as_json(self) -> dict[str, Any]:
        """All fields; null for those that were not measured."""
        return {
            "accuracy": self.accuracy.as_json(),
            "calibration": self.calibration.as_json(),
            "confidence": self.confidence and self.confidence.as_json(),
            "resembling": self.resembling and self.resembling.as_json(),
            "extraction": self.extraction and self.extraction.as_json(),
        }


def confidence(
    answers: Sequence[ModelAnswer],
    held_out: Sequence[ModelAnswer],
    unseen: Sequence[ModelAnswer] = (),
    *,
    precision: float = 0.9,
) -> Confidence:
    """Chooses the temperature and threshold on held-out people and strangers, and measures them on the answers and
    on unseen people."""
    choice = choose(held_out, precision)
    temperature, threshold = choice.temperature, choice.threshold
    found = calibrations(answers, temperature)
    scaled = at_temperature(answers, temperature)
    wrong = confident_wrong(threshold, at_temperature(unseen, temperature)) if unseen else None
    return Confidence(found, threshold, at(threshold, scaled), curve(scaled), wrong)


def measure_knowledge(
    answers: Sequence[ModelAnswer],
    *,
    held_out: Sequence[ModelAnswer] = (),
    unseen: Sequence[ModelAnswer] = (),
    known: Sequence[tuple[str, str]] = (),
    memorised: Sequence[bool] = (),
    precision: float = 0.9,
    seed: int = 0,
) -> Knowledge:
    """Measures everything that the given data allows.

    `held_out`: answers about other people, for temperature and threshold. `unseen`: answers about people whom the model
    has never seen. `known`: names with their places, for resemblance. `memorised`: for each answer, whether the model
    completed the person's own line before finetuning.
    """
    return Knowledge(
        accuracy(answers),
        calibration(answers),
        confidence(answers, held_out, unseen, precision=precision) if held_out else None,
        resembling(answers, known, seed=seed) if known else None,
        extraction(memorised, hits(answers).tolist()) if len(memorised) else None,
    )
