"""The length of a query: the scale C at which α(C·direction) comes within a tolerance of the wanted weights."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy import ndarray
from scipy.optimize import brentq
from scipy.special import logit, softmax
from torch import Tensor

from attnlab.attention.argument_checks import (
    LARGEST,
    as_number,
    check_between,
    check_index,
    check_size,
    check_whole,
    exact_matrix,
    exact_vector,
)
from attnlab.attention.impossible import Impossible
from attnlab.errors import ArgumentError

# Keys whose scores differ by less than this part of ‖key‖·‖direction‖ are tied: rounding loses about as much.
TIED = 1e-12


@dataclass(frozen=True)
class Limit:
    """The limit of the weights as the scale grows: equal on the keys of the largest score, 0 on the others."""

    weights: Float[Tensor, "keys"]
    error: float


def copy_scale(keys: int, tolerance: float) -> float:
    """The least C ≥ 0 at which q = C·k_j, among orthonormal keys, puts at least 1 − tolerance on key j.

    α_j = e^C / (e^C + n − 1) is 1 − ε at e^C = (n − 1)(1 − ε)/ε.

    >>> round(copy_scale(10, tolerance=0.001), 4)
    9.104
    """
    _check_keys(keys, at_least=1)
    check_between("tolerance", tolerance, 0.0, 1.0)
    return max(0.0, _log(keys - 1) + math.log1p(-tolerance) - math.log(tolerance))


def average_scale(keys: int, tolerance: float) -> float:
    """The least C ≥ 0 at which q = C(k_a + k_b), among orthonormal keys, has α_a and α_b within tolerance of ½.

    α_a = α_b = e^C / (2e^C + n − 2) is ½ − ε at e^C = (n − 2)(1 − 2ε)/(4ε). The other keys share the 2ε that is left.

    >>> round(average_scale(10, tolerance=0.001), 4)
    7.5989
    """
    _check_keys(keys, at_least=2)
    check_between("tolerance", tolerance, 0.0, 1.0)
    if tolerance >= 0.5:
        return 0.0
    return max(0.0, _log(keys - 2) + math.log1p(-2 * tolerance) - math.log(4 * tolerance))


def scale_for(
    keys: Float[Tensor, "keys dim"], direction: Float[Tensor, "dim"], target: Mapping[int, float], tolerance: float
) -> float | Impossible[Limit]:
    """The least C ≥ 0 from which on every weight of α(C·direction) stays within tolerance of `target`.

    A weight that comes near its target and leaves again on the way does not count. If there is no such C, the answer is
    the limit of the weights, which misses the target by more than the tolerance.

    >>> round(scale_for(torch.eye(10), torch.eye(10)[0] + torch.eye(10)[1], {0: 0.5, 1: 0.5}, 0.001), 4)
    7.5989
    """
    matrix = exact_matrix("keys", keys, "keys", "dim")
    vector = exact_vector("direction", direction, length=matrix.shape[1])
    for name, given in (("keys", matrix), ("direction", vector)):
        check_size(name, given, smallest=1 / LARGEST)
    wanted = target_weights(target, len(matrix))
    check_between("tolerance", tolerance, 0.0, 1.0)
    slopes = (matrix @ vector).cpu().numpy()
    blur = TIED * float(matrix.norm(dim=1).max() * vector.norm())
    slopes = np.where(slopes >= slopes.max() - blur, slopes.max(), slopes)
    scale = settle(np.zeros(len(slopes)), slopes, wanted, tolerance)
    if scale is not None:
        return scale
    weights = limit_weights(np.zeros(len(slopes)), slopes)
    error = float(np.max(np.abs(weights - wanted)))
    top = np.flatnonzero(weights)
    where = f"key {top[0]} alone" if len(top) == 1 else f"{len(top)} keys equally"
    reason = f"along this direction the weights tend to {where}, {error:.4g} away from the target"
    return Impossible(reason, Limit(torch.from_numpy(weights).to(keys.device), error))


def target_weights(target: Mapping[int, float], keys: int) -> Float[ndarray, "keys"]:
    """The wanted weights of all keys, 0 for keys not in `target`; a sum within 1e-9 of 1 is normalised to 1."""
    if not isinstance(target, Mapping):
        raise ArgumentError("target", f"expected weights by key as in {{0: 0.5, 2: 0.5}}, got {type(target).__name__}")
    if not target:
        raise ArgumentError("target", "expected a weight for at least one key, got no weights")
    weights = np.zeros(keys)
    for index, weight in target.items():
        check_index("target", index, keys)
        if not 1 / LARGEST < as_number("target", weight) < 2.0:
            raise ArgumentError("target", f"expected weights above 0 that sum to 1, got {weight:g} for key {index}")
        weights[index] = weight
    total = math.fsum(weights)
    if abs(total - 1.0) > 1e-9:
        raise ArgumentError("target", f"expected weights that sum to 1, got a sum of {total:.10g}")
    return weights / total


def limit_weights(offsets: Float[ndarray, "keys"], slopes: Float[ndarray, "keys"]) -> Float[ndarray, "keys"]:
    """The limit of softmax(b + c·s) as c grows: the softmax of the offsets b over the keys of the largest slope s."""
    return softmax(np.where(slopes == slopes.max(), offsets, -np.inf))


def settle(
    offsets: Float[ndarray, "keys"], slopes: Float[ndarray, "keys"], wanted: Float[ndarray, "keys"], tolerance: float
) -> float | None:
    """The least c ≥ 0 from which on α(c) = softmax(b + c·s) stays within tolerance of `wanted`; None if there is none.

    Let M be the keys of the largest slope. Their shares of one another do not depend on c: α_i = limit_i (1 − leak),
    and leak falls with c. So they settle when leak is small enough: one root. Any other key falls to 0 in the end,
    though it may rise first: −ln α_i is convex in c (a logsumexp less a line), so α_i is above its bound on one
    interval at most, and what counts is that interval's right end.
    """
    top, limit = slopes == slopes.max(), limit_weights(offsets, slopes)
    if np.any(limit > wanted + tolerance) or np.any(wanted[~top] > tolerance):
        return None
    allowed = float(np.min(1 - (wanted[top] - tolerance) / limit[top]))
    if top.all():
        return 0.0 if allowed >= 0 else None
    if allowed <= 0:
        return None
    gaps = slopes.max() - slopes[~top]
    heights = offsets[~top] - np.logaddexp.reduce(offsets[top])
    scale = _leak_settles(heights, gaps, allowed) if allowed < 1 else 0.0
    ceilings = wanted[~top] + tolerance
    # α_i ≤ e^{height − c·gap}, so beyond `last` a key is surely below its ceiling.
    last = (heights - np.log(ceilings)) / gaps
    for i in np.flatnonzero((last > scale) & (ceilings < 1)):
        if last[i] > scale:
            scale = _key_settles(heights, gaps, int(i), float(ceilings[i]), scale, float(last[i]))
    return scale


def _leak_settles(heights: Float[ndarray, "rest"], gaps: Float[ndarray, "rest"], allowed: float) -> float:
    """The least c ≥ 0 at which leak = x/(1 + x), x = Σ_i e^{h_i − c·g_i}, is at most `allowed`."""

    def excess(c: float) -> float:
        return float(np.logaddexp.reduce(heights - c * gaps) - logit(allowed))

    # x ≤ e^{−c·min g} Σ e^{h_i} bounds the root, with equality where all gaps are the same: hence a little beyond.
    bound = excess(0.0) / float(gaps.min())
    return 0.0 if bound <= 0 else _root(excess, 0.0, bound * (1 + 1e-9))


def _key_settles(
    heights: Float[ndarray, "rest"], gaps: Float[ndarray, "rest"], i: int, ceiling: float, start: float, last: float
) -> float:
    """The right end of the interval in [start, last] on which α_i is above its ceiling; `start` if there is none."""

    def excess(c: float) -> float:  # concave
        return float(
            heights[i] - c * gaps[i] - np.logaddexp(0.0, np.logaddexp.reduce(heights - c * gaps)) - math.log(ceiling)
        )

    def rise(c: float) -> float:  # its slope: the mean gap (M counts as 0) minus the gap of i
        logits = np.append(heights - c * gaps, 0.0)
        return float(softmax(logits)[:-1] @ gaps - gaps[i])

    if rise(start) > 0 and rise(last) >= 0:
        return start  # rising all the way to `last`, where it is below the ceiling
    peak = _root(rise, start, last) if rise(start) > 0 else start
    return start if excess(peak) <= 0 else _root(excess, peak, last * (1 + 1e-9))


def _root(function, low: float, high: float) -> float:
    """The root of `function` between two points where it has different signs."""
    # scipy's stub leaves out brentq's return type
    return float(brentq(function, low, high, xtol=1e-14, rtol=1e-14))  # pyright: ignore[reportArgumentType]


def _check_keys(keys: int, at_least: int) -> None:
    """Raise unless there are enough keys."""
    check_whole("keys", keys)
    if keys < at_least:
        raise ArgumentError("keys", f"expected at least {at_least} keys, got {keys}")


def _log(number: int) -> float:
    """The natural logarithm, −inf for 0."""
    return math.log(number) if number else -math.inf
