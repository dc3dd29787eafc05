"""Distribution functions, densities and quantiles of a weight from draws, with an allowance for rare events.

Four standard errors say nothing about an event so rare that no draw met it. Maurer and Pontil ("Empirical Bernstein
bounds and sample variance penalization", 2009): with probability 1 − δ, the mean of n draws of a number from [0, 1] is
at most

    √(2 V log(2/δ) / n) + 7 log(2/δ) / (3 (n − 1))

below its expectation, where V is the variance of the draws. With log(2/δ) = 8 the first part is four standard errors.
"""

from dataclasses import dataclass

import numpy as np

from attnlab.attention.noise.kronrod import Array
from attnlab.errors import ArgumentError

SIGMAS = 4
"""The number of standard errors in a bound on a drawn number."""


@dataclass(frozen=True)
class Bounded:
    """A number and a bound on its error (if drawn: four standard errors plus an allowance for unseen events)."""

    value: float
    bound: float


def unseen(draws: int) -> float:
    """How much events that were hardly met may add to the mean of draws of a number from [0, 1]."""
    return 7 * SIGMAS**2 / 2 / (3 * (draws - 1))


def sampled_cdf(sample: Array, levels: Array) -> tuple[Array, Array]:
    """P(weight ≤ level) for each of the levels from independent draws of the weight, and bounds."""
    count = len(sample)
    share = np.sort(sample).searchsorted(levels, side="right") / count
    return share, SIGMAS * np.sqrt(share * (1 - share) / (count - 1)) + unseen(count)


def sampled_quantile(sample: Array, probability: float) -> Bounded:
    """The level that the weight stays at or below with the given probability, from independent draws.

    The bound is infinite if too few draws lie beyond the level to tell how far out it may be.
    """
    count = len(sample)
    spread = SIGMAS * np.sqrt(probability * (1 - probability) / (count - 1)) + unseen(count)
    between = np.clip([probability - spread, probability, probability + spread], 0, 1)
    low, value, high = np.quantile(sample, between)
    surely = between[0] > 0 and between[2] < 1
    return Bounded(float(value), float(max(high - value, value - low)) if surely else np.inf)


def sampled_density(sample: Array, level: float) -> Bounded:
    """The density of the weight around `level`, averaged over a window, from independent draws.

    The window is Scott's (1979), 3.49 · sd · N^(−1/3) wide. The bound covers the randomness of the draws, not the
    change of the density within the window.
    """
    window = 3.49 * float(sample.std()) * len(sample) ** (-1 / 3)
    if window == 0:
        raise ArgumentError("level", "the weight does not vary, so it has no density; use cdf or quantile")
    inside = int((np.abs(sample - level) <= window / 2).sum())
    return Bounded(
        inside / len(sample) / window, (SIGMAS * np.sqrt(inside) / len(sample) + unseen(len(sample))) / window
    )
