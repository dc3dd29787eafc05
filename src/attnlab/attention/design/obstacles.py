"""Why no query gives the wanted weights: certificates, and their sentences. Notation as in `queries`."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy import ndarray
from scipy.special import entr, expit
from torch import Tensor

from attnlab.attention.design.hulls import NEAR, least_leak, nearest_mixture
from attnlab.attention.design.proofs import EPS, as_proven, shortfall
from attnlab.attention.design.ratios import Ratios
from attnlab.attention.functional import scores, softmax
from attnlab.attention.impossible import Impossible
from attnlab.errors import ArgumentError

MOST_TERMS = 6
# Where a proof holds up to rounding only, this much of a logit is given up for it,
SLACK = 1e-6
# and it counts if it holds for all queries whose logits differ by less than this.
FAR = 1e6

Mixture = Float[ndarray, "rest"]


@dataclass(frozen=True)
class Dependency:
    """Coefficients y with Σ y_i = 0 and Σ y_i k_i = 0: every query has Σ y_i ln α_i = 0, but the target does not."""

    coefficients: Float[Tensor, "keys"]
    wanted_log_ratio: float
    shorter_than: float = math.inf
    """Finite if the keys are that dependent only up to rounding: then this holds for queries shorter than this."""


@dataclass(frozen=True)
class Containment:
    """A mixture of other keys, λ = `coefficients`, that is an affine combination, ν = `span`, of the wanted keys.

    Each sums to 1, λ ≥ 0, and Σ λ_i k_i = Σ ν_s k_s. `leak` is the least weight that a query with the wanted ratios
    leaves on other keys; `query` comes close to that, with these `weights`.
    """

    coefficients: Float[Tensor, "keys"]
    span: Float[Tensor, "keys"]
    leak: float
    query: Float[Tensor, "dim"]
    weights: Float[Tensor, "keys"]
    shorter_than: float = math.inf
    """Finite if Σ λ_i k_i = Σ ν_s k_s only up to rounding: then `leak` holds for queries shorter than this."""


def dependent(
    keys: Float[Tensor, "keys dim"], wanted: Float[ndarray, "keys"], residual: Float[ndarray, "support"]
) -> Impossible[Containment | Dependency]:
    """The proof that the wanted ratios contradict one another; raises where rounding may only imitate a dependency."""
    support = np.flatnonzero(wanted)
    matrix = keys.cpu().numpy()[support]
    near = np.where(np.abs(residual) > NEAR * np.abs(residual).max(), residual, 0.0) / np.abs(residual).max()
    proven = as_proven(matrix, np.full(len(support), True), near)
    powers, shorter_than = near, _limit(matrix, near)
    if proven is not None and np.allclose(proven.coefficients, near, atol=NEAR):  # 0 is always a solution, and no proof
        powers, shorter_than = proven.coefficients / np.abs(proven.coefficients).max(), math.inf
    logs = powers * np.log(wanted[support])
    ratio = float(logs.sum())
    if shorter_than == 0 or abs(ratio) < max(1e-12 * np.abs(logs).sum(), 10 * SLACK if shorter_than < math.inf else 0):
        raise ArgumentError("keys", "the wanted keys are too nearly dependent to decide in float64")
    whole = np.zeros(len(wanted))
    whole[support] = powers
    reason = _dependency_in_words(whole, wanted, ratio, shorter_than)
    return Impossible(reason, Dependency(torch.from_numpy(whole).to(keys.device), ratio, shorter_than))


def contained(
    keys: Float[Tensor, "keys dim"], wanted: Float[ndarray, "keys"], ratios: Ratios, *, inside: Mixture | None = None
) -> Impossible[Containment | Dependency] | None:
    """The proof that the other keys surround the wanted ones, and the best possible query; None without a proof.

    `inside` is the mixture that proves it. If it is not known, it is searched for.
    """
    direction, best = least_leak(ratios.points, ratios.offsets)
    for mixture in [best, nearest_mixture(ratios.points)] if inside is None else [inside]:
        near = _balance(keys.cpu().numpy(), wanted, mixture)
        proven = as_proven(keys.cpu().numpy(), wanted > 0, near)
        if proven is not None:
            return _containment(keys, wanted, ratios.query + direction, proven.coefficients, math.inf, proven.change)
    return None


def nearly_contained(
    keys: Float[Tensor, "keys dim"], wanted: Float[ndarray, "keys"], ratios: Ratios
) -> Impossible[Containment | Dependency] | None:
    """The proof for all queries up to a length at which float64 cannot tell weights any more; None without a proof."""
    matrix = keys.cpu().numpy()
    direction, best = least_leak(ratios.points, ratios.offsets)
    mixtures = [best, nearest_mixture(ratios.points)]
    found = max((_balance(matrix, wanted, mixture) for mixture in mixtures), key=lambda each: _limit(matrix, each))
    if limit := _limit(matrix, found):
        return _containment(keys, wanted, ratios.query + direction, found, limit, SLACK)
    return None


def _balance(
    keys: Float[ndarray, "keys dim"], wanted: Float[ndarray, "keys"], mixture: Float[ndarray, "rest"]
) -> Float[ndarray, "keys"]:
    """λ for the other keys and −ν for the wanted ones, where Σ ν_s k_s is nearest to Σ λ_i k_i."""
    support = wanted > 0
    middle = keys[support].mean(0)
    shift, *_ = np.linalg.lstsq((keys[support] - middle).T, mixture @ (keys[~support] - middle), rcond=NEAR)
    balance = np.zeros(len(keys))
    balance[~support] = mixture
    balance[support] = -(1 / support.sum() + shift - shift.mean())
    return balance


def _limit(keys: Float[ndarray, "keys dim"], balance: Float[ndarray, "keys"]) -> float:
    """The length up to which a query q has |Σ x_i k_i·q| ≤ `SLACK`; 0 if that is less than float64 can hold apart."""
    short = shortfall(keys, balance)
    spread = float(np.linalg.norm(keys - keys[np.argmax(np.abs(balance))], axis=1).max())
    if short == 0:
        return math.inf
    return SLACK / short if short * FAR <= SLACK * spread else 0.0


def _containment(
    keys: Float[Tensor, "keys dim"],
    wanted: Float[ndarray, "keys"],
    best_query: Float[ndarray, "dim"],
    balance: Float[ndarray, "keys"],
    shorter_than: float,
    change: float,
) -> Impossible[Containment | Dependency]:
    """The answer for coefficients λ and −ν. ln leak/(1 − leak) ≥ H(λ) + Σ ν_s ln w_s, see `queries`."""
    support = wanted > 0
    logs = np.log(wanted[support])
    parts = np.append(entr(balance[~support]), -balance[support] * logs)
    lost = (2 * change + EPS * (len(wanted) + 8)) * float(np.abs(parts).sum() + np.abs(logs).sum() + 1)
    query = torch.from_numpy(best_query).to(keys.device)
    certificate = Containment(
        torch.from_numpy(np.where(support, 0.0, balance)).to(keys.device),
        torch.from_numpy(np.where(support, -balance, 0.0)).to(keys.device),
        float(expit(parts.sum() - lost)),
        query,
        softmax(scores(query, keys)),
        shorter_than,
    )
    return Impossible(_containment_in_words(certificate, np.flatnonzero(support)), certificate)


def _dependency_in_words(
    powers: Float[ndarray, "keys"], wanted: Float[ndarray, "keys"], ratio: float, shorter_than: float
) -> str:
    """The dependency in plain words: two equal keys, or a product of weights that no query changes."""
    tied = np.flatnonzero(powers)
    if len(tied) == 2 and shorter_than == math.inf:
        more, less = sorted(tied, key=lambda i: -wanted[i])
        reason = f"keys {tied[0]} and {tied[1]} are equal, so every query gives them the same weight; the target "
        return reason + f"wants {wanted[more] / wanted[less]:.4g} times as much for key {more}"
    product = " · ".join(f"α_{i}^{powers[i]:.4g}" for i in tied[:MOST_TERMS]) + _and_more(len(tied))
    who = (
        "every query"
        if shorter_than == math.inf
        else f"to within {SLACK:g}, every query shorter than {shorter_than:.2g}"
    )
    return f"{who} keeps {product} = 1; the target needs {math.exp(ratio):.4g}"


def _containment_in_words(proof: Containment, support: Int[ndarray, "support"]) -> str:
    """The containment in plain words: as a copy if one key is wanted, else as a mix."""
    who = "no query" if proof.shorter_than == math.inf else f"no query shorter than {proof.shorter_than:.2g}"
    others, span = _combination(proof.coefficients.cpu().numpy()), _combination(proof.span.cpu().numpy())
    if len(support) > 1:
        return (
            f"the convex hull of the other keys meets the span of those wanted: {others} is {span}, "
            f"so {who} with the wanted ratios leaves less than {proof.leak:.4g} of the weight on others"
        )
    same = float(proof.coefficients.max()) > 1 - NEAR
    nearly = "" if proof.shorter_than == math.inf else "up to rounding "
    where = f"{nearly}the same as {others}" if same else f"{nearly}in the convex hull of others, {others}"
    return f"key {support[0]} is {where}, so {who} gives it more than {1 - proof.leak:.4g} of the weight"


def _combination(coefficients: Float[ndarray, "keys"]) -> str:
    """The coefficients as a sum of keys, the largest first: `2·key 1 − key 0`."""
    order = sorted(np.flatnonzero(np.abs(coefficients) > NEAR), key=lambda i: (-round(abs(coefficients[i]), 9), i))
    text = ""
    for i in order[:MOST_TERMS]:
        sign = " − " if coefficients[i] < 0 else " + "
        size = f"{abs(coefficients[i]):.4g}"
        text += sign + ("" if size == "1" else f"{size}·") + f"key {i}"
    return text.removeprefix(" + ").strip() + _and_more(len(order))


def _and_more(terms: int) -> str:
    """How many terms are left out, if any."""
    return f" and {terms - MOST_TERMS} more" if terms > MOST_TERMS else ""
