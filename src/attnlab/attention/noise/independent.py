"""The exact moments of attention on many keys whose logits are independent, however many there are.

For positive numbers X_i with the sum S, 1/S = ∫ e^{−tS} dt. With independent logits ℓ_i, X_i = e^{ℓ_i} and t = e^u,

    E α_i   = ∫ ψ_i(u) Π_{j≠i} φ_j(u) du        φ_j(u) = E e^{−tX_j}
    E α_i²  = ∫ χ_i(u) Π_{j≠i} φ_j(u) du        ψ_i(u) = E tX_i e^{−tX_i}
    E α_iα_k = ∫ ψ_i ψ_k Π_{j≠i,k} φ_j du       χ_i(u) = E (tX_i)² e^{−tX_i}

So a thousand keys take one integral, not a thousand. Keys of one mean and variance share their functions. The functions
are analytic for |Im u| < π/2, and a Gaussian smooths them, so the trapezoidal rule converges faster than any power of
its step (Trefethen and Weideman, "The exponentially convergent trapezoidal rule", 2014). Weights of independent heads
multiply: E α_hi α_gi = E α_hi E α_gi. A sink is one more key, which does not move.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.special import ndtr
from torch import Tensor

from attnlab.attention.noise.exact import Moments, TooManyPointsError
from attnlab.attention.noise.logits import Logits, ManyLogits, mean_logits, own_logit_factors
from attnlab.attention.noise.quadrature import Array
from attnlab.attention.noise.readout import Readout

_STEP = 0.25
"""The step of the inner integrals, and the first of the outer ones: the error of a step h is about e^{−π²/h}."""
_FAR = 9.0
"""A Gaussian number is farther from 0 with probability 2e-19."""
_LOW, _HIGH = -40.0, 4.0
"""Outside of these logs, e^v e^{−e^v} is below 1e-17."""
_MOST_POINTS = 1 << 18


@dataclass(frozen=True)
class _Head:
    """A head, or several with equal queries: its share of the output, and the groups of its keys with equal laws."""

    share: float
    mean: Array
    deviation: Array
    count: Array
    group: NDArray[np.intp]
    """The group of each key."""


@dataclass(frozen=True)
class _Integrals:
    """E α, E α² and, for two different keys, E αα', by group; and what the tails and a wrong sum of weights leave."""

    first: Array
    second: Array
    pairs: Array | None
    left_out: float
    points: int


def has_independent_logits(asked: Readout) -> bool:
    """Whether the logits of all keys and of all heads with different queries are independent, and values orthonormal,
    so that `moments` can integrate them."""
    logits = asked.logits
    if isinstance(logits, Logits) or logits.normalised or len(logits.keys.shared) or asked.pulls is not None:
        return False
    queries = _different(logits.queries)[0]
    factors = own_logit_factors(logits.keys, queries)
    covariance = factors.mT @ factors
    sizes = covariance.diagonal(dim1=1, dim2=2).sqrt()
    off = covariance - torch.diag_embed(sizes.square())
    return bool((off.abs() <= 1e-14 * sizes[:, :, None] * sizes[:, None]).all())


def moments(asked: Readout, tolerance: float, most: float = math.inf) -> Moments:
    """The moments: the weights to within `tolerance`, and the error to within `tolerance` times its range. Raises
    TooManyPointsError if that takes more than `most` values of φ, ψ and χ."""
    target = asked.aim.cpu().numpy()
    heads, found = _heads(asked), []
    for head in heads:
        found.append(_integrals(head, tolerance, most / len(heads)))
    (mean, square), (rough_mean, rough_square) = (
        _combined(heads, [each[number] for each in found]) for number in (0, 1)
    )
    shares = float(asked.head_weights.abs().sum())
    left_out = sum(abs(head.share) * fine.left_out for head, (fine, _) in zip(heads, found, strict=True))
    rounding = asked.rounding(torch.float64) * shares
    off = np.abs(mean - rough_mean) + left_out + rounding
    square_off = np.abs(square - rough_square) + 2 * shares * (left_out + rounding)
    error, rough = (
        float((s - 2 * target * m + target**2).sum()) for m, s in ((mean, square), (rough_mean, rough_square))
    )
    slopes = 2 * shares + 2 * float(np.abs(target).max())
    error_bound = abs(error - rough) + slopes * left_out + asked.rounding(torch.float64) * asked.most_error
    variance = np.maximum(square - mean**2, 0.0)
    variance_bound = square_off + 2 * np.abs(mean) * off + off**2
    device = asked.counts.device
    return Moments(
        torch.from_numpy(mean).to(device),
        torch.from_numpy(off).to(device),
        torch.from_numpy(variance).to(device),
        torch.from_numpy(variance_bound).to(device),
        max(error, 0.0),
        error_bound,
        sum(fine.points for fine, _ in found),
    )


def covariance(asked: Readout, tolerance: float) -> Float[Tensor, "columns columns"]:
    """The covariance of the combined weights."""
    total = np.zeros((len(asked.counts), len(asked.counts)))
    for head in _heads(asked):
        found, _ = _integrals(head, tolerance, math.inf, pairs=True)
        assert found.pairs is not None
        each = (found.pairs - np.outer(found.first, found.first))[head.group][:, head.group]
        np.fill_diagonal(each, (found.second - found.first**2)[head.group])
        total += head.share**2 * each
    return torch.from_numpy(total).to(asked.counts.device)


def _different(queries: Tensor) -> tuple[Tensor, Tensor]:
    """The different queries, and which of them each head has."""
    different, which = queries.unique(dim=0, return_inverse=True)
    return different, which


