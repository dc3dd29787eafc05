"""Why no query gives the wanted weights: certificates, and their sentences. Notation as in `queries`."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy import ndarray
from scipy.special import expit
from torch import Tensor

from attnlab.attention.design.hulls import NEAR, is_zero, leak_floor, least_leak
from attnlab.attention.design.ratios import Ratios
from attnlab.attention.functional import scores, softmax
from attnlab.attention.impossible import Impossible

MOST_TERMS = 6


@dataclass(frozen=True)
class Dependency:
    """Coefficients y with Σ y_i = 0 and Σ y_i k_i = 0: every query has Σ y_i ln α_i = 0, but the target does not."""

    coefficients: Float[Tensor, "keys"]
    wanted_log_ratio: float


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


def dependent(
    keys: Float[Tensor, "keys dim"], wanted: Float[ndarray, "keys"], residual: Float[ndarray, "support"]
) -> Impossible[Containment | Dependency]:
    """The proof that the wanted ratios contradict one another."""
    support = np.flatnonzero(wanted)
    powers = np.zeros(len(wanted))
    powers[support] = np.where(np.abs(residual) > NEAR * np.abs(residual).max(), residual, 0.0) / np.abs(residual).max()
    wanted_log_ratio = float(powers[support] @ np.log(wanted[support]))
    tied = np.flatnonzero(powers)
    if len(tied) == 2:
        more, less = sorted(tied, key=lambda i: -wanted[i])
        reason = f"keys {tied[0]} and {tied[1]} are equal, so every query gives them the same weight; the target "
        reason += f"wants {wanted[more] / wanted[less]:.4g} times as much for key {more}"
    else:
        product = " · ".join(f"α_{i}^{powers[i]:.4g}" for i in tied[:MOST_TERMS]) + _and_more(len(tied))
        reason = f"every query keeps {product} = 1; the target needs {math.exp(wanted_log_ratio):.4g}"
    return Impossible(reason, Dependency(torch.from_numpy(powers).to(keys.device), wanted_log_ratio))


def contained(
    keys: Float[Tensor, "keys dim"],
    wanted: Float[ndarray, "keys"],
    ratios: Ratios,
    inside: Float[ndarray, "rest"],
) -> Impossible[Containment | Dependency]:
    """The proof that the other keys surround the wanted ones, and the best possible query."""
    direction, best = least_leak(ratios.points, ratios.offsets)
    mixture = best if is_zero(ratios.points, best) else inside
    floor = float(expit(leak_floor(mixture, ratios.offsets)))
    support = wanted > 0
    matrix = keys.cpu().numpy()
    differences = matrix[support] - matrix[support].mean(0)
    shift, *_ = np.linalg.lstsq(differences.T, mixture @ matrix[~support] - matrix[support].mean(0), rcond=NEAR)
    coefficients, span = np.zeros(len(wanted)), np.zeros(len(wanted))
    coefficients[~support] = mixture
    span[support] = 1 / support.sum() + shift - shift.mean()
    query = torch.from_numpy(ratios.query + direction).to(keys.device)
    certificate = Containment(
        torch.from_numpy(coefficients).to(keys.device),
        torch.from_numpy(span).to(keys.device),
        floor,
        query,
        softmax(scores(query, keys)),
    )
    return Impossible(_containment_in_words(certificate, np.flatnonzero(support)), certificate)


def _containment_in_words(proof: Containment, support: Int[ndarray, "support"]) -> str:
    """The containment in plain words: as a copy if one key is wanted, else as a mix."""
    others, span = _combination(proof.coefficients.cpu().numpy()), _combination(proof.span.cpu().numpy())
    if len(support) > 1:
        return (
            f"the convex hull of the other keys meets the span of those wanted: {others} is {span}, "
            f"so no query with the wanted ratios leaves less than {proof.leak:.4g} of the weight on others"
        )
    same = float(proof.coefficients.max()) > 1 - NEAR
    where = f"the same as {others}" if same else f"in the convex hull of others, {others}"
    return f"key {support[0]} is {where}, so no query gives it more than {1 - proof.leak:.4g} of the weight"


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
