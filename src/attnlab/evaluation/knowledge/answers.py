"""An answer to a question about a person, and how often answers are right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from attnlab.errors import ArgumentError
from attnlab.statistics import Share

ROUNDING = 1e-4
"""By so much probabilities may add up to more than 1, since models compute in single precision."""


@dataclass(frozen=True)
class Answer:
    """What a model answered to a question about a person, and what is true.

    >>> answer = Answer("Ada Lovelace", "Where was Ada Lovelace born?", "London", "London ", 0.7, (("Paris", 0.2),))
    >>> answer.right, round(answer.rest, 3)
    (True, 0.1)
    """

    name: str
    question: str
    truth: str
    answer: str
    probability: float
    """The model's own, for its answer."""
    runners_up: tuple[tuple[str, float], ...] = ()
    """Other answers and their probabilities."""

    def __post_init__(self) -> None:
        probabilities = [self.probability, *(each for _, each in self.runners_up)]
        if not all(math.isfinite(each) and each >= 0 for each in probabilities) or sum(probabilities) > 1 + ROUNDING:
            told = ", ".join(f"{each:.6g}" for each in probabilities)
            raise ArgumentError(
                "probability", f"expected numbers from 0 to 1 that add up to 1 at most, got {told} for {self.name!r}"
            )
        texts = [each.strip() for each in (self.answer, *(text for text, _ in self.runners_up))]
        if len(set(texts)) < len(texts):
            raise ArgumentError("runners_up", f"expected each answer once, got {texts} for {self.name!r}")

    @property
    def said(self) -> bool:
        """Whether there is an answer that can be given: an empty text is none."""
        return bool(self.answer.strip())

    @property
    def right(self) -> bool:
        """Whether it is the truth, letter by letter but for the space around it; never where there is no truth."""
        return self.said and self.answer.strip() == self.truth.strip()

    @property
    def rest(self) -> float:
        """The probability of all answers that are not listed."""
        return max(0.0, 1 - self.probability - sum(each for _, each in self.runners_up))


def accuracy(answers: Sequence[Answer]) -> Share:
    """The share of answers that are right."""
    return Share(int(hits(answers).sum()), len(answers))


def knowable(answers: Sequence[Answer]) -> list[Answer]:
    """The answers to questions that have a truth; those about strangers have none."""
    return [each for each in answers if each.truth.strip()]


def hits(answers: Sequence[Answer]) -> Bool[np.ndarray, " answers"]:
    """Which answers are right."""
    return np.array([each.right for each in some(answers)])


def confidences(answers: Sequence[Answer]) -> Float[np.ndarray, " answers"]:
    """The probability of each answer."""
    return np.array([min(each.probability, 1.0) for each in some(answers)], float)


def some(answers: Sequence[Answer]) -> Sequence[Answer]:
    """The answers, of which there must be one."""
    if not answers:
        raise ArgumentError("answers", "expected at least one answer, got none")
    return answers
