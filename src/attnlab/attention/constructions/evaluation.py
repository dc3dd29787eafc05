"""Self-attention on inputs that are sums of orthogonal parts of norm β, at a given β and as β → ∞.

    q_i = Q x_i    k_i = K x_i    v_i = V x_i    α_ij = softmax_j(k_jᵀq_i)    c_i = Σ_j α_ij v_j

In part coordinates (`sums`) uᵀu = β², so the logit k_jᵀq_i is β² times the product of the coordinates, the score s_ij.
As β → ∞ a row's weights tend to uniform over the inputs of the best score. How fast: let S be those inputs, c* the
limit, Δ_j how far the score of input j falls short of the best. At a finite β the inputs in S still share their weight
equally, so c − c* = Σ_{j∉S} α_j (v_j − c*), and α_j = e^{−β²Δ_j} / (|S| + Σ_{l∉S} e^{−β²Δ_l}). Therefore

    ‖c − c*‖ ≤ Σ_{j∉S} e^{−β²Δ_j} ‖v_j − c*‖ / |S|

Lengths here are lengths of part coordinates: a vector's true length divided by β.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnlab.attention.argument_checks import check_between, exact_matrix, shape_of
from attnlab.attention.constructions.sums import Inputs
from attnlab.attention.functional import attend
from attnlab.errors import ArgumentError

TIE = 1e-9  # scores that differ by less than this part of their summands are equal up to rounding


@dataclass(frozen=True)
class SelfAttention:
    """Self-attention at `beta`; `math.inf` for the limit. All in part coordinates, one row per input.

    `scores` are the logits divided by β², `weights` the α, `outputs` the c.
    """

    beta: float
    scores: Float[Tensor, "inputs inputs"]
    weights: Float[Tensor, "inputs inputs"]
    outputs: Float[Tensor, "inputs parts"]

    @property
    def logits(self) -> Float[Tensor, "inputs inputs"]:
        """The logits of the weights: β² times the scores; in the limit 0 for the best score and −∞ for the others."""
        if math.isinf(self.beta):
            return torch.zeros_like(self.scores).masked_fill(self.weights == 0, -math.inf)
        return self.beta**2 * self.scores


def evaluate(
    inputs: Inputs,
    Q: Float[Tensor, "parts parts"],
    K: Float[Tensor, "parts parts"],
    V: Float[Tensor, "parts parts"],
    *,
    beta: float,
) -> SelfAttention:
    """The scores, weights and outputs of self-attention on parts of norm `beta`."""
    check_between("beta", beta, 0.0, 1e100)
    X = inputs.coefficients
    queries, keys, values = (X @ _matrix(name, M, inputs).mT for name, M in (("Q", Q), ("K", K), ("V", V)))
    found = attend(queries, keys, values, scale=beta**2)
    return SelfAttention(beta, queries @ keys.mT, found.weights, found.output)


def limit(
    inputs: Inputs,
    Q: Float[Tensor, "parts parts"],
    K: Float[Tensor, "parts parts"],
    V: Float[Tensor, "parts parts"],
) -> SelfAttention:
    """The scores, weights and outputs as β → ∞: every row's weights are uniform over the inputs of the best score.

    Scores that differ by less than 1e-9 of the products they are summed from count as equal.

    >>> from attnlab.attention.constructions.sums import format_sum, parse_inputs, parse_matrix
    >>> inputs = parse_inputs("x1 = d + b; x2 = a; x3 = c + b")
    >>> Q, K, V = (parse_matrix(M, inputs.parts) for M in ("d a^T + c d^T", "I", "b b^T - c c^T"))
    >>> [format_sum(c, inputs.parts) for c in limit(inputs, Q, K, V).outputs]
    ['u_b − u_c', 'u_b', '0.666667 u_b − 0.333333 u_c']
    """
    X = inputs.coefficients
    queries, keys, values = (X @ _matrix(name, M, inputs).mT for name, M in (("Q", Q), ("K", K), ("V", V)))
    scores = queries @ keys.mT
    best = _best(queries, keys)
    weights = best / best.sum(-1, keepdim=True, dtype=torch.float64)
    return SelfAttention(math.inf, scores, weights, weights @ values)


def margins(
    inputs: Inputs, Q: Float[Tensor, "parts parts"], K: Float[Tensor, "parts parts"]
) -> Float[Tensor, "inputs"]:
    """For each row: how far the best score is above the next one; ∞ if all inputs tie."""
    shortfall, best = _shortfall(inputs, Q, K)
    return shortfall.masked_fill(best, math.inf).amin(-1)


def error_bounds(
    inputs: Inputs,
    Q: Float[Tensor, "parts parts"],
    K: Float[Tensor, "parts parts"],
    V: Float[Tensor, "parts parts"],
    *,
    beta: float,
) -> Float[Tensor, "inputs"]:
    """For each row: how far the output at `beta` can be from its limit, by the bound in the module's docstring."""
    check_between("beta", beta, 0.0, 1e100)
    shortfall, best = _shortfall(inputs, Q, K)
    leak = torch.exp(-(beta**2) * shortfall).masked_fill(best, 0.0)
    return (leak * _distances(inputs, Q, K, V)).sum(-1) / best.sum(-1)


