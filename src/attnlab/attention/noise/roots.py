"""Where many functions cross 0, each between two places, all at once."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from attnlab.attention.noise.kronrod import Array

_WITHIN = 1e-15
"""A root is found to this, absolutely and relatively."""
_MOST_STEPS = 2000
"""Bisection alone needs fewer between any two floats."""

Functions = Callable[[NDArray[np.int64], Array], Array]
"""f(which, places): the values of some of the functions, each at a place of its own."""


def roots(
    f: Functions,
    low: Array,
    high: Array,
    at_low: Array,
    at_high: Array,
    enough: float | Array = 0.0,
    first: Array | None = None,
) -> Array:
    """The places between `low` and `high` where the functions cross 0. Their values there have different signs, or one
    of them is 0. A value of at most `enough` counts as 0: its sign may be that of rounding.

    This is Chandrupatla's method, as in scipy's `find_root`, which spends most of its time on other things than f. Its
    first step goes the part `first` of the way from `low` to `high`; by default that is the step of linear functions.

    >>> cube = lambda which, x: x**3 - (which + 1)
    >>> found = roots(cube, *np.array([[0.0, 1.0], [2.0, 2.0], [-1.0, -1.0], [7.0, 6.0]]))
    >>> (found**3).round(12).tolist()
    [1.0, 2.0]
    """
    if not len(low):
        return np.empty(0)
    found, which, share = np.empty(len(low)), np.arange(len(low)), at_low / (at_low - at_high)
    share = share if first is None else np.where((first > 0) & (first < 1), first, share)
    enough = np.broadcast_to(enough, low.shape)
    # The newest place, one on the other side of the root, and the newest place before them, with their values.
    x, fx, y, fy, z, fz = low, at_low, high, at_high, high, at_high
    for _ in range(_MOST_STEPS):
        here, there = np.abs(fx), np.abs(fy)
        best = np.where(here < there, x, y)
        with np.errstate(divide="ignore"):
            least = (_WITHIN / 2) * (1 + np.abs(best)) / np.abs(y - x)
        going = (least <= 0.5) & (here > enough) & (there > enough)
        if not going.all():
            found[which[~going]] = best[~going]
            which, share, least, enough = which[going], share[going], least[going], enough[going]
            x, fx, y, fy, z, fz = (each[going] for each in (x, fx, y, fy, z, fz))
        if not len(which):
            break
        new = x + share.clip(least, 1 - least) * (y - x)
        at_new = f(which, new)
        same = (at_new > 0) == (fx > 0)
        z, fz = np.where(same, x, y), np.where(same, fx, fy)
        y, fy = np.where(same, y, x), np.where(same, fy, fx)
        x, fx = new, at_new
        share = _share(x, fx, y, fy, z, fz)
    return found


def _share(x: Array, fx: Array, y: Array, fy: Array, z: Array, fz: Array) -> Array:
    """How far to go from x to y: inverse quadratic interpolation where it can be trusted, else half."""
    with np.errstate(divide="ignore", invalid="ignore"):
        far, up = (x - y) / (z - y), (fx - fy) / (fz - fy)
        trusted = (1 - np.sqrt(1 - far) < up) & (up < np.sqrt(far))
        share = fx / (fy - fx) * fz / (fy - fz) + (z - x) / (y - x) * fx / (fz - fx) * fy / (fz - fy)
    return np.where(trusted, share, 0.5)
