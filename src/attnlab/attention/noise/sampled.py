"""Distribution functions, densities and quantiles of a weight from draws of it."""

from dataclasses import dataclass

import numpy as np

from attnlab.attention.noise.kronrod import Array
from attnlab.errors import ArgumentError

SIGMAS = 4
"""How many standard errors a Monte Carlo bound is."""


@dataclass(frozen=True)
class Estimate:
    """A number and a bound on its error (by Monte Carlo: four standard errors)."""

    value: float
    bound: float


def sampled_cdf(sample: Array, level: float) -> Estimate:
    """P(weight ≤ level) from independent draws of the weight."""
    share = float((sample <= level).mean())
    return Estimate(share, SIGMAS * np.sqrt(max(share * (1 - share), 1 / len(sample)) / len(sample)))


def sampled_quantile(sample: Array, probability: float) -> Estimate:
    """The level that the weight stays at or below with the given probability, from independent draws."""
    spread = SIGMAS * np.sqrt(probability * (1 - probability) / len(sample))
    low, value, high = np.quantile(sample, np.clip([probability - spread, probability, probability + spread], 0, 1))
    return Estimate(float(value), float(max(high - value, value - low)))


def sampled_density(sample: Array, level: float) -> Estimate:
    """The density of the weight around `level`, averaged over a window, from independent draws.

    The window is Scott's (1979), 3.49 · sd · N^(−1/3) wide. The bound is for the chance of the draws, not for what the
    density does within the window.
    """
    window = 3.49 * float(sample.std()) * len(sample) ** (-1 / 3)
    if window == 0:
        raise ArgumentError("level", "the weight does not vary, so it has no density: ask for cdf or quantile")
    inside = int((np.abs(sample - level) <= window / 2).sum())
    return Estimate(inside / len(sample) / window, SIGMAS * np.sqrt(max(inside, 1)) / len(sample) / window)
