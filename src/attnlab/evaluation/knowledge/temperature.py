"""Probabilities made milder or bolder by one number, the temperature T, chosen on held-out people.

The alternatives of a question are the answer, its runners-up and, for all that is not listed, something else: with
probabilities p before, they have p^(1/T) / Σ p^(1/T) after (Guo et al. 2017). The answer stays what it is. T is the one
with the least nats: the mean of −ln p for answers that are right and −ln(1 − p) for those that are wrong. Which of the
other alternatives is true does not count, since it is the answer that is given and whose probability is to be meant.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import Answer, hits, some

LEAST = 1e-12
"""What a probability of 0 counts as: so that a model that was sure and wrong has a price."""
COLDEST, HOTTEST = 0.25, 20.0
"""T is sought between these; where all answers are right, or all are wrong, it is one of them. At T = 1/4 the odds of
an answer become their fourth power, and 0.9 is still told from 0.999. Much colder both would be 1 but for rounding, and
no threshold could part people who are known from strangers."""
TRIED = 201
"""So many temperatures are tried, and the best is made exact between its neighbours."""
HALVINGS = 40
FLAT = 1e-12
"""Where nats differ by less throughout, no temperature is better than another and T is 1."""
GOLDEN = (math.sqrt(5) - 1) / 2


def best_temperature(answers: Sequence[Answer]) -> float:
    """The temperature with the least nats on some answers, between 0.25 and 20.

    >>> bold = [Answer("a", "?", truth, "Rome", 0.9) for truth in ("Rome", "Oslo")]
    >>> best_temperature(bold)  # right half of the time: no temperature is too hot
    20.0
    """
    logs, right = _logs(answers), hits(answers)
    tried = np.geomspace(COLDEST, HOTTEST, TRIED)
    costs = np.array([_nats(logs, right, each) for each in tried.tolist()])
    if np.ptp(costs) < FLAT:
        return 1.0
    best = int(costs.argmin())
    if best in (0, TRIED - 1):
        return (COLDEST, HOTTEST)[best > 0]
    low, high = np.log(tried[[best - 1, best + 1]]).tolist()
    for _ in range(HALVINGS):  # golden sections (Kiefer 1953)
        one, other = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if _nats(logs, right, math.exp(one)) < _nats(logs, right, math.exp(other)):
            high = other
        else:
            low = one
    return math.exp((low + high) / 2)


def at_temperature(answers: Sequence[Answer], temperature: float) -> tuple[Answer, ...]:
    """The same answers with the probabilities that they have at a temperature."""
    if not 0 < temperature < math.inf:
        raise ArgumentError("temperature", f"expected a number above 0, got {temperature}")
    powers = np.exp(_logs(answers) / temperature)
    rows = (powers / powers.sum(1, keepdims=True)).tolist()
    return tuple(
        replace(
            each,
            probability=row[0],
            runners_up=tuple((text, p) for (text, _), p in zip(each.runners_up, row[1:], strict=False)),
        )
        for each, row in zip(answers, rows, strict=True)
    )


def answer_nats(answers: Sequence[Answer]) -> float:
    """What the answers cost: the mean of −ln p for those that are right and −ln(1 − p) for those that are wrong."""
    return _nats(_logs(answers), hits(answers), 1.0)


def _logs(answers: Sequence[Answer]) -> Float[np.ndarray, "answers alternatives"]:
    """The logarithm of each alternative over the likeliest: the answer first, something else last, −∞ where there are
    fewer."""
    widest = max(len(each.runners_up) for each in some(answers)) + 2
    probabilities = np.zeros((len(answers), widest))
    for row, each in enumerate(answers):
        listed = [each.probability, *(p for _, p in each.runners_up)]
        # Where nothing was answered there is nothing to be more or less sure of, at any temperature.
        probabilities[row, : len(listed)] = np.maximum(listed, LEAST) if each.said or each.probability else 0.0
        probabilities[row, -1] = max(each.rest, LEAST)
    with np.errstate(divide="ignore"):
        return np.log(probabilities / probabilities.max(1, keepdims=True))


def _nats(logs: Float[np.ndarray, "answers alternatives"], right: np.ndarray, temperature: float) -> float:
    powers = np.exp(logs / temperature)
    answer, others = logs[:, 0] / temperature, np.log(np.maximum(powers[:, 1:].sum(1), np.finfo(float).tiny))
    both = np.logaddexp(answer, others)
    return float((both - np.where(right, answer, others)).mean())
