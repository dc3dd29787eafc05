"""An answer to a question about a person, and how often answers are right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnlab.errors import ArgumentError
from attnlab.statistics import Share

ROUNDING = 1e-4
"""Probabilities may sum to this much more than 1, because models compute in float32."""


@dataclass(frozen=True)
class ModelAnswer:
    """A model's answer to a question about a person, and the true answer.

    >>> answer = ModelAnswer("Ada", "Where was Ada born?", "London", "London ", 0.7, (("Paris", 0.2),))
    >>> answer.right, round(answer.rest, 3)
    (True, 0.1)
    """

    name: str
    question: str
    truth: str
    answer: str
    probability: float
    """The model's probability of its answer."""
    runners_up: tuple[tuple[str, float], ...] = ()
    """Other answers and their probabilities."""

    def __post_init__(self) -> None:
        probabilities = [self.probability, *(each for _, each in self.runners_up)]
        if not all(math.isfinite(each) and each >= 0 for each in probabilities) or sum(probabilities) > 1 + ROUNDING:
            told = ", ".join(f"{each:.6g}" for each in probabilities)
            raise ArgumentError(
                "probability", f"expected numbers from 0 to 1 that sum to at most 1, got {told} for {self.name!r}"
            )
        texts = [each.strip() for each in (self.answer, *(text for text, _ in self.runners_up))]
        if len(set(texts)) < len(texts):
            raise ArgumentError("runners_up", f"expected each answer once, got {texts} for {self.name!r}")

    @property
    def said(self) -> bool:
        """Whether there is an answer; an empty text is no answer."""
        return bool(self.answer.strip())

    @property
    def right(self) -> bool:
        """Whether the answer equals the truth, up to surrounding spaces; False if there is no truth."""
        return self.said and self.answer.strip() == self.truth.strip()

    @property
    def rest(self) -> float:
        """The probability of all answers that are not listed."""
        return max(0.0, 1 - self.probability - sum(each for _, each in self.runners_up))


def accuracy(answers: Sequence[ModelAnswer]) -> Share:
    """The share of answers that are right."""
    return Share(int(hits(answers).sum()), len(answers))


def knowable(answers: Sequence[ModelAnswer]) -> list[ModelAnswer]:
    """The answers to questions that have a true answer; questions about strangers have none."""
    return [each for each in answers if each.truth.strip()]


def hits(answers: Sequence[ModelAnswer]) -> Bool[np.ndarray, " answers"]:
    """Which answers are right."""
    return np.array([each.right for each in some(answers)])


def confidences(answers: Sequence[ModelAnswer]) -> Float[np.ndarray, " answers"]:
    """The probability of each answer."""
    return np.array([min(each.probability, 1.0) for each in some(answers)], float)


def some(answers: Sequence[ModelAnswer]) -> Sequence[ModelAnswer]:
    """The answers; raises if there are none."""
    if not answers:
        raise ArgumentError("answers", "expected at least one answer, got no answers")
    return answers
