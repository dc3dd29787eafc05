"""Curves for the charts of `robustness`: the error against the scale, and the density of a weight."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attnlab.attention import Distribution

CURVE: Sequence[float] = np.geomspace(0.1, 1000.0, 81).tolist()
"""The scales of a curve."""
BINS = 200
"""The number of bins of a density."""
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


def weight_density(found: Distribution, heads: int) -> WeightDensity | None:
    """The density of the weight on a, averaged over narrow bins, so that no spike is lost between two points. None if
    the weight is constant."""
    if float(found.weight_sd[0]) < DOES_NOT_VARY:
        return None
    # The bins are narrow near 0 and 1, where one head has spikes, and near ½, where two heads have spikes.
    half = 0.25 * (1 - np.cos(np.linspace(0, np.pi, BINS // 2 + 1)))
    edges = np.concatenate([half, 0.5 + half[1:]])
    below = np.array([each.value for each in found.cdfs(0, edges.tolist())])
    height = np.clip(np.diff(below), 0, None) / np.diff(edges)
    return WeightDensity(heads, ((edges[1:] + edges[:-1]) / 2).tolist(), height.tolist())
