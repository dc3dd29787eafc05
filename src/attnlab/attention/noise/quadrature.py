"""Expectations over a few standard Gaussian numbers, by adaptive Gauss–Kronrod quadrature with an error bound.

    E f(z) = ∫ f(z) φ(z_1) … φ(z_r) dz,    z ~ N(0, I_r)

One axis at a time, the last axis innermost: the inner panels resolve a softmax that turns sharply along some direction,
and the Gaussian has smoothed what is left for the outer axes. A panel whose error is too large is halved.

A spike narrower than the gaps between nodes would be missed. `breaks` says where spikes may be: there panels end, and
are narrow from the start. The bound includes the tails beyond ±reach.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from attnlab.attention.noise.kronrod import NODES, Array, apply_rules

Owners = NDArray[np.int64]
Function = Callable[[Array], Array]
"""A function of points (points, axes) that returns outputs (points, outputs)."""
Breaks = Callable[[Array], Array]
"""Maps lines, one row of outer coordinates each, to places where panels should end (lines, places); NaN for none."""

# The first panels. Their ends are not round numbers, so that no end hides a step at a round place.
_EDGES = np.array([-1.0, -0.5317, -0.2741, -0.1213, 0.0337, 0.1619, 0.3083, 0.5573, 1.0])
_FEW_EDGES = _EDGES[[0, 2, 4, 6, 8]]
"""For two or three axes, where every panel of one axis is paired with every panel of the others."""

_NUMBERS_AT_A_TIME = 1 << 18  # per evaluation: 2 MiB, so that it stays in the cache
_MOST_HALVINGS = 60
_MOST_PANELS = 4000
"""Per line. Beyond this, panels are not halved any more, and the bound says how good they are."""
_ROUNDING = 16 * np.finfo(np.float64).eps
"""Relative to the size of f: halving does not reduce an error below this."""


@dataclass(frozen=True)
class Integrand:
    """A function f of some Gaussian numbers, and the resolution of its average.

    An output is resolved to `tolerance` times its `scale`, which is one number for all outputs or one per output.
    """

    f: Function
    axes: int
    outputs: int
    tolerance: float
    scale: float | Array = 1.0
    breaks: Breaks | None = None


@dataclass(frozen=True)
class Expectation:
    """E f(z) and a bound on its error, one number per output each, and the number of points used."""

    value: Array
    bound: Array
    points: int


@dataclass(frozen=True)
class Panels:
    """Panels that resolve an integrand: the line of each, its nodes, and numbers for each output."""

    owner: Owners
    nodes: Array  # (panels, nodes)
    value: Array  # the integral over the panel
    error: Array  # the error of the panel's rule
    inner_bound: Array  # the error of the integrals over inner axes
    largest: Array  # |f| at the ends and in the middle

    def pick(self, which: NDArray[np.bool_]) -> "Panels":
        """Some of the panels."""
        if which.all():
            return self
        return Panels(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


def reach(tolerance: float) -> float:
    """How far out to integrate so that the tails have less than a thousandth of `tolerance`."""
    return float(-ndtri(5e-4 * tolerance))


def expectation(
    f: Function,
    axes: int,
    tolerance: float,
    outputs: int = 1,
    *,
    scale: float | Array = 1.0,
    breaks: Breaks | None = None,
) -> Expectation:
    """E f(z) over `axes` standard Gaussian numbers, each of the `outputs` to within about `tolerance` · `scale`.

    The returned bound is the accuracy reached; the caller has to compare it.

    >>> second_moment = expectation(lambda z: z**2, axes=1, tolerance=1e-9)
    >>> bool(abs(second_moment.value[0] - 1) <= second_moment.bound[0] <= 1e-9)
    True
    """
    if axes == 0:
        value = f(np.empty((1, 0)))[0]
        return Expectation(value, np.zeros_like(value), 1)
    value, bound, points = _integrate(Integrand(f, axes, outputs, tolerance, scale, breaks), np.empty((1, 0)))
    return Expectation(value[0], bound[0], points)


def _integrate(integrand: Integrand, prefix: Array) -> tuple[Array, Array, int]:
    """For each row of `prefix` (the outer coordinates): the integral over the remaining axes."""
    value, bound, largest = (np.zeros((len(prefix), integrand.outputs)) for _ in range(3))
    points = 0
    for panels, count in resolve(integrand, prefix):
        points += count
        if len(prefix) == 1:
            value += panels.value.sum(0)
            bound += (panels.error + panels.inner_bound).sum(0)
            largest = np.maximum(largest, panels.largest.max(0, initial=0.0))
        elif len(panels.owner):
            # A line's panels follow one another.
            first = np.flatnonzero(np.diff(panels.owner, prepend=-1))
            line = panels.owner[first]
            value[line] += np.add.reduceat(panels.value, first)
            bound[line] += np.add.reduceat(panels.error + panels.inner_bound, first)
            largest[line] = np.maximum(largest[line], np.maximum.reduceat(panels.largest, first))
    return value, bound + 1e-3 * integrand.tolerance * largest, points


def resolve(integrand: Integrand, prefix: Array, *, weigh: bool = True) -> Iterator[tuple[Panels, int]]:
    """Yields the panels that resolve f along the axis after `prefix`, and the number of points used for them.

    `weigh`: an error at an outer point counts only with that point's weight in the whole integral.
    """
    far = reach(integrand.tolerance)
    importance = np.prod(2 * far * density(prefix), axis=1)[:, None] if weigh else np.ones((len(prefix), 1))
    chunk = max(1, _NUMBERS_AT_A_TIME // integrand.outputs // len(NODES))
    owner, low, high = _first_panels(integrand, prefix, far)
    halvings, evaluated = 0, 0
    while len(owner):
        evaluated += len(owner)
        last = halvings == _MOST_HALVINGS or evaluated > _MOST_PANELS * len(prefix)
        coarse = np.zeros(len(owner), dtype=bool)
        for start in range(0, len(owner), chunk):
            part = slice(start, start + chunk)
            panels, points = _evaluate(integrand, prefix, owner[part], low[part], high[part])
            if not np.isfinite(panels.error).all():
                raise FloatingPointError("the integrand is not finite")
            if not last:
                # an eighth: near steep turns several panels come close to the limit, and their errors add up
                allowed = integrand.tolerance / 8 * integrand.scale / importance[panels.owner]
                rounding = _ROUNDING * panels.largest * (high - low)[part, None]
                coarse[part] = (panels.error > np.maximum(allowed, rounding)).any(1)
            yield panels.pick(~coarse[part]), points
        middle = (low[coarse] + high[coarse]) / 2
        low = np.stack([low[coarse], middle], 1).ravel()
        high = np.stack([middle, high[coarse]], 1).ravel()
        owner = np.repeat(owner[coarse], 2)
        halvings += 1


def _first_panels(integrand: Integrand, prefix: Array, far: float) -> tuple[Owners, Array, Array]:
    """The line of each of the first panels, and its ends."""
    edges = far * (_EDGES if integrand.axes == 1 else _FEW_EDGES)[None]
    if integrand.breaks is not None:
        breaks = np.nan_to_num(integrand.breaks(prefix), nan=far).clip(-far, far)
        edges = np.sort(np.concatenate([np.broadcast_to(edges, (len(prefix), edges.shape[1])), breaks], axis=1), axis=1)
    edges = np.broadcast_to(edges, (len(prefix), edges.shape[1]))
    low, high = edges[:, :-1], edges[:, 1:]
    owner, panel = np.nonzero(low < high)
    return owner, low[owner, panel], high[owner, panel]


def _evaluate(integrand: Integrand, prefix: Array, owner: Owners, low: Array, high: Array) -> tuple[Panels, int]:
    """f, or its integral over the inner axes, on the panels [low, high]."""
    half = (high - low)[:, None] / 2
    nodes = (high + low)[:, None] / 2 + half * NODES
    points = nodes.reshape(-1, 1)
    if prefix.shape[1]:
        points = np.concatenate([np.repeat(prefix[owner], len(NODES), axis=0), points], axis=1)
    mass = half * density(nodes)
    inner_bound = np.zeros((len(owner), integrand.outputs))
    if points.shape[1] == integrand.axes:
        values, count = integrand.f(points), len(points)
    else:
        values, bounds, count = _integrate(integrand, points)
        inner_bound, _ = apply_rules(bounds.reshape(*nodes.shape, -1), mass)
    values = values.reshape(*nodes.shape, -1)
    value, error = apply_rules(values, mass)
    largest = np.abs(values[:, :: len(NODES) // 2]).max(1)
    return Panels(owner, nodes, value, error, inner_bound, largest), count


def density(z: Array) -> Array:
    """φ(z), the standard Gaussian density."""
    return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