def beta_within(
    inputs: Inputs,
    Q: Float[Tensor, "parts parts"],
    K: Float[Tensor, "parts parts"],
    V: Float[Tensor, "parts parts"],
    *,
    tolerance: float,
) -> float:
    """A β from which on every output is within `tolerance` of its limit; 0 if every β > 0 will do.

    It solves the bound in the module's docstring with every Δ_j replaced by the smallest, the margin Δ:
    β² = ln(Σ_{j∉S} ‖v_j − c*‖ / (|S| · tolerance)) / Δ.
    """
    check_between("tolerance", tolerance, 0.0, math.inf)
    _, best = _shortfall(inputs, Q, K)
    far = _distances(inputs, Q, K, V).masked_fill(best, 0.0).sum(-1) / best.sum(-1)
    squares = (far / tolerance).clamp_min(1.0).log() / margins(inputs, Q, K)
    return math.sqrt(float(squares.max()))


def _matrix(name: str, matrix: Tensor, inputs: Inputs) -> Tensor:
    """The checked matrix in float64, on the inputs' device: one row and one column per part."""
    exact, size = exact_matrix(name, matrix, "parts", "parts"), len(inputs.parts)
    if exact.shape != (size, size):
        raise ArgumentError(name, f"expected {size} × {size}, one row and column per part, got shape {shape_of(exact)}")
    return exact.to(inputs.coefficients.device)


def _best(queries: Float[Tensor, "inputs parts"], keys: Float[Tensor, "inputs parts"]) -> Bool[Tensor, "inputs inputs"]:
    """Which inputs have the best score of each row, up to rounding."""
    scores = queries @ keys.mT
    rounding = TIE * (queries.abs() @ keys.abs().mT).amax(-1, keepdim=True)
    return scores >= scores.amax(-1, keepdim=True) - rounding


def _shortfall(inputs: Inputs, Q: Tensor, K: Tensor) -> tuple[Tensor, Tensor]:
    """How far each score is below the best of its row, and which scores are the best."""
    queries, keys = (inputs.coefficients @ _matrix(name, M, inputs).mT for name, M in (("Q", Q), ("K", K)))
    scores = queries @ keys.mT
    return scores.amax(-1, keepdim=True) - scores, _best(queries, keys)


def _distances(inputs: Inputs, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    """The distance of each input's value from each row's output in the limit."""
    values = inputs.coefficients @ _matrix("V", V, inputs).mT
    # Not torch.cdist: from 25 rows on it subtracts squares, and loses half the digits.
    return (limit(inputs, Q, K, V).outputs[:, None, :] - values[None, :, :]).norm(dim=-1)
