"""Expectations over a few standard Gaussian numbers, by adaptive Gauss–Kronrod quadrature with an error bound.

    E f(z) = ∫ f(z) φ(z_1) … φ(z_r) dz,    z ~ N(0, I_r)

One axis at a time, the last axis innermost: a softmax that turns sharply along some direction is resolved by the inner
panels, and what is left for the outer axes has been smoothed by the Gaussian. On each panel the 15-point Kronrod rule
gives the value and its distance to the 7-point Gauss rule the error; a panel with too large an error is halved.

The difference of the two rules cannot see what lies between a panel's end and its outermost node, so the ends are
evaluated too, and what could hide there is part of the bound. The tails beyond ±reach are part of it as well.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Array = NDArray[np.float64]
Owners = NDArray[np.int64]
Integrand = Callable[[Array], Array]
"""A function of points (points, axes) that returns outputs (points, outputs)."""

# QUADPACK's 15-point Kronrod nodes on [-1, 1] (Piessens et al., 1983) with the ends at both sides, where the weight
# is 0, so that one evaluation gives the rule and what is needed to check the ends.
_HALF_NODES = [0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
               0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
               0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
               0.207784955007898467600689403773245]  # fmt: skip
_HALF_KRONROD = [0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
                 0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
                 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
                 0.204432940075298892414161999234649]  # fmt: skip
_HALF_GAUSS = [0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780,
               0.0, 0.381830050505118944950369775488975, 0.0]  # fmt: skip


def _mirror(half: list[float], middle: float, end: float, sign: float = 1.0) -> Array:
    """A symmetric rule from its left half: end, half, middle, the half mirrored, end."""
    return np.array([sign * end, *[sign * x for x in half], middle, *half[::-1], end])


NODES = _mirror(_HALF_NODES, 0.0, 1.0, sign=-1.0)
_KRONROD = _mirror(_HALF_KRONROD, 0.209482141084727828012999174891714, 0.0)
_GAUSS = _mirror(_HALF_GAUSS, 0.417959183673469387755102040816327, 0.0)
_END_GAP = float(NODES[1] - NODES[0])


def _extrapolation(nodes: Array, at: float) -> Array:
    """The coefficients with which values at `nodes` give their interpolating polynomial's value at `at`."""
    others = [np.delete(nodes, i) for i in range(len(nodes))]
    return np.array([np.prod((at - rest) / (node - rest)) for node, rest in zip(nodes, others, strict=True)])


_TO_RIGHT_END = np.concatenate([[0.0], _extrapolation(NODES[1:-1], 1.0), [0.0]])

# The first panels. Their ends are no round numbers, so that a step at a round place is not hidden at an end.
_EDGES = np.array([-1.0, -0.5317, -0.2741, -0.1213, 0.0337, 0.1619, 0.3083, 0.5573, 1.0])
_FEW_EDGES = _EDGES[[0, 2, 4, 6, 8]]
"""For two axes or three, where every panel of one axis is paired with every panel of the others."""

_NUMBERS_AT_A_TIME = 1 << 22  # what one evaluation may produce: 32 MiB


@dataclass(frozen=True)
class Expectation:
    """The value of E f(z), a bound on its error, both an output each, and the number of points used."""

    value: Array
    bound: Array
    points: int


@dataclass(frozen=True)
class Panels:
    """Panels on which an integrand is resolved: whose line each is on, its nodes, and the values there."""

    owner: Owners
    nodes: Array  # (panels, nodes)
    values: Array  # (panels, nodes, outputs)
    mass: Array  # (panels, nodes): half the panel's width times φ at each node
    inner_bound: Array  # (panels, nodes, outputs)


def reach(tolerance: float) -> float:
    """How far out to integrate so that the tails weigh less than a thousandth of `tolerance`."""
    return float(-ndtri(5e-4 * tolerance))


def expectation(f: Integrand, axes: int, tolerance: float, outputs: int = 1) -> Expectation:
    """E f(z) over `axes` standard Gaussian numbers, each of the `outputs` to within about `tolerance`.

    The bound that comes back is what was reached; it is the caller's to compare.

    >>> second_moment = expectation(lambda z: z**2, axes=1, tolerance=1e-9)
    >>> bool(abs(second_moment.value[0] - 1) <= second_moment.bound[0] <= 1e-9)
    True
    """
    if axes == 0:
        value = f(np.empty((1, 0)))[0]
        return Expectation(value, np.zeros_like(value), 1)
    value, bound, points = _integrate(f, np.empty((1, 0)), axes, tolerance, outputs)
    return Expectation(value[0], bound[0], points)


