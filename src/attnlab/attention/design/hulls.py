"""Points and the origin: a direction in which all points lie ahead, or a mixture of the points that is the origin.

For points p_1 … p_m exactly one of two things holds (Gordan, 1873):

    some unit z has p_i·z > 0 for every i;  or  Σ λ_i p_i = 0 for some λ_i ≥ 0 that sum to 1.

The second, λ, is the proof that the first cannot be: a sum of positive numbers is not 0.

float64 cannot decide between them where the hull comes near 0. This file finds candidates for both; `proofs` decides.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float
from numpy import ndarray
from scipy.optimize import nnls
from scipy.special import softmax

# Singular values below this part of the largest are left out where the least leak is searched for.
NEAR = 1e-9
EPS = float(np.finfo(float).eps)


def directions(points: Float[ndarray, "points dim"]) -> Iterator[Float[ndarray, "dim"]]:
    """Unit directions in which all points seem to lie ahead; the first has the largest margin, rounding aside.

    Whether there is such a direction does not depend on the lengths of the points. So it is also searched for
    p_i / ‖p_i‖: then one distant point does not make the others look like 0. Where the hull comes near 0, the direction
    that is equally far ahead of the nearest points is more precise than their mixture, most of which cancels.
    """
    lengths = np.linalg.norm(points, axis=1)
    if not lengths.all():
        return
    units = points / lengths[:, None]
    mixtures = [_nearest(points / lengths.max()), _nearest(units)]
    candidates = [mixtures[0] @ points, mixtures[1] @ units]
    yield from _ahead(points, candidates)
    for mixture in mixtures:
        active = mixture > 0
        even, *_ = np.linalg.lstsq(units[active], lengths.min() / lengths[active], rcond=EPS)
        yield from _ahead(points, [even])


def nearest_mixture(points: Float[ndarray, "points dim"]) -> Float[ndarray, "points"]:
    """The mixture λ of the points whose direction Σ λ_i p_i is nearest to 0, for points taken at length 1."""
    lengths = np.linalg.norm(points, axis=1)
    if not lengths.all():
        return (lengths == 0) / np.sum(lengths == 0)
    mixture = _nearest(points / lengths[:, None]) * (lengths.min() / lengths)
    return mixture / mixture.sum()


def least_leak(
    points: Float[ndarray, "points dim"], offsets: Float[ndarray, "points"]
) -> tuple[Float[ndarray, "dim"], Float[ndarray, "points"]]:
    """The z that minimises f(z) = ln Σ_i e^{b_i − p_i·z}, for offsets b, and the mixture λ = softmax(b − Pz).

    f is convex and its gradient is −Σ λ_i p_i, so at the minimum λ is a mixture that is 0: of all such, the one with
    the largest H(λ) + Σ λ_i b_i, by duality. Where 0 lies on a face of the hull the minimum is only at infinity; each
    Newton step then divides what λ puts off that face by e, and a few dozen steps reach it to rounding.
    """
    scale = np.max(np.linalg.norm(points, axis=1), initial=0.0)
    left, sizes, right = np.linalg.svd(points, full_matrices=False)
    kept = sizes > NEAR * scale
    # In the coordinates `left` the points have unit covariance, whatever the keys' own scales.
    coordinates = left[:, kept] * len(points) ** 0.5
    z = _newton(coordinates, offsets)
    mixture = _onto_zero(coordinates, softmax(offsets - coordinates @ z))
    return (z * len(points) ** 0.5 / sizes[kept]) @ right[kept], mixture


def _ahead(
    points: Float[ndarray, "points dim"], candidates: list[Float[ndarray, "dim"]]
) -> list[Float[ndarray, "dim"]]:
    """The best of the candidates as a unit vector, if all points lie ahead of it as far as float64 can tell."""
    units = [candidate / np.linalg.norm(candidate) for candidate in candidates if candidate.any()]
    best = max(units, key=lambda unit: np.min(points @ unit), default=None)
    return [] if best is None or not np.min(points @ best) > 0 else [best]


def _nearest(points: Float[ndarray, "points dim"]) -> Float[ndarray, "points"]:
    """The coefficients of the point of the hull nearest to 0, by nonnegative least squares.

    Minimising ‖Σ u_i p_i‖² + (Σ u_i − 1)² over u ≥ 0 splits into the sum s = Σ u_i and the mixture u/s, and for any
    s > 0 the best mixture is the nearest point (Lawson & Hanson, "Solving least squares problems", 1974, chapter 23).
    """
    rows = np.vstack([points.T, np.ones(len(points))])
    wanted = np.append(np.zeros(len(rows) - 1), 1.0)
    try:
        solution, _ = nnls(rows, wanted, maxiter=100 * len(points))
    except RuntimeError:  # it goes round in circles where rounding decides
        return np.full(len(points), 1 / len(points))
    return solution / solution.sum()


def _newton(points: Float[ndarray, "points dim"], offsets: Float[ndarray, "points"]) -> Float[ndarray, "dim"]:
    """The minimum of f(z) = ln Σ_i e^{b_i − p_i·z} by Newton's method, damped (Levenberg) where steps go too far."""
    z, damping = np.zeros(points.shape[1]), 1e-6
    value, mixture = float(np.logaddexp.reduce(offsets)), softmax(offsets)
    for _ in range(200):
        slope = -mixture @ points
        if np.linalg.norm(slope) <= 1e-14 or damping > 1e12:
            break
        centred = points + slope
        curvature = (centred * mixture[:, None]).T @ centred
        step, *_ = np.linalg.lstsq(curvature + damping * np.eye(len(z)), slope, rcond=EPS)
        trial = z - step
        logits = offsets - points @ trial
        new_value, new_mixture = float(np.logaddexp.reduce(logits)), softmax(logits)
        # Near the minimum f no longer changes in float64, but its slope still does.
        rounding = 1e-15 * (1 + abs(value))
        shorter = np.linalg.norm(new_mixture @ points) < np.linalg.norm(slope)
        if new_value < value - rounding or (new_value <= value + rounding and shorter):
            z, value, mixture, damping = trial, new_value, new_mixture, max(damping / 10, 1e-30)
        else:
            damping = max(damping * 10, 1e-18)
    return z


def _onto_zero(points: Float[ndarray, "points dim"], mixture: Float[ndarray, "points"]) -> Float[ndarray, "points"]:
    """The mixture, moved in proportion to its own coefficients until Σ λ_i p_i is 0 up to rounding."""
    rows = np.vstack([points.T, np.ones(len(points))])
    missing = np.append(-mixture @ points, 1 - mixture.sum())
    roots = np.sqrt(mixture)
    step, *_ = np.linalg.lstsq(rows * roots, missing, rcond=None)
    moved = np.maximum(mixture + roots * step, 0.0)
    return moved / moved.sum()
