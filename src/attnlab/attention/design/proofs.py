"""Proofs about given keys: a mixture that is exactly 0, and weights whose rounding errors are bounded.

float64 finds what to prove. The proof is in exact fractions where the system is small, else in float64 with bounds on
every rounding error (Rump, "Verification methods", Acta Numerica, 2010).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray
from scipy.special import expit

from attnlab.attention.design.rational import ahead_or_around, fractions, nearby_solution

EPS = float(np.finfo(float).eps)
# The work of an elimination in fractions, rows² · columns, up to which it takes some tenths of a second.
MOST_WORK = 20_000
# Coefficients below this part of the largest one are left out of a proof: they are rounding errors.
NOISE = 1e-11
# A correction may change no coefficient by more than this part of it, so that the numbers told stay the same.
SMALL = 1e-9


@dataclass(frozen=True)
class Proven:
    """Coefficients up to a change of no more than this part of each: then Σ x_i k_i = 0 exactly."""

    coefficients: Float[ndarray, "keys"]
    change: float


def as_proven(
    keys: Float[ndarray, "keys dim"], signed: Bool[ndarray, "keys"], near: Float[ndarray, "keys"]
) -> Proven | None:
    """Coefficients x close to `near` for which Σ x_i k_i = 0 is proven; None if there is no proof.

    The coefficients that are not `signed` stay ≥ 0 and have the sum 1; the others have the sum −1, or 0 if there are
    no others.
    """
    for noise in (NOISE, 0.0):
        used = np.flatnonzero(signed | (near > noise * near.max()))
        found, change, whole = None, EPS, np.zeros(len(near))
        if (keys.shape[1] + 2) ** 2 * len(used) <= MOST_WORK:
            found = _in_fractions(keys[used], signed[used], near[used])
        elif _correctable(keys[used], signed[used], near[used]):
            found, change = near[used], SMALL
        if found is not None:
            whole[used] = found
            return Proven(whole, change)
    return None


def decide(
    keys: Float[ndarray, "keys dim"], wanted: Bool[ndarray, "keys"]
) -> tuple[Float[ndarray, "dim"] | None, Float[ndarray, "rest"] | None]:
    """A direction along which the wanted keys are level and beyond all others, or a mixture of others in their span.

    Which of them exists is decided in fractions; the other is None. Both are None where the keys are too many.
    """
    if (keys.shape[1] + 2) ** 2 * len(keys) > MOST_WORK:
        return None, None
    rows = fractions(keys.tolist())
    first, *more = [row for row, inside in zip(rows, wanted, strict=True) if inside]
    level = [[a - b for a, b in zip(row, first, strict=True)] for row in more]
    points = [
        [a - b for a, b in zip(first, row, strict=True)] for row, inside in zip(rows, wanted, strict=True) if not inside
    ]
    sizes = [max(map(abs, point)) for point in points]
    scaled = [[x / (size or 1) for x in point] for point, size in zip(points, sizes, strict=True)]
    direction, mixture = ahead_or_around(scaled, level)
    if direction is not None:
        longest = max(map(abs, direction))
        return np.array([float(x / longest) for x in direction]), None
    if mixture is None:
        return None, None
    shares = [share / (size or 1) for share, size in zip(mixture, sizes, strict=True)]
    return None, np.array([float(share / sum(shares)) for share in shares])


def shortfall(keys: Float[ndarray, "keys dim"], coefficients: Float[ndarray, "keys"]) -> float:
    """An upper bound on ‖Σ x_i k_i‖, for coefficients x whose sum is 0 up to the rounding of each of them."""
    moved = keys - keys[np.argmax(np.abs(coefficients))]
    rounding = (len(keys) + 8) * EPS * (np.abs(coefficients) @ np.abs(moved))
    return float(np.linalg.norm(np.abs(coefficients @ moved) + rounding)) * (1 + 1e-9)


def logits_between(
    keys: Float[ndarray, "keys dim"], query: Float[ndarray, "dim"]
) -> tuple[Float[ndarray, "keys"], Float[ndarray, "keys"]]:
    """Bounds on the logits k·q, whichever way they are summed: dim + 8 roundings of Σ |k_j q_j| at most."""
    logits, blur = keys @ query, (keys.shape[1] + 8) * EPS * (np.abs(keys) @ np.abs(query))
    return logits - blur, logits + blur


def error_bound(
    keys: Float[ndarray, "keys dim"], query: Float[ndarray, "dim"], wanted: Float[ndarray, "keys"]
) -> float:
    """An upper bound on the largest |α_i − w_i|, in exact arithmetic and in float64.

    A weight is largest where its own logit is as high, and all others are as low, as rounding allows.
    """
    low, high = logits_between(keys, query)
    middle = high.max()
    low, high = low - middle, high - middle
    upper, lower = expit(high - _all_others(low)), expit(low - _all_others(high))
    rounding = (16 + 4 * len(keys)) * EPS
    return float(max(np.max(upper - wanted), np.max(wanted - lower))) + rounding


def surely_ahead(
    keys: Float[ndarray, "keys dim"], direction: Float[ndarray, "dim"], wanted: Bool[ndarray, "keys"]
) -> bool:
    """Whether all wanted keys lie beyond all others along the direction, rounding or not."""
    low, high = logits_between(keys, direction)
    return bool(wanted.all()) or bool(low[wanted].min() > high[~wanted].max())


def _all_others(logits: Float[ndarray, "keys"]) -> Float[ndarray, "keys"]:
    """For each i, ln Σ_{j≠i} e^{x_j}: from both sides, since a difference would cancel."""
    none = np.array([-np.inf])
    before = np.concatenate([none, np.logaddexp.accumulate(logits)[:-1]])
    after = np.concatenate([np.logaddexp.accumulate(logits[::-1])[:-1][::-1], none])
    return np.logaddexp(before, after)


def _groups(signed: Bool[ndarray, "keys"]) -> tuple[list[Bool[ndarray, "keys"]], list[float]]:
    """The groups of keys whose coefficients have a known sum, and these sums."""
    return ([signed], [0.0]) if signed.all() else ([~signed, signed], [1.0, -1.0])


def _in_fractions(
    keys: Float[ndarray, "keys dim"], signed: Bool[ndarray, "keys"], near: Float[ndarray, "keys"]
) -> Float[ndarray, "keys"] | None:
    """The exact solution near the given coefficients, if all that may not be negative are not."""
    groups, sums = _groups(signed)
    rows = fractions([*keys.T.tolist(), *(group.astype(float).tolist() for group in groups)])
    right = fractions([[0.0] * keys.shape[1] + sums])[0]
    found = nearby_solution(rows, right, [Fraction(x) for x in near.tolist()])
    if found is None or any(x < 0 for x, free in zip(found, signed, strict=True) if not free):
        return None
    return np.array([float(x) for x in found])


def _correctable(keys: Float[ndarray, "keys dim"], signed: Bool[ndarray, "keys"], near: Float[ndarray, "keys"]) -> bool:
    """Whether a small correction of the coefficients surely solves the system.

    For M x ≈ b, weights D and any R with ‖I − MDR‖ ≤ ½, x + DR(MDR)⁻¹(b − Mx) is a solution, and its correction is at
    most |DR| · 2‖b − Mx‖. All norms are the largest; all roundings are added to them.
    """
    groups, sums = _groups(signed)
    moved = (keys - keys[np.argmax(np.abs(near))]).T
    sizes = np.abs(moved).max(1, keepdims=True)
    if not sizes.all():
        return False
    rows = np.vstack([moved / sizes, *(group.astype(float) for group in groups)])
    weights = np.where(signed, np.abs(near) + 1 / len(near), near)
    steps = weights[:, None] * np.linalg.pinv(rows * weights)
    gamma = (len(near) + 8) * EPS
    bounds = gamma * np.abs(rows)
    far = np.abs(np.eye(len(rows)) - rows @ steps).sum(1) + (bounds @ np.abs(steps)).sum(1) + gamma
    missing = np.abs(np.append(np.zeros(len(moved)), sums) - rows @ near) + bounds @ np.abs(near) + gamma * EPS
    correction = np.abs(steps).sum(1) * 2 * missing.max()
    return bool(far.max() <= 0.5 and np.all(correction <= SMALL * weights))
