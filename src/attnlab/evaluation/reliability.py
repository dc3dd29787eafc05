"""Calibration: of the answers that a model gives with probability 0.8, four in five should be right."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

BINS = 15


@dataclass(frozen=True)
class Bin:
    """The answers whose probability lies in one bin: their mean probability, and how many are right."""

    low: float
    high: float
    examples: int
    confidence: float
    """The mean probability that the model gave to its answers."""
    accuracy: float
    """The share of the answers that is right."""


def reliability(
    confidence: Float[np.ndarray, " examples"], right: Bool[np.ndarray, " examples"], bins: int = BINS
) -> tuple[Bin, ...]:
    """The bins that hold at least one answer, lowest probability first.

    >>> bins = reliability(np.array([0.1, 0.99, 1.0]), np.array([False, False, True]))
    >>> [(each.examples, each.accuracy) for each in bins]
    [(1, 0.0), (2, 0.5)]
    """
    places = np.minimum((confidence * bins).astype(np.int64), bins - 1)
    counts = np.bincount(places, minlength=bins)
    sure = np.bincount(places, confidence, bins) / counts.clip(1)
    hit = np.bincount(places, right, bins) / counts.clip(1)
    return tuple(
        Bin(each / bins, (each + 1) / bins, int(counts[each]), float(sure[each]), float(hit[each]))
        for each in np.flatnonzero(counts).tolist()
    )


def calibration_error(bins: Sequence[Bin]) -> float:
    """The mean distance between confidence and accuracy; each bin is weighted by its number of answers."""
    apart = sum(each.examples * abs(each.confidence - each.accuracy) for each in bins)
    return apart / sum(each.examples for each in bins)
