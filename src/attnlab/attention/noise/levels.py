"""Where a weight crosses a level: its distribution function, density and quantiles under noise.

Along the last direction of noise, with the others held, a weight a(z) is a smooth function on a line. It is cut where
it turns into pieces on which it rises or falls; on each piece it meets the level x at most once, at a point ρ:

    P(a ≤ x) = [a ends below x] + Σ_ρ ±Φ(ρ)    (+ where a rises through x, − where it falls)
    density  = Σ_ρ φ(ρ) / |a′(ρ)|

Both are then averaged over the other directions by the same quadrature that gives the moments.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from scipy.optimize import brentq
from scipy.optimize.elementwise import find_root
from scipy.special import ndtr
from torch import Tensor

from attnlab.attention.noise.logits import Logits
from attnlab.attention.noise.quadrature import Array, Function, Integrand, expectation, resolve
from attnlab.attention.noise.readout import Readout
from attnlab.attention.noise.turns import turns
from attnlab.errors import ArgumentError

SIGMAS = 4
"""How many standard errors a Monte Carlo bound is."""


@dataclass(frozen=True)
class Estimate:
    """A number and a bound on its error (by Monte Carlo: four standard errors)."""

    value: float
    bound: float


@dataclass(frozen=True)
class WeightLine:
    """The weight of one column in the output, as a function of the few Gaussian numbers z."""

    readout: Readout
    logits: Logits
    column: int

    def value(self, z: Array) -> Array:
        """The weight at each point."""
        combined = self.readout.combine(self.readout.weights(self.logits.at(self._points(z))))
        return combined[:, self.column].cpu().numpy()

    def slope(self, z: Array) -> Array:
        """Its derivative along the last direction: Σ_h w_h α_h (ℓ′ − Σ_j α_hj ℓ′_j)."""
        points = self._points(z)
        weights = self.readout.weights(self.logits.at(points))
        slopes = self.logits.slopes(points)
        average = (weights * slopes * self.readout.counts).sum(-1)
        each = weights[..., self.column] * (slopes[..., self.column] - average)
        return (each @ self.readout.head_weights).cpu().numpy()

    @cached_property
    def only_line(self) -> "Mesh":
        """The mesh where there is one direction of noise, and so one line; kept, since every level needs it."""
        return _mesh(self, np.empty((1, 0)))

    def all_columns(self, z: Array) -> Array:
        """The weights of every head and column: what must be resolved for this one to be."""
        return self.readout.weights(self.logits.at(self._points(z))).flatten(1).cpu().numpy()

    def _points(self, z: Array) -> Tensor:
        return torch.from_numpy(z).to(self.readout.counts.device)


@dataclass(frozen=True)
class Crossings:
    """Where weights meet a level: the row of `prefix`, the place ρ on its line, and whether they rise there."""

    owner: np.ndarray
    place: Array
    rises: np.ndarray
    ends_below: np.ndarray
    """A row of `prefix` each: whether the weight is at or below the level at the far end."""


def cdf(line: WeightLine, level: float, tolerance: float) -> Estimate:
    """P(weight ≤ level)."""

    def below(prefix: Array) -> Array:
        found = crossings(line, prefix, level)
        total = found.ends_below.astype(float)
        np.add.at(total, found.owner, np.where(found.rises, 1.0, -1.0) * ndtr(found.place))
        return total[:, None]

    return _average(below, line, tolerance)


def density(line: WeightLine, level: float, tolerance: float) -> Estimate:
    """The density of the weight at `level`."""
    if line.logits.directions == 0:
        raise ArgumentError("level", "the weight does not vary, so it has no density: ask for cdf or quantile")

    def heights(prefix: Array) -> Array:
        found = crossings(line, prefix, level)
        points = np.concatenate([prefix[found.owner], found.place[:, None]], axis=1)
        jumps = np.abs(line.value(points) - level) > 1e-9  # no draw comes near a level that is jumped over
        slope = np.where(jumps, np.inf, np.abs(line.slope(points)))
        if (slope == 0).any():
            raise ArgumentError("level", "the weight stands still here, so it has no density: ask for cdf or quantile")
        total = np.zeros(len(prefix))
        np.add.at(total, found.owner, np.exp(-0.5 * found.place**2) / np.sqrt(2 * np.pi) / slope)
        return total[:, None]

    return _average(heights, line, tolerance)


def quantile(line: WeightLine, probability: float, tolerance: float) -> Estimate:
    """The level that the weight stays at or below with the given probability."""
    if line.logits.directions == 0:
        return Estimate(float(line.value(np.empty((1, 0)))[0]), 0.0)
    # The weight of the output lies between what all heads together can give it at least and at most.
    shares = line.readout.head_weights
    low, high = float(shares.clamp_max(0).sum()), float(shares.clamp_min(0).sum())
    for end, beyond in ((low - 1e-9, 1.0), (high + 1e-9, -1.0)):
        if beyond * (cdf(line, end, tolerance).value - probability) >= 0:
            return Estimate(
                min(max(end, low), high), high - low
            )  # nearer to 0 or 1 than the distribution function is known
    level = float(
        # scipy's stub leaves out what brentq returns unless asked for more
        brentq(  # pyright: ignore[reportArgumentType]
            lambda x: cdf(line, x, tolerance).value - probability, low - 1e-9, high + 1e-9, xtol=1e-3 * tolerance
        )
    )
    # The distribution function is known to within `tolerance`; its inverse to within that over its slope.
    try:
        steepness = density(line, level, max(tolerance, 1e-6)).value
    except ArgumentError:
        steepness = np.inf
    return Estimate(level, 1e-3 * tolerance + (tolerance / steepness if steepness > tolerance else high - low))


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


def crossings(line: WeightLine, prefix: Array, level: float) -> Crossings:
    """Where the weight meets `level` along the last direction, for each row of `prefix`."""
    axes = line.logits.directions
    if axes == 0:
        below = line.value(np.empty((len(prefix), 0))) <= level
        return Crossings(np.zeros(0, int), np.zeros(0), np.zeros(0, bool), below)
    mesh = line.only_line if axes == 1 else _mesh(line, prefix)
    owner, place, above = mesh.owner, mesh.place, mesh.weight > level
    step = np.flatnonzero((owner[1:] == owner[:-1]) & (above[1:] != above[:-1]))
    last = np.append(owner[1:] != owner[:-1], True)
    ends_below = np.zeros(len(prefix), bool)
    ends_below[owner[last]] = ~above[last]
    found = _root(lambda points: line.value(points) - level, prefix, owner[step], place[step], place[step + 1])
    return Crossings(owner[step], found, above[step + 1], ends_below)


@dataclass(frozen=True)
class Mesh:
    """Points along lines, sorted: whose line (a row of the prefix), where on it, and the weight there.

    Between neighbours on a line the weight rises or falls, and does not turn.
    """

    owner: np.ndarray
    place: Array
    weight: Array


def _mesh(line: WeightLine, prefix: Array) -> Mesh:
    """The mesh on the line of each row of `prefix`: the nodes on which all weights are resolved, and turning points."""
    # The prefix is taken as given, so the last direction is the one axis that is left.
    axes = prefix.shape[1] + 1
    width = len(line.readout.counts) * len(line.readout.head_weights)
    owners, places = [], []
    for panels, _ in resolve(
        Integrand(line.all_columns, axes, width, 1e-6, breaks=turns(line.logits, 1e-6)), prefix, weigh=False
    ):
        owners.append(np.repeat(panels.owner, panels.nodes.shape[1]))
        places.append(panels.nodes.ravel())
    owner, place = np.concatenate(owners), np.concatenate(places)
    order = np.lexsort((place, owner))
    owner, place = owner[order], place[order]
    slope = np.sign(line.slope(np.concatenate([prefix[owner], place[:, None]], axis=1)))
    turn = np.flatnonzero((owner[1:] == owner[:-1]) & (slope[1:] * slope[:-1] < 0))
    found = _root(line.slope, prefix, owner[turn], place[turn], place[turn + 1])
    owner, place = np.insert(owner, turn + 1, owner[turn]), np.insert(place, turn + 1, found)
    return Mesh(owner, place, line.value(np.concatenate([prefix[owner], place[:, None]], axis=1)))


def _root(f: Callable[[Array], Array], prefix: Array, owner: np.ndarray, low: Array, high: Array) -> Array:
    """Where f changes sign between low and high, for all intervals at once."""
    if not len(owner):
        return np.zeros(0)

    def along(place: Array, row: np.ndarray) -> Array:
        return f(np.concatenate([prefix[row.astype(int)], place[:, None]], axis=1))

    found = find_root(along, (low, high), args=(owner,), tolerances={"xatol": 1e-15, "xrtol": 1e-15})
    return found.x


def _average(f: Function, line: WeightLine, tolerance: float) -> Estimate:
    """The average of f over the directions of noise but the last."""
    if line.logits.directions <= 1:
        value = float(f(np.empty((1, 0)))[0, 0])
        return Estimate(value, 1e-10 * max(1.0, value))  # what rounding leaves of a root, and of a slope there
    result = expectation(f, line.logits.directions - 1, tolerance, breaks=turns(line.logits, tolerance))
    return Estimate(float(result.value[0]), float(result.bound[0]))
