"""The curves that are drawn of an average of two: the error against the scale, and how a weight is spread."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnlab.attention import Distribution

CURVE: Sequence[float] = np.geomspace(0.1, 1000.0, 81).tolist()
"""The scales of a curve."""
BINS = 200
"""How many bins a density has."""
DOES_NOT_VARY = 1e-9
"""A weight with a smaller standard deviation has no density that could be drawn."""


@dataclass(frozen=True)
class ErrorCurve:
    """E‖c − ½(v_a + v_b)‖² at each scale C, and the best (scale, error) where there is one. Scales are above 0."""

    heads: int
    scale: Sequence[float]
    error: Sequence[float]
    best: tuple[float, float] | None


@dataclass(frozen=True)
class WeightDensity:
    """The density of the weight on key a at each level. Levels are close together where it has spikes."""

    heads: int
    weight: Sequence[float]
    density: Sequence[float]


def weight_density(found: Distribution, heads: int) -> WeightDensity | None:
    """The density of the weight on a, averaged over narrow bins, so that no spike is lost between two points. None for
    a weight that does not vary."""
    if float(found.weight_sd[0]) < DOES_NOT_VARY:
        return None
    # Narrow near 0 and 1, where one head has its spikes, and near ½, where two have.
    half = 0.25 * (1 - np.cos(np.linspace(0, np.pi, BINS // 2 + 1)))
    edges = np.concatenate([half, 0.5 + half[1:]])
    below = np.array([each.value for each in found.cdfs(0, edges.tolist())])
    height = np.clip(np.diff(below), 0, None) / np.diff(edges)
    return WeightDensity(heads, ((edges[1:] + edges[:-1]) / 2).tolist(), height.tolist())
