"""Probabilities made milder or bolder by one number, the temperature T, chosen on held-out people.

The alternatives of a question are the answer, its runners-up and, for all that is not listed, something else: with
probabilities p before, they have p^(1/T) / Σ p^(1/T) after (Guo et al. 2017). The answer stays what it is. T is the
one with the least mean −ln p of the truth, which is something else where it is not listed. That mean is convex in 1/T,
so its slope is 0 at one place at most, which is found by halving.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Int

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import Answer, some

LEAST = 1e-12
"""What a probability of 0 counts as: so that a model that was sure and wrong has a price."""
COLDEST, HOTTEST = 0.05, 20.0
"""T is sought between these; where all answers are right, or all are wrong, it is one of them."""
HALVINGS = 60
FLAT = 1e-12
"""Where the slope is less than this throughout, no temperature is better than another and T is 1."""


@dataclass(frozen=True)
class Alternatives:
    """The alternatives of every question: the answer, its runners-up, something else; −∞ where one has fewer."""

    logs: Float[np.ndarray, "answers alternatives"]
    truths: Int[np.ndarray, " answers"]
    """Which of them is true."""

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> "Alternatives":
        """Those of some answers. Something else stands last."""
        widest = max(len(each.runners_up) for each in some(answers)) + 2
        probabilities, truths = np.zeros((len(answers), widest)), np.empty(len(answers), np.int64)
        for row, each in enumerate(answers):
            listed = [(each.answer, each.probability), *each.runners_up]
            probabilities[row, : len(listed)] = np.maximum([p for _, p in listed], LEAST)
            probabilities[row, -1] = max(each.rest, LEAST)
            texts = [text.strip() for text, _ in listed]
            truth = each.truth.strip()
            truths[row] = texts.index(truth) if truth in texts else widest - 1
        with np.errstate(divide="ignore"):
            return cls(np.log(probabilities), truths)

    def scaled(self, temperature: float) -> Float[np.ndarray, "answers alternatives"]:
        """The probabilities at a temperature."""
        powers = np.exp((self.logs - self.logs.max(1, keepdims=True)) / temperature)
        return powers / powers.sum(1, keepdims=True)

    def nats(self, temperature: float) -> float:
        """The mean −ln p of the truth at a temperature."""
        above = (self.logs - self.logs.max(1, keepdims=True)) / temperature
        truth = above[np.arange(len(self.truths)), self.truths]
        return float((np.log(np.exp(above).sum(1)) - truth).mean())

    def slope(self, inverse: float) -> float:
        """How fast the nats rise with 1/T: the logarithm that is expected, less that of the truth."""
        logs = np.where(np.isneginf(self.logs), 0.0, self.logs)  # these have no probability, so no part in the mean
        expected = (self.scaled(1 / inverse) * logs).sum(1)
        return float((expected - logs[np.arange(len(self.truths)), self.truths]).mean())


def best_temperature(answers: Sequence[Answer]) -> float:
    """The temperature with the least nats on some answers, between 0.05 and 20.

    >>> bold = [Answer("a", "?", truth, "Rome", 0.9) for truth in ("Rome", "Oslo")]
    >>> best_temperature(bold)  # right half of the time: no temperature is too hot
    20.0
    """
    found = Alternatives.of(answers)
    low, high = 1 / HOTTEST, 1 / COLDEST
    if max(abs(found.slope(low)), abs(found.slope(high))) < FLAT:
        return 1.0
    if found.slope(low) >= 0:
        return HOTTEST
    if found.slope(high) <= 0:
        return COLDEST
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if found.slope(middle) > 0 else (middle, high)
    return 2 / (low + high)


def at_temperature(answers: Sequence[Answer], temperature: float) -> tuple[Answer, ...]:
    """The same answers with the probabilities that they have at a temperature."""
    if not 0 < temperature < math.inf:
        raise ArgumentError("temperature", f"expected a number above 0, got {temperature}")
    rows = Alternatives.of(answers).scaled(temperature).tolist()
    return tuple(
        replace(
            each,
            probability=row[0],
            runners_up=tuple((text, p) for (text, _), p in zip(each.runners_up, row[1:], strict=False)),
        )
        for each, row in zip(answers, rows, strict=True)
    )
