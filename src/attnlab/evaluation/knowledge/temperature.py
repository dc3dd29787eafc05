"""Temperature scaling: one number T makes probabilities less or more extreme; it is fitted on held-out people.

The alternatives of a question are the answer, its runners-up and "something else" for everything not listed. With
probabilities p before, they have p^(1/T) / Σ p^(1/T) after (Guo et al. 2017). The answer stays the same. The fit
minimises the mean of −ln p over right answers and −ln(1 − p) over wrong answers. Which other alternative is true does
not count, because only the answer is given, and its probability should be right.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.answers import ModelAnswer, hits, some

LEAST = 1e-12
"""A probability of 0 counts as this, so that a model that was sure and wrong has a finite cost."""
COLDEST, HOTTEST = 0.25, 20.0
"""The range of T; if all answers are right, or all are wrong, T is one of its ends. At T = 1/4 the odds of an answer
become their fourth power, and 0.9 still differs from 0.999. At much lower T both would round to 1, and no threshold
could separate known people from strangers."""
TRIED = 201
"""The number of temperatures on the grid; the best one is then refined between its neighbours."""
HALVINGS = 40
FLAT = 1e-12
"""If nats differ by less over the whole range, no temperature is better than another, and T is 1."""
GOLDEN = (math.sqrt(5) - 1) / 2


def best_temperature(answers: Sequence[ModelAnswer]) -> float:
    """The temperature with the lowest cost on these answers, between 0.25 and 20.

    >>> bold = [ModelAnswer("a", "?", truth, "Rome", 0.9) for truth in ("Rome", "Oslo")]
    >>> best_temperature(bold)  # right half of the time: the highest T is best
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


def at_temperature(answers: Sequence[ModelAnswer], temperature: float) -> tuple[ModelAnswer, ...]:
    """The same answers with their probabilities at a temperature."""
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


def answer_nats(answers: Sequence[ModelAnswer]) -> float:
    """The mean of −ln p over right answers and −ln(1 − p) over wrong answers."""
    return _nats(_logs(answers), hits(answers), 1.0)


def _logs(answers: Sequence[ModelAnswer]) -> Float[np.ndarray, "answers alternatives"]:
    """The logarithm of each alternative relative to the likeliest: the answer first, something else last, −∞ where
    there are fewer."""
    widest = max(len(each.runners_up) for each in some(answers)) + 2
    probabilities = np.zeros((len(answers), widest))
    for row, each in enumerate(answers):
        listed = [each.probability, *(p for _, p in each.runners_up)]
        # An empty answer stays at probability 0, at any temperature.
        probabilities[row, : len(listed)] = np.maximum(listed, LEAST) if each.said or each.probability else 0.0
        probabilities[row, -1] = max(each.rest, LEAST)
    with np.errstate(divide="ignore"):
        return np.log(probabilities / probabilities.max(1, keepdims=True))


def _nats(logs: Float[np.ndarray, "answers alternatives"], right: np.ndarray, temperature: float) -> float:
    powers = np.exp(logs / temperature)
    answer, others = logs[:, 0] / temperature, np.log(np.maximum(powers[:, 1:].sum(1), np.finfo(float).tiny))
    both = np.logaddexp(answer, others)
    return float((both - np.where(right, answer, others)).mean())