def _integrate(f: Integrand, prefix: Array, axes: int, tolerance: float, outputs: int) -> tuple[Array, Array, int]:
    """For each row of `prefix` (the outer coordinates), the integral over the axes that are left."""
    value, bound, largest = (np.zeros((len(prefix), outputs)) for _ in range(3))
    points = 0
    for panels, count in resolve(f, prefix, axes, tolerance, outputs):
        kronrod = _sum(_KRONROD, panels.mass, panels.values)
        np.add.at(value, panels.owner, kronrod)
        np.add.at(bound, panels.owner, _panel_error(panels) + _sum(_KRONROD, panels.mass, panels.inner_bound))
        np.maximum.at(largest, panels.owner, np.abs(panels.values).max(1))
        points += count
    tails = 1e-3 * tolerance
    return value, bound + tails * largest, points


def resolve(
    f: Integrand, prefix: Array, axes: int, tolerance: float, outputs: int = 1, *, weigh: bool = True
) -> Iterator[tuple[Panels, int]]:
    """The panels on which f is resolved along the axis after `prefix`, and how many points were used for them.

    `weigh`: an error at an outer point counts only as much as that point does in the whole.
    """
    far = reach(tolerance)
    importance = np.prod(2 * far * _density(prefix), axis=1) if weigh else np.ones(len(prefix))
    further_in = axes - prefix.shape[1] - 1
    chunk = max(1, _NUMBERS_AT_A_TIME // outputs // len(NODES) ** (1 + further_in))
    edges = far * (_EDGES if axes == 1 else _FEW_EDGES)
    owner = np.repeat(np.arange(len(prefix)), len(edges) - 1)
    low, high = np.tile(edges[:-1], len(prefix)), np.tile(edges[1:], len(prefix))
    while len(owner):
        coarse = np.zeros(len(owner), dtype=bool)
        for start in range(0, len(owner), chunk):
            part = slice(start, start + chunk)
            panels, points = _evaluate(f, prefix, owner[part], low[part], high[part], axes, tolerance, outputs)
            error = _panel_error(panels).max(1)
            if not np.isfinite(error).all():
                raise FloatingPointError("the integrand is not finite")
            coarse[part] = error * importance[owner[part]] > tolerance / 5
            yield _select(panels, ~coarse[part]), points
        middle = (low[coarse] + high[coarse]) / 2
        low = np.stack([low[coarse], middle], 1).ravel()
        high = np.stack([middle, high[coarse]], 1).ravel()
        owner = np.repeat(owner[coarse], 2)


def _evaluate(
    f: Integrand, prefix: Array, owner: Owners, low: Array, high: Array, axes: int, tolerance: float, outputs: int
) -> tuple[Panels, int]:
    """f, or its integral over the axes further in, at the nodes of the panels [low, high]."""
    half = (high - low)[:, None] / 2
    nodes = (high + low)[:, None] / 2 + half * NODES
    points = np.concatenate([np.repeat(prefix[owner], len(NODES), axis=0), nodes.reshape(-1, 1)], axis=1)
    if points.shape[1] == axes:
        values, count = f(points), len(points)
        bounds = np.zeros((1, 1, 1))
    else:
        values, bounds, count = _integrate(f, points, axes, tolerance, outputs)
        bounds = bounds.reshape(*nodes.shape, -1)
    values = values.reshape(*nodes.shape, -1)
    return Panels(owner, nodes, values, half * _density(nodes), np.broadcast_to(bounds, values.shape)), count


def _sum(rule: Array, mass: Array, values: Array) -> Array:
    """Σ over the nodes of rule · mass · values, a panel and an output each."""
    return np.matmul((rule * mass)[:, None, :], values)[:, 0]


def _panel_error(panels: Panels) -> Array:
    """What the panel's integral may be off by: |Kronrod − Gauss|, and what the ends could hide.

    If f is resolved, its value at an end is the one that its values at the nodes foretell.
    """
    right = np.abs(panels.values[:, -1] - _TO_RIGHT_END @ panels.values) * panels.mass[:, -1:]
    left = np.abs(panels.values[:, 0] - _TO_RIGHT_END[::-1] @ panels.values) * panels.mass[:, :1]
    return np.abs(_sum(_KRONROD - _GAUSS, panels.mass, panels.values)) + _END_GAP * np.maximum(left, right)


def _select(panels: Panels, which: NDArray[np.bool_]) -> Panels:
    return Panels(*(getattr(panels, name)[which] for name in panels.__dataclass_fields__))


def _density(z: Array) -> Array:
    """φ(z), the standard Gaussian density."""
    return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
