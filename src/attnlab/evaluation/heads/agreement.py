"""How well two rankings of heads agree: Spearman's rank correlation, with an interval."""

import numpy as np
from jaxtyping import Float

from attnlab.evaluation.scoring.intervals import Estimate

DRAWS = 2000
"""Draws of the bootstrap."""
FEWEST_HEADS = 8
"""With fewer heads than this there is no interval."""
Values = Float[np.ndarray, " heads"]


def rank_correlation(first: Values, second: Values, seed: int = 0) -> Estimate | None:
    """Spearman's ρ, with its 95 % interval by the bootstrap over heads. None for fewer than three heads, or if all
    values are the same.

    >>> found = rank_correlation(np.arange(9.0), np.exp(np.arange(9.0)))
    >>> found.value, found.low, found.high
    (1.0, 1.0, 1.0)
    """
    value = spearman(first, second) if len(first) > 2 else np.nan
    if not np.isfinite(value):
        return None
    if len(first) < FEWEST_HEADS:
        return Estimate(value)
    drawn = np.random.default_rng(seed).integers(len(first), size=(DRAWS, len(first)))
    found = np.array([spearman(first[each], second[each]) for each in drawn])
    low, high = np.nanquantile(found, [0.025, 0.975])
    return Estimate(value, float(low), float(high))


def spearman(first: Values, second: Values) -> float:
    """Spearman's ρ; NaN if all values of one are the same."""
    return _correlation(_ranks(first), _ranks(second))


def _ranks(values: np.ndarray) -> np.ndarray:
    """The rank of each value; equal values share the mean of their ranks."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[which]


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    """Pearson's correlation; NaN if all values of one are the same."""
    first, second = first - first.mean(), second - second.mean()
    size = np.sqrt((first**2).sum() * (second**2).sum())
    return float(np.clip((first * second).sum() / size, -1, 1)) if size > 0 else float("nan")
