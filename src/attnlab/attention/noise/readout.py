"""From logits to results: weights, their combination over heads, and the distance to a target."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.argument_checks import check_at_least, exact_matrix, exact_vector, shape_of
from attnlab.attention.functional import softmax
from attnlab.attention.noise.keys import NoisyKeys
from attnlab.attention.noise.logits import Logits, ManyLogits, mean_logits, noisy_logits
from attnlab.errors import ArgumentError


@dataclass(frozen=True)
class Readout:
    """The output c = Σ_h w_h Σ_i α_hi v_i of noisy logits, compared with a target.

    With orthonormal values, ‖c − t‖² is Σ_columns mass (a − t̄)² plus the variation of the target within columns,
    `rest`. With other values, for combined weights a and s = Σ_i a_i − 1, c − t = Σ_i a_i (v_i − t) + s t, so that no
    digits are lost however far values and target are from 0.
    """

    logits: Logits | ManyLogits
    counts: Float[Tensor, "columns"]
    """The keys of each column."""
    masses: Float[Tensor, "columns"]
    """With orthonormal values, how much each column counts in the squared error: as many times as it has keys."""
    head_weights: Float[Tensor, "heads"]
    values: Float[Tensor, "keys value"] | None
    """None: orthonormal values, one per key."""
    pulls: Float[Tensor, "columns coordinates"] | None
    """The sum of v_i − t over each column's keys; in fewer coordinates than the values have, if possible."""
    aim: Float[Tensor, "aims"]
    """With orthonormal values, the mean of the target over each column's keys; else the target in those coordinates."""
    rest: float
    target_square: float
    most_error: float
    """The largest ‖c − t‖² that any weights could give."""
    sink: float
    score_size: float
    """The largest k_iᵀq of the keys' means, computed in float64; its rounding is relative to this."""
    logit_size: float
    """The largest logit after the common shift is removed; all other rounding is relative to this."""

    def rounding(self, dtype: torch.dtype) -> float:
        """The rounding error of a weight in the given precision; times `most_error`, that of the squared error. It is
        at most 1, as weights are from 0 to 1."""
        # Rounding is half an eps: once for each score in float64, then for each logit, then a few times in the softmax.
        mine, double = torch.finfo(dtype).eps / 2, torch.finfo(torch.float64).eps / 2
        return min(mine * (8 + self.logit_size) + double * self.score_size, 1.0)

    def weights(self, logits: Float[Tensor, "points heads columns"]) -> Float[Tensor, "points heads columns"]:
        """The weight α of one key of each column, in each head."""
        return softmax(logits + self.log_counts.to(logits.dtype), sink=self.sink) / self.counts.to(logits.dtype)

    @cached_property
    def log_counts(self) -> Float[Tensor, "columns"]:
        """The gain of a column's logit from holding several keys."""
        return self.counts.log()

    def combine(self, weights: Float[Tensor, "points heads columns"]) -> Float[Tensor, "points columns"]:
        """The weight of one key of each column in the output, Σ_h w_h α_h."""
        return self.head_weights.to(weights.dtype) @ weights

    def squared_error(self, combined: Float[Tensor, "points columns"]) -> Float[Tensor, "points"]:
        """‖c − target‖²."""
        aim = self.aim.to(combined.dtype)
        if self.pulls is None:
            return (combined - aim).square() @ self.masses.to(combined.dtype) + self.rest
        missing = combined @ self.counts.to(combined.dtype) - 1
        return torch.addmm(missing[:, None] * aim, combined, self.pulls.to(combined.dtype)).square().sum(1)


class ReadoutOptions(TypedDict, total=False):
    """The options of `readout`, for callers that pass them on."""

    values: Float[Tensor, "keys value"] | None
    head_weights: Float[Tensor, "heads"] | None
    normalise_keys: bool
    sink: float


def readout(
    keys: NoisyKeys,
    queries: Float[Tensor, "*heads dim"],
    target: Float[Tensor, "value"],
    *,
    values: Float[Tensor, "keys value"] | None = None,
    head_weights: Float[Tensor, "heads"] | None = None,
    normalise_keys: bool = False,
    sink: float = 0.0,
) -> Readout:
    """The readout of `queries` on `keys`, with checked inputs.

    `queries` is one query (dim,) or one per head (heads, dim). `head_weights` are the heads' shares of the output,
    equal by default. Without `values`, the values are orthonormal, one per key, and `target` is one weight per key.
    Everything is computed on the keys' device.
    """
    device = keys.means.device
    queries = exact_matrix("queries", torch.atleast_2d(queries), "heads", "dim").to(device)
    count, dim = keys.means.shape
    if queries.shape[1] != dim:
        raise ArgumentError("queries", f"expected the dim of the keys, {dim}, got shape {shape_of(queries)}")
    heads = len(queries)
    if head_weights is None:
        head_weights = queries.new_full((heads,), 1 / heads)
    head_weights = exact_vector("head_weights", head_weights, heads).to(device)
    check_at_least("sink", sink, 0)
    if values is not None:
        values = exact_matrix("values", values, "keys", "value").to(device)
        if len(values) != count:
            raise ArgumentError("values", f"expected {count} rows, one per key, got shape {shape_of(values)}")
    target = exact_vector("target", target, count if values is None else values.shape[1]).to(device)
    logits = noisy_logits(keys, queries, normalise_keys=normalise_keys, shift_free=sink == 0.0)
    columns = logits.columns
    counts = target.new_zeros(columns).index_add(0, logits.column, target.new_ones(count))
    if values is None:
        aim = target.new_zeros(columns).index_add(0, logits.column, target) / counts
        pulls, rest = None, float((target - aim[logits.column]).square().sum())
    else:
        pulls, aim, rest = *_pulls(values, target, logits.column, columns), 0.0
    scores = mean_logits(keys, queries, shift_free=False)
    common = scores.mean(1, keepdim=True) if sink == 0.0 and not normalise_keys else 0.0
    sizes = float(scores.abs().max()), float((scores - common).abs().max())
    square = float(target @ target)
    most = _most_error(values, target, square, head_weights, sink)
    return Readout(logits, counts, counts, head_weights, values, pulls, aim, rest, square, most, sink, *sizes)


def _pulls(values: Tensor, target: Tensor, column: Tensor, columns: int) -> tuple[Tensor, Tensor]:
    """The pulls of the columns and the target, rotated into as few coordinates as possible."""
    pulls = values.new_zeros(columns, values.shape[1]).index_add(0, column, values - target)
    if values.shape[1] > columns + 1:
        turned = torch.linalg.qr(torch.cat([pulls, target[None]]).mT, mode="r").R.mT
        pulls, target = turned[:-1], turned[-1]
    return pulls, target


def _most_error(values: Tensor | None, target: Tensor, square: float, head_weights: Tensor, sink: float) -> float:
    """The largest ‖c − t‖² of any weights: c − t = Σ_i a_i (v_i − t) + s t, by the triangle inequality."""
    if values is None:
        farthest = math.sqrt(max(0.0, 1 - 2 * float(target.min()) + square))
    else:
        farthest = float((values - target).norm(dim=1).max())
    shares = head_weights.tolist()
    sums = [sum(shares)] if sink == 0.0 else [0.0, sum(max(w, 0) for w in shares), sum(min(w, 0) for w in shares)]
    return (sum(map(abs, shares)) * farthest + max(abs(s - 1) for s in sums) * math.sqrt(square)) ** 2
