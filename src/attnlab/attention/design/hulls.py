"""Points and the origin: a direction in which all points lie ahead, or a mixture of the points that is the origin.

For points p_1 … p_m exactly one of two things holds (Gordan, 1873):

    some unit z has p_i·z > 0 for every i;  or  Σ λ_i p_i = 0 for some λ_i ≥ 0 that sum to 1.

The second, λ, is the proof that the first cannot be: a sum of positive numbers is not 0.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy import ndarray
from scipy.optimize import nnls
from scipy.special import entr, softmax

# A mixture Σ λ_i p_i shorter than this part of Σ λ_i ‖p_i‖ counts as 0: float64 cannot resolve so thin a margin.
NEAR = 1e-9


@dataclass(frozen=True)
class Ahead:
    """The unit direction z with the largest margin = min_i p_i·z, which is the distance of the points' hull from 0."""

    direction: Float[ndarray, "dim"]
    margin: float


@dataclass(frozen=True)
class Around:
    """The coefficients λ ≥ 0, of sum 1, with Σ λ_i p_i = 0."""

    coefficients: Float[ndarray, "points"]


def separate(points: Float[ndarray, "points dim"]) -> Ahead | Around:
    """The direction in which all points lie ahead, with the largest margin, or the mixture of them that is 0.

    Whether there is such a direction does not depend on the lengths of the points. So it is decided for p_i / ‖p_i‖:
    then one distant point does not make the others look like 0.
    """
    lengths = np.linalg.norm(points, axis=1)
    if not lengths.all():
        return Around((lengths == 0) / np.sum(lengths == 0))
    units = points / lengths[:, None]
    nearest = _nearest(units)
    if np.linalg.norm(nearest @ units) <= NEAR:
        return Around(nearest / lengths / np.sum(nearest / lengths))
    # The second is the best direction; the first replaces it where very unequal lengths drown the second in rounding.
    candidates = [nearest @ units, _nearest(points / lengths.max()) @ points]
    directions = [candidate / np.linalg.norm(candidate) for candidate in candidates if candidate.any()]
    best = max(directions, key=lambda direction: np.min(points @ direction))
    return Ahead(best, float(np.min(points @ best)))


def least_leak(
    points: Float[ndarray, "points dim"], offsets: Float[ndarray, "points"]
) -> tuple[Float[ndarray, "dim"], Float[ndarray, "points"]]:
    """The z that minimises f(z) = ln Σ_i e^{b_i − p_i·z}, for offsets b, and the mixture λ = softmax(b − Pz).

    f is convex and its gradient is −Σ λ_i p_i, so at the minimum λ is a mixture that is 0: of all such, the one with
    the largest `leak_floor`, by duality. Where 0 lies on a face of the hull the minimum is only at infinity; each
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


def leak_floor(mixture: Float[ndarray, "points"], offsets: Float[ndarray, "points"]) -> float:
    """The number H(λ) + Σ λ_i b_i, below which ln Σ_i e^{b_i − p_i·z} is for no z, if Σ λ_i p_i = 0.

    Jensen: ln Σ e^{x_i} ≥ ln Σ_{λ_i>0} λ_i e^{x_i − ln λ_i} ≥ Σ λ_i (x_i − ln λ_i); and for x_i = b_i − p_i·z,
    Σ λ_i x_i = Σ λ_i b_i.
    """
    return float(np.sum(entr(mixture)) + mixture @ offsets)


def is_zero(points: Float[ndarray, "points dim"], mixture: Float[ndarray, "points"]) -> bool:
    """Whether Σ λ_i p_i is 0, up to `NEAR`."""
    return bool(np.linalg.norm(mixture @ points) <= NEAR * (mixture @ np.linalg.norm(points, axis=1)))


def _nearest(points: Float[ndarray, "points dim"]) -> Float[ndarray, "points"]:
    """The coefficients of the point of the hull nearest to 0, by nonnegative least squares.

    Minimising ‖Σ u_i p_i‖² + (Σ u_i − 1)² over u ≥ 0 splits into the sum s = Σ u_i and the mixture u/s, and for any
    s > 0 the best mixture is the nearest point (Lawson & Hanson, "Solving least squares problems", 1974, chapter 23).
    """
    rows = np.vstack([points.T, np.ones(len(points))])
    wanted = np.append(np.zeros(len(rows) - 1), 1.0)
    solution, _ = nnls(rows, wanted, maxiter=100 * len(points))
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
        trial = z - np.linalg.solve(curvature + damping * np.eye(len(z)), slope)
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
