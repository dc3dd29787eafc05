"""From logits to what is asked: weights, their combination over heads, and the distance to a target."""

from dataclasses import dataclass
from typing import TypedDict

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.attention.functional import softmax
from attnlab.attention.inputs import check_at_least, exact_matrix, exact_vector, shape_of
from attnlab.attention.noise.keys import NoisyKeys
from attnlab.attention.noise.logits import Logits, ManyLogits, noisy_logits
from attnlab.errors import ArgumentError


@dataclass(frozen=True)
class Readout:
    """What is read off the logits of some keys: c = Σ_h w_h Σ_i α_hi v_i, against a target.

    For combined weights a and s = Σ_i a_i − 1, c − t = Σ_i a_i (v_i − t) + s t. So `gram` (V Vᵀ) and `pull` (V t) are
    all that ‖c − t‖² needs of the values, V holding one row a column, the sum of its keys' v_i − t: it is
    aᵀ(V Vᵀ)a + 2 s aᵀV t + s²‖t‖², and no digits are lost however far values and target are from 0.
    """

    logits: Logits | ManyLogits
    counts: Float[Tensor, "columns"]
    head_weights: Float[Tensor, "heads"]
    values: Float[Tensor, "keys value"] | None
    """None: orthonormal values, one a key."""
    gram: Float[Tensor, "columns columns"]
    pull: Float[Tensor, "columns"]
    target_square: float
    sink: float
    logit_size: float
    """The largest logit of the keys' means: what rounding of logits is measured by."""

    def rounding(self, dtype: torch.dtype) -> float:
        """What rounding may do to a weight, or to the squared error, in the given precision."""
        return torch.finfo(dtype).eps * (4 + self.logit_size)

    def weights(self, logits: Float[Tensor, "points heads columns"]) -> Float[Tensor, "points heads columns"]:
        """The weight α of one key of each column, in each head."""
        counts = self.counts.to(logits.dtype)
        return softmax(logits + counts.log(), sink=self.sink) / counts

    def combine(self, weights: Float[Tensor, "points heads columns"]) -> Float[Tensor, "points columns"]:
        """The weight of one key of each column in the output, Σ_h w_h α_h."""
        return self.head_weights.to(weights.dtype) @ weights

    def squared_error(self, combined: Float[Tensor, "points columns"]) -> Float[Tensor, "points"]:
        """‖c − target‖²."""
        gram, pull, counts = (x.to(combined.dtype) for x in (self.gram, self.pull, self.counts))
        rest = combined @ counts - 1
        return ((combined @ gram + 2 * rest[:, None] * pull) * combined).sum(1) + rest**2 * self.target_square


class ReadoutOptions(TypedDict, total=False):
    """The options of `readout`, for those who hand them on."""

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
    """The readout of `queries` on `keys`, its inputs checked.

    `queries` is one query (dim,) or one a head (heads, dim). `head_weights` are the heads' shares of the output, equal
    where none are given. Without `values`, they are orthonormal, one a key, and `target` is a weight a key. All is
    computed on the device of the keys.
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
            raise ArgumentError("values", f"expected {count} rows, one a key, got shape {shape_of(values)}")
    target = exact_vector("target", target, count if values is None else values.shape[1]).to(device)
    logits = noisy_logits(keys, queries, normalise_keys=normalise_keys, shift_free=sink == 0.0)
    columns = int(logits.column.max()) + 1
    counts = target.new_zeros(columns).index_add(0, logits.column, torch.ones_like(logits.column).double())
    square = float(target @ target)
    if values is None:
        part = target.new_zeros(columns).index_add(0, logits.column, target)
        gram = counts.diag() - counts[:, None] * part - part[:, None] * counts + square * counts[:, None] * counts
        pull = part - square * counts
    else:
        sums = values.new_zeros(columns, values.shape[1]).index_add(0, logits.column, values - target)
        gram, pull = sums @ sums.mT, sums @ target
    size = float((queries @ keys.means.mT).abs().max())
    return Readout(logits, counts, head_weights, values, gram, pull, square, sink, size)