def _heads(asked: Readout) -> list[_Head]:
    logits = asked.logits
    assert isinstance(logits, ManyLogits)
    queries, which = _different(logits.queries)
    shares = queries.new_zeros(len(queries)).index_add(0, which, asked.head_weights)
    means = mean_logits(logits.keys, queries, shift_free=logits.shift_free).cpu().numpy()
    deviations = own_logit_factors(logits.keys, queries).square().sum(1).sqrt().mT.cpu().numpy()
    return [
        _grouped(float(share), mean, deviation, asked.sink)
        for share, mean, deviation in zip(shares, means, deviations, strict=True)
    ]


def _grouped(share: float, mean: Array, deviation: Array, sink: float) -> _Head:
    """The head with keys of equal laws together, and the sink as one more group, the last."""
    rows = np.stack([mean, deviation], 1)
    # Rounded, because keys that are equal in exact arithmetic may differ in the last digit.
    rounded = (rows / max(float(np.abs(rows).max()), np.finfo(float).tiny)).round(14) + 0.0
    _, first, group, count = np.unique(rounded, axis=0, return_index=True, return_inverse=True, return_counts=True)
    mean, deviation = rows[first, 0], rows[first, 1]
    if sink > 0:
        mean, deviation, count = np.append(mean, math.log(sink)), np.append(deviation, 0.0), np.append(count, 1)
    return _Head(share, mean, deviation, count.astype(float), group.ravel())


def _combined(heads: list[_Head], found: list[_Integrals]) -> tuple[Array, Array]:
    """E c and E c² of each key's combined weight c = Σ_h w_h α_h, for independent heads."""
    means = np.stack([head.share * each.first[head.group] for head, each in zip(heads, found, strict=True)])
    squares = np.stack([head.share**2 * each.second[head.group] for head, each in zip(heads, found, strict=True)])
    total = means.sum(0)
    return total, squares.sum(0) + total**2 - (means**2).sum(0)


def _integrals(head: _Head, tolerance: float, most: float, *, pairs: bool = False) -> tuple[_Integrals, _Integrals]:
    """The integrals by steps of half the size until a step makes no difference; and those of the step before."""
    low = -float((head.mean + _FAR * head.deviation).max()) + _LOW - math.log(float(head.count.sum()))
    high = -float((head.mean - _FAR * head.deviation).max()) + _HIGH
    step, rough = 2 * _STEP * max(1.0, float(head.deviation.min())), None
    while True:
        points = 1 + math.ceil((high - low) / step)
        values = points * len(head.mean) * 3 * len(_inner())
        if points > _MOST_POINTS or values > most:
            raise TooManyPointsError
        places = np.asarray(low + step * np.arange(points), dtype=np.float64)
        fine = _by_trapezoids(head, places, step, pairs=pairs)
        if rough is not None:
            moved = max(np.abs(fine.first - rough.first).max(), np.abs(fine.second - rough.second).max())
            if moved + fine.left_out <= tolerance:
                return fine, rough
        step, rough = step / 2, fine


def _by_trapezoids(head: _Head, places: Array, step: float, *, pairs: bool) -> _Integrals:
    groups = zip(head.mean, head.deviation, strict=True)
    logs, firsts, seconds = (np.stack(x) for x in zip(*(_functions(places + m, s) for m, s in groups), strict=True))
    total = head.count @ logs
    others = np.exp(total - logs)  # the product over all keys but one of the group
    first, second = step * (firsts * others).sum(1), step * (seconds * others).sum(1)
    # The weights sum to 1. The integrals of their sum outside of the places are 1 − Π φ and Π φ at the ends.
    ends = -math.expm1(float(total[0])) + math.exp(float(total[-1]))
    left_out = ends + abs(float(head.count @ first) - 1)
    both = None
    if pairs:
        with np.errstate(over="ignore", invalid="ignore"):
            ratios = firsts * np.exp(total / 2 - logs)
        both = step * ratios @ ratios.T
    return _Integrals(first, second, both, left_out, len(places))


def _functions(places: Array, deviation: float) -> tuple[Array, Array, Array]:
    """ln φ, ψ and χ of a key with mean logit 0 at the given u."""
    out = [_part(some, deviation) for some in np.array_split(places, 1 + len(places) // 2048)]
    log, first, second = (np.concatenate(x) for x in zip(*out, strict=True))
    return log, first, second


def _inner() -> Array:
    return np.arange(_LOW, _HIGH + _STEP, _STEP)


def _part(places: Array, deviation: float) -> tuple[Array, Array, Array]:
    if deviation < 1:
        z = np.arange(-_FAR, _FAR + _STEP, _STEP)
        weight = _STEP * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        logs = np.minimum(places[:, None] + deviation * z, 700.0)
        x = np.exp(logs)
        kept = np.exp(-x)
        return _log(kept @ weight, -np.expm1(-x) @ weight), (x * kept) @ weight, (x * x * kept) @ weight
    # For wide noise, integrate over v = u + ℓ instead. By parts: E e^{−e^v} = ∫ e^v e^{−e^v} P(u + ℓ ≤ v) dv.
    v = _inner()
    away = (v - places[:, None]) / deviation
    gumbel = _STEP * np.exp(v - np.exp(v))
    density = np.exp(-(away**2) / 2) / (deviation * math.sqrt(2 * math.pi))
    return _log(ndtr(away) @ gumbel, ndtr(-away) @ gumbel), density @ gumbel, density @ (gumbel * np.exp(v))


def _log(kept: Array, lost: Array) -> Array:
    """ln φ, from φ and 1 − φ: each has its digits where it is small."""
    return np.where(lost < 0.5, np.log1p(-np.minimum(lost, 0.5)), np.log(np.maximum(kept, np.finfo(float).tiny)))
