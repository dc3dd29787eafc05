"""The distribution function, density and quantiles of a weight under noise, from its crossings of levels.

Along the last direction of noise, with the others fixed, the weight a(z) crosses the level x at points ρ:

    P(a ≤ x) = [a ends below x] + Σ_ρ ±Φ(ρ)    (+ where a rises through x, − where it falls)
    density  = Σ_ρ φ(ρ) / |a′(ρ)|

Both are then averaged over the other directions by the quadrature of the moments. If rounding may move a by η,
P(a ≤ x) lies between the results for x − η and for x + η, however the weight turns: that is its bound.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr

from attnlab.attention.noise.crossings import UNRESOLVED, Crossings, WeightLine, crossings
from attnlab.attention.noise.quadrature import Array, Function, expectation
from attnlab.attention.noise.quadrature import density as gaussian
from attnlab.attention.noise.sampled import Bounded
from attnlab.attention.noise.turns import turns
from attnlab.errors import ArgumentError

_EPS = float(np.finfo(np.float64).eps)
_FARTHEST = 700.0
"""The largest logit of a quantile."""


def cdf(line: WeightLine, levels: Array, tolerance: float, *, rounding: bool = True) -> tuple[Array, Array]:
    """P(weight ≤ level) for each of the levels, and bounds; without `rounding`, these ignore that rounding may move the
    weight, and take a third of the time."""
    if not rounding:
        value, bound = _cdf(line, levels, tolerance)
        return value.clip(0, 1), bound
    slack = (1 + UNRESOLVED) * line.rounding(levels)
    value, bound = _cdf(line, np.concatenate([levels, levels - slack, levels + slack]), tolerance)
    value, bound = value.reshape(3, -1), bound.reshape(3, -1)
    bounds = np.maximum(value[0] - value[1], value[2] - value[0]).clip(0) + bound.max(0)
    return value[0].clip(0, 1), bounds


def _cdf(line: WeightLine, levels: Array, tolerance: float) -> tuple[Array, Array]:
    """P(weight ≤ level), and a bound that ignores rounding of the weight."""

    def below(prefix: Array) -> Array:
        found = crossings(line, prefix, levels)
        total = found.ends_below.astype(float)
        np.add.at(total, (found.owner, found.level), np.where(found.rises, 1.0, -1.0) * ndtr(found.place))
        return total

    return _average(below, line, tolerance, len(levels))


def density(line: WeightLine, level: float, tolerance: float) -> Bounded:
    """The density of the weight at `level`."""
    if line.logits.directions == 0:
        raise ArgumentError("level", "the weight does not vary, so it has no density; use cdf or quantile")
    slack = (1 + UNRESOLVED) * float(line.rounding(np.array([level]))[0])

    def heights(prefix: Array) -> Array:
        found = crossings(line, prefix, np.array([level, level - slack, level + slack]))
        counts = np.zeros((len(prefix), 3), int)
        np.add.at(counts, (found.owner, found.level), 1)
        height, doubt = _heights(line, prefix, found, level, slack)
        total = np.zeros((len(prefix), 2))
        at = found.owner[found.level == 0]
        np.add.at(total, at, np.stack([height, doubt], 1))
        # If the weight turns within rounding of the level, its crossings cannot be told apart.
        lost = (counts != counts[:, :1]).any(1)
        total[lost, 1] = np.inf if line.logits.directions == 1 else total[lost, 0]
        return total

    value, bound = _average(
        heights, line, tolerance, 2, scale=np.array([max(1.0, 1 / max(abs(level), 1e-300)), np.inf])
    )
    return Bounded(float(value[0]), float(bound[0] + value[1]))


def _heights(line: WeightLine, prefix: Array, found: Crossings, level: float, slack: float) -> tuple[Array, Array]:
    """φ(ρ) / |a′(ρ)| where the weight crosses the first level, and its error from the error of ρ."""
    here = found.level == 0
    owner, place = found.owner[here], found.place[here]

    def slope_at(where: Array) -> Array:
        return line.slope(np.concatenate([prefix[owner], where[:, None]], axis=1))

    slope, last_digit = slope_at(place), 4 * _EPS * (1 + np.abs(place))
    off = np.abs(line.value(np.concatenate([prefix[owner], place[:, None]], axis=1)) - level)
    # A weight that jumps over a level has no density there: its distance from the level does not fit its slope, or it
    # changes completely between two neighbouring floats.
    jumps = (off > 1e-9 + 16 * last_digit * np.abs(slope)) | (last_digit * np.abs(slope) > 0.01)
    if (slope[~jumps] == 0).any():
        raise ArgumentError("level", "the weight is constant here, so it has no density; use cdf or quantile")
    with np.errstate(divide="ignore"):
        height = gaussian(place) / np.abs(slope)
        step = np.minimum(last_digit + slack / np.abs(slope), 1.0)
        near = [gaussian(place + side * step) / np.abs(slope_at(place + side * step)) for side in (-1, 1)]
    doubt = np.maximum(*(np.abs(each - height) for each in near)) + 1e-13 * height
    return np.where(jumps, 0.0, height), np.where(jumps, 100 * last_digit * gaussian(place), doubt)


def quantile(line: WeightLine, probability: float, tolerance: float) -> Bounded:
    """The level that the weight stays at or below with the given probability.

    The search is over the logit of the level, between the least and the largest possible weight, so that small weights
    have as many correct digits as large ones. The bound is verified: at that distance below and above, the distribution
    function is certainly below and certainly above `probability`.
    """
    if line.logits.directions == 0:
        level = line.value(np.empty((1, 0)))
        return Bounded(float(level[0]), float(line.rounding(level)[0]))
    shares = line.readout.head_weights
    low, high = float(shares.clamp_max(0).sum()), float(shares.clamp_min(0).sum())

    def level_of(t: np.ndarray) -> Array:
        return low + (high - low) * expit(t)

    def excess(t: np.ndarray) -> Array:
        return _cdf(line, level_of(t), tolerance)[0] - probability

    low_t, high_t = -_FARTHEST, _FARTHEST
    for _ in range(2):
        grid = np.linspace(low_t, high_t, 57)
        over = excess(grid) > 0
        if not over[-1] or over[0]:  # beyond the accuracy of the distribution function
            return Bounded(low if over[0] else high, high - low)
        first = int(over.argmax())
        low_t, high_t = float(grid[first - 1]), float(grid[first])
    # scipy's stub leaves out brentq's return type
    t = float(brentq(lambda t: excess(np.array([t]))[0], low_t, high_t, xtol=1e-4 * tolerance, rtol=4 * _EPS))  # pyright: ignore[reportArgumentType]
    away = 10.0 ** np.arange(-13, 3)
    around = level_of(np.concatenate([t - away, t + away]))
    value, bound = cdf(line, around, tolerance)
    below, above = (value + bound < probability)[: len(away)], (value - bound > probability)[len(away) :]
    level = float(level_of(np.array([t]))[0])
    ends = around[: len(away)][below].max(initial=low), around[len(away) :][above].min(initial=high)
    return Bounded(level, float(max(level - ends[0], ends[1] - level)) + 4 * _EPS * abs(level))


def _average(
    f: Function, line: WeightLine, tolerance: float, outputs: int, scale: float | Array = 1.0
) -> tuple[Array, Array]:
    """The average of f over all directions of noise but the last, and a bound."""
    if line.logits.directions <= 1:
        value = f(np.empty((1, 0)))[0]
        return value, np.full(outputs, 16 * _EPS)  # the rounding of Φ, and the tails
    breaks = turns(line.logits, tolerance)
    result = expectation(f, line.logits.directions - 1, tolerance, outputs, scale=scale, breaks=breaks)
    return result.value, result.bound
