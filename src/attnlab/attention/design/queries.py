"""The query that gives keys the wanted weights, or the proof that no query does.

With α_i = exp(k_iᵀq) / Σ_j exp(k_jᵀq), let w be the wanted weights, S the keys where w > 0, R the others, and m the
mean of the keys of S. Only differences of keys matter, since a constant added to all logits changes no weight.

1. Ratios. α_s / α_t = w_s / w_t on S asks for (k_s − m)·q = ln w_s − mean_S ln w. Let q₀ be the shortest solution. If
   there is none, the residual r of least squares has Σ r_s = 0 and Σ r_s k_s = 0, so that Π α_s^{r_s} = 1 for every
   query, while Π w_s^{r_s} = e^{Σ r_s²} ≠ 1. By continuity no sequence of queries comes near w either. That is a
   `Dependency`.
2. Suppression. The ratios stay with q = q₀ + c·z, with unit z orthogonal to all k_s − m. Let p_i be m − k_i less
   its part along those differences. Then α_i / Σ_S α_s = e^{β_i − c·p_i·z} for i in R, with
   β_i = (k_i − m)·q₀ + mean_S ln w. If every p_i·z > 0, c → ∞ leads to w; `hulls.directions` finds the z whose margin
   δ = min_i p_i·z is the largest. Then

       leak = Σ_R α_i = x/(1 + x),  x = Σ_R e^{β_i − c·p_i·z} ≤ e^{−cδ} Σ_R e^{β_i},  α_s = w_s (1 − leak).

3. Containment. Otherwise Σ_R λ_i k_i = Σ_S ν_s k_s for some λ ≥ 0 and ν, each of sum 1: the hull of the others meets
   the affine span of S. As ln α is affine in the key, Σ_R λ_i ln α_i = Σ_S ν_s ln α_s for every query; near w the left
   side would go to −∞ and the right side would not, so no sequence of queries comes near w. Queries that keep the
   ratios have leak/(1 − leak) ≥ e^{H(λ) + Σ ν_s ln w_s}, by Jensen's inequality: with x_i = ln α_i/(1 − leak),
   ln Σ_R e^{x_i} ≥ Σ λ_i (x_i − ln λ_i), and Σ λ_i x_i = Σ ν_s ln w_s. For a copy that is every query, and
   α_j ≤ 1/(1 + e^{H(λ)}).

"Impossible" refers to w itself; there may be a mix within the tolerance of w, which can be requested as its own target.

4. Proof. A design is returned if bounds on the roundings of its logits leave no doubt; a containment, if λ and ν are
   proven to exist for the keys as given (`proofs`). Keys near the border are decided in exact fractions. If they are
   outside the hull by so little that float64 cannot compute the weights of the query they need, with a remainder
   e = Σ λ_i k_i − Σ ν_s k_s, the containment holds for the queries with |e·q| ≤ 1e-6, and says up to which length.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import torch
from jaxtyping import Float
from numpy import ndarray
from torch import Tensor

from attnlab.attention.argument_checks import LARGEST, as_number, check_between, check_index, check_size, exact_matrix
from attnlab.attention.design.hulls import NEAR, directions
from attnlab.attention.design.obstacles import Containment, Dependency, contained, dependent, nearly_contained
from attnlab.attention.design.proofs import decide, error_bound, surely_ahead
from attnlab.attention.design.ratios import Ratios, hold_ratios
from attnlab.attention.design.scales import settle, target_weights
from attnlab.attention.functional import scores, softmax
from attnlab.attention.impossible import Impossible
from attnlab.errors import ArgumentError

TOLERANCE = 1e-3


@dataclass(frozen=True)
class Ahead:
    """The unit direction z, and its margin: the least p_i·z."""

    direction: Float[ndarray, "dim"]
    margin: float


@dataclass(frozen=True)
class Design:
    """A query q₀ + scale·z, the weights that it gives, and how far they are from the wanted ones.

    `error` is the largest |weights − target|. `bound` is proven to be no less, in exact arithmetic
    too: it is the largest error that the roundings of the logits leave possible.
    `leak` is the weight on other keys. `margin` is min_i p_i·z, infinite if there is no other key.
    """

    query: Float[Tensor, "dim"]
    target: Float[Tensor, "keys"]
    weights: Float[Tensor, "keys"]
    error: float
    bound: float
    leak: float
    margin: float
    scale: float


def copy_query(
    keys: Float[Tensor, "keys dim"], key: int, *, tolerance: float | None = None, norm: float | None = None
) -> Design | Impossible[Containment | Dependency]:
    """The query that puts all weight on one key, or the proof that the key is a mixture of the others.

    >>> round(copy_query(torch.eye(10), 3, tolerance=0.001).weights[3].item(), 4)
    0.999
    >>> copy_query(torch.tensor([[0.0], [1.0], [2.0]]), 1).reason
    'key 1 is in the convex hull of others, 0.5·key 0 + 0.5·key 2, so no query gives it more than 0.3333 of the weight'
    """
    check_index("key", key, len(exact_matrix("keys", keys, "keys", "dim")))
    return mix_query(keys, {key: 1.0}, tolerance=tolerance, norm=norm)


def average_query(
    keys: Float[Tensor, "keys dim"], a: int, b: int, *, tolerance: float | None = None, norm: float | None = None
) -> Design | Impossible[Containment | Dependency]:
    """The query that puts half the weight on key a and half on key b, or the proof that there is no such query.

    >>> average_query(torch.eye(3), 0, 1, tolerance=0.01).weights.round(decimals=4).tolist()
    [0.495, 0.495, 0.01]
    """
    size = len(exact_matrix("keys", keys, "keys", "dim"))
    check_index("a", a, size)
    check_index("b", b, size)
    if a == b:
        raise ArgumentError("b", f"expected two different keys, got {b} for both a and b")
    return mix_query(keys, {a: 0.5, b: 0.5}, tolerance=tolerance, norm=norm)


def mix_query(
    keys: Float[Tensor, "keys dim"],
    target: Mapping[int, float],
    *,
    tolerance: float | None = None,
    norm: float | None = None,
) -> Design | Impossible[Containment | Dependency]:
    """The query that gives the keys in `target` their weights and the other keys none, or the proof of impossibility.

    Its length is `norm`, or the least from which on every weight stays within `tolerance` (default 0.001).

    >>> mix_query(torch.eye(4), {0: 0.75, 1: 0.25}, tolerance=1e-6).weights.round(decimals=4).tolist()
    [0.75, 0.25, 0.0, 0.0]
    """
    exact = exact_matrix("keys", keys, "keys", "dim")
    check_size("keys", exact, smallest=1 / LARGEST)
    wanted = target_weights(target, len(exact))
    _check_length(tolerance, norm)
    search = _Search(exact, wanted, TOLERANCE if tolerance is None else tolerance, norm)
    matrix = exact.cpu().numpy()
    ratios = hold_ratios(matrix, wanted)
    found = search.design(ratios, _directions(ratios))
    if found is None and (coarser := hold_ratios(matrix, wanted, NEAR)).basis.shape != ratios.basis.shape:
        ratios = coarser
        found = search.design(ratios, _directions(ratios))
    if found is None and np.max(np.abs(ratios.residual)) > NEAR:
        return dependent(exact, wanted, ratios.residual)
    if found is None and len(ratios.points):
        found = contained(exact, wanted, ratios)
    if found is None and len(ratios.points):
        direction, inside = decide(matrix, wanted > 0)
        if inside is not None:
            found = contained(exact, wanted, ratios, inside=inside)
        elif direction is not None:
            found = search.design(ratios, [direction / np.linalg.norm(direction)])
        found = found or nearly_contained(exact, wanted, ratios)
    return found or search.give_up()


@dataclass
class _Search:
    """The search for a design that is proven, and the least error of those that are not."""

    keys: Float[Tensor, "keys dim"]
    wanted: Float[ndarray, "keys"]
    tolerance: float
    norm: float | None
    reached: float = math.inf

    def design(self, ratios: Ratios, directions: Iterable[Float[ndarray, "dim"]]) -> Design | None:
        """The design along the first direction for which float64 surely gives the weights."""
        if np.max(np.abs(ratios.residual)) > NEAR:
            return None
        matrix = self.keys.cpu().numpy()
        for direction in directions:
            margin = float(np.min(ratios.points @ direction, initial=math.inf))
            ahead = Ahead(direction, margin)
            if self.norm is not None:
                if surely_ahead(matrix, direction, self.wanted > 0):
                    scale = _scale_for_norm(ratios, ahead, self.norm)
                    return _design(self.keys, self.wanted, ratios, ahead, scale, self.norm)
            elif margin > 0 and (design := _within(self.keys, self.wanted, ratios, ahead, self.tolerance)):
                self.reached = min(self.reached, max(design.error, design.bound - self.tolerance))
                if design.error <= self.tolerance and design.bound <= self.tolerance + max(self.tolerance, 1e-9):
                    return design
        return None

    def give_up(self) -> NoReturn:
        """Raise: what float64 reaches, or that it cannot decide."""
        if self.reached < math.inf:
            reached = f"with these keys float64 reaches {self.reached:.1e}"
            raise ArgumentError("tolerance", f"expected a larger tolerance, got {self.tolerance:g}; {reached}")
        raise ArgumentError("keys", "the wanted keys are too near the hull of the others to decide in float64")


def _directions(ratios: Ratios) -> Iterable[Float[ndarray, "dim"]]:
    """Unit directions that may keep the other keys away."""
    return directions(ratios.points) if len(ratios.points) else [_spare(ratios.basis)]


def _within(
    keys: Float[Tensor, "keys dim"],
    wanted: Float[ndarray, "keys"],
    ratios: Ratios,
    ahead: Ahead,
    tolerance: float,
) -> Design | None:
    """The shortest design whose measured error is within the tolerance, or the last one tried."""
    offsets, slopes = np.zeros(len(wanted)), np.zeros(len(wanted))
    offsets[wanted > 0], offsets[wanted == 0] = np.log(wanted[wanted > 0]), ratios.offsets
    slopes[wanted == 0] = -ratios.points @ ahead.direction
    scale = settle(offsets, slopes, wanted, tolerance)
    if scale is None:
        return None
    design = _design(keys, wanted, ratios, ahead, scale)
    for power in range(23):  # rounding may leave it just outside
        if design.error <= tolerance:
            break
        design = _design(keys, wanted, ratios, ahead, scale + 1e-15 * 4**power * (scale + 1 / ahead.margin))
    return design


def _design(
    keys: Float[Tensor, "keys dim"],
    wanted: Float[ndarray, "keys"],
    ratios: Ratios,
    ahead: Ahead,
    scale: float,
    norm: float | None = None,
) -> Design:
    """The design q₀ + scale·z, measured."""
    exact = ratios.query + scale * ahead.direction
    if norm is not None and exact.any():
        exact *= norm / np.linalg.norm(exact)
    query, target = torch.from_numpy(exact).to(keys.device), torch.from_numpy(wanted).to(keys.device)
    weights = softmax(scores(query, keys))
    error = float((weights - target).abs().max())
    bound = error_bound(keys.cpu().numpy(), exact, wanted)
    return Design(query, target, weights, error, bound, float(weights[target == 0].sum()), ahead.margin, scale)


def _scale_for_norm(ratios: Ratios, ahead: Ahead, norm: float) -> float:
    """The c with ‖q₀ + c·z‖² = ‖q₀‖² + c² = norm²."""
    least = float(np.linalg.norm(ratios.query))
    if norm < least * (1 - 1e-12):
        raise ArgumentError("norm", f"the wanted ratios need at least {least:.6g}, got {norm:g}")
    scale = math.sqrt(max(0.0, norm**2 - least**2))
    if scale > NEAR * norm and not ahead.direction.any():
        raise ArgumentError("norm", f"expected {least:.6g}, because any other length changes the ratios; got {norm:g}")
    return scale


def _spare(basis: Float[ndarray, "dim rank"]) -> Float[ndarray, "dim"]:
    """A unit vector orthogonal to the basis; 0 if it spans everything."""
    dim, rank = basis.shape
    if rank == dim:
        return np.zeros(dim)
    axis = np.eye(dim)[np.argmin(np.linalg.norm(basis, axis=1))]
    spare = axis - basis @ (basis.T @ axis)
    return spare / np.linalg.norm(spare)


def _check_length(tolerance: float | None, norm: float | None) -> None:
    """Raise unless at most one of them is given, and is in range."""
    if tolerance is not None and norm is not None:
        raise ArgumentError("norm", "expected a tolerance or a norm, got both")
    if tolerance is not None:
        check_between("tolerance", tolerance, 1e-15, 1.0)
    if norm is not None and not 0.0 <= as_number("norm", norm) <= LARGEST:
        raise ArgumentError("norm", f"expected a number from 0 to {LARGEST:g}, got {norm:g}")
