"""Curves for the charts of `robustness` and `weigh`: the error against the scale, and the law of a weight."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnlab.attention import Distribution
from attnlab.attention.noise.kronrod import Array

CURVE: Sequence[float] = np.geomspace(0.1, 1000.0, 81).tolist()
"""The scales of a curve."""
BINS = 200
"""The number of bins of a density."""
FINER = 16
"""The number of parts that the second look cuts an interval around a quantile into."""
DOES_NOT_VARY = 1e-9
"""A weight with a smaller standard deviation is constant: its density cannot be drawn."""


@dataclass(frozen=True)
class ErrorCurve:
    """E‖c − ½(v_a + v_b)‖² at each scale C > 0, and the best (scale, error), if there is a best scale."""

    heads: int
    scale: Sequence[float]
    error: Sequence[float]
    best: tuple[float, float] | None


@dataclass(frozen=True)
class WeightDensity:
    """The density of the weight on key a. The points are close together near spikes."""

    heads: int
    weight: Sequence[float]
    density: Sequence[float]


@dataclass(frozen=True)
class Quantile:
    """A quantile of a weight: it lies between `low` and `high`."""

    probability: float
    low: float
    high: float


@dataclass(frozen=True)
class WeightLaw:
    """The distribution of one weight: its mean density in each bin, and quantiles."""

    edges: Sequence[float]
    """The ends of the bins, one more than there are bins."""
    density: Sequence[float]
    quantiles: tuple[Quantile, ...]


def weight_density(found: Distribution, heads: int) -> WeightDensity | None:
    """The density of the weight on a, averaged over narrow bins, so that no spike is lost between two points. None if
    the weight is constant."""
    if float(found.weight_sd[0]) < DOES_NOT_VARY:
        return None
    edges = _edges()
    below, _ = found.cdfs(0, edges, rounding=False)
    return WeightDensity(heads, ((edges[1:] + edges[:-1]) / 2).tolist(), _heights(edges, below).tolist())


def weight_law(found: Distribution, key: int, probabilities: Sequence[float]) -> WeightLaw | None:
    """The law of the weight of a key. None if the weight is constant.

    Two looks at the distribution function enclose every quantile in a narrow interval; that is many times faster than
    to search for its last digits. The first look ignores rounding; where that might matter, it is taken again.
    """
    if float(found.weight_sd[key]) < DOES_NOT_VARY:
        return None
    return _law(found, key, probabilities, rounding=False) or _law(found, key, probabilities, rounding=True)


def _law(found: Distribution, key: int, probabilities: Sequence[float], *, rounding: bool) -> WeightLaw | None:
    """The law; None if the first look ignored rounding, and an end of an interval around a quantile is not certain."""
    edges = _edges()
    below, bound = found.cdfs(key, edges, rounding=rounding)
    around = [_enclosed(edges, below, bound, each) for each in probabilities]
    levels = np.stack([np.linspace(low, high, FINER + 1) for low, high in around])
    finer, bounds = (each.reshape(levels.shape) for each in found.cdfs(key, levels.ravel()))
    wanted = np.array(probabilities)
    low_sure = (finer[:, 0] + bounds[:, 0] < wanted) | (levels[:, 0] == edges[0])
    high_sure = (finer[:, -1] - bounds[:, -1] > wanted) | (levels[:, -1] == edges[-1])
    if not rounding and not (low_sure & high_sure).all():
        return None
    ends = (_enclosed(levels[i], finer[i], bounds[i], each) for i, each in enumerate(probabilities))
    quantiles = tuple(Quantile(each, *between) for each, between in zip(probabilities, ends, strict=True))
    return WeightLaw(edges.tolist(), _heights(edges, below).tolist(), quantiles)


def _edges() -> np.ndarray:
    """The ends of the bins: close near 0 and 1, where one head has spikes, and near ½, where two heads have spikes."""
    half = 0.25 * (1 - np.cos(np.linspace(0, np.pi, BINS // 2 + 1)))
    return np.concatenate([half, 0.5 + half[1:]])


def _heights(edges: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.clip(np.diff(below), 0, None) / np.diff(edges)


def _enclosed(levels: Array, below: Array, bound: Array, probability: float) -> tuple[float, float]:
    """Two of the levels with the quantile between them, whatever the bounds of the distribution function hide."""
    low = levels[below + bound < probability].max(initial=levels[0])
    return float(low), float(levels[below - bound > probability].min(initial=levels[-1]))
