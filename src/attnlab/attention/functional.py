"""Attention as mathematics: scores, masks, weights, mixing.

    logits_i = scale · k_iᵀq
    α_i      = exp(logits_i) / (sink + Σ_j exp(logits_j))
    c        = Σ_i α_i v_i

Axes, everywhere in the lab: batch, heads, queries, keys, dim. Heads are one more batch axis, before the queries.
Half-precision inputs are scored and weighed in float32; only the output returns to their precision.

Vaswani et al., "Attention is all you need", 2017. The scale is 1 here, as the mathematics is written;
`scale=dim**-0.5` is that paper's. The sink is Miller, "Attention is off by one", 2023.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attnlab.attention.argument_checks import (
    as_number,
    check_at_least,
    check_finite,
    check_floating,
    check_tensor,
    check_whole,
    shape_of,
)
from attnlab.errors import ArgumentError


@dataclass(frozen=True)
class Attention:
    """The result of attention: the logits after the mask, the weights α, and the output c."""

    logits: Float[Tensor, "*batch keys"]
    weights: Float[Tensor, "*batch keys"]
    output: Float[Tensor, "*batch value"]


def attend(
    query: Float[Tensor, "*#batch dim"],
    keys: Float[Tensor, "*#keybatch keys dim"],
    values: Float[Tensor, "*#valuebatch keys value"],
    *,
    scale: float = 1.0,
    mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None = None,
    sink: float = 0.0,
    grouped: bool = False,
) -> Attention:
    """The logits, weights and output of attention of `query` over `keys` and `values`.

    `query` is (…, queries, dim), or (dim,) for one query. For `mask` see `mask_logits`, for `sink` see `softmax`.
    `grouped`: keys and values have fewer heads (axis −3); consecutive heads of the query share one, as with torch's
    `enable_gqa`.

    >>> keys = torch.eye(3)
    >>> attend(20 * (keys[0] + keys[1]), keys, values=keys).output
    tensor([5.0000e-01, 5.0000e-01, 1.0306e-09])
    """
    if grouped:
        keys, values = (_one_a_head(name, each, query) for name, each in (("keys", keys), ("values", values)))
    logits = scores(query, keys, scale=scale)
    one = query.ndim == 1
    logits = mask_logits(logits.unsqueeze(-2) if one else logits, mask)
    weights = softmax(logits, sink=sink)
    output = mix(weights, values)
    if one:
        logits, weights, output = logits.squeeze(-2), weights.squeeze(-2), output.squeeze(-2)
    return Attention(logits, weights, output)


def scores(
    query: Float[Tensor, "*#batch dim"], keys: Float[Tensor, "*#keybatch keys dim"], *, scale: float = 1.0
) -> Float[Tensor, "*batch2 keys"]:
    """The logits scale · k_iᵀq of every query against every key."""
    check_floating("query", query)
    check_floating("keys", keys)
    if keys.ndim < 2 or keys.shape[-2] == 0:
        raise ArgumentError("keys", f"expected (…, keys, dim) with at least one key, got shape {shape_of(keys)}")
    if query.ndim < 1 or query.shape[-1] != keys.shape[-1]:
        raise ArgumentError("keys", f"expected the dim of the query, {shape_of(query)}, got {shape_of(keys)}")
    as_number("scale", scale)
    precision = _precision(query, keys)
    rows = torch.atleast_2d(query.to(precision))
    _check_axes("keys", rows, keys, own=2)
    logits = scale * rows @ keys.to(precision).mT
    if not bool(torch.isfinite(logits).all()):
        check_finite("query", query)
        check_finite("keys", keys)
        raise ArgumentError("scale", f"the scores overflow {precision}; use smaller queries, keys or a smaller scale")
    return logits.squeeze(-2) if query.ndim == 1 else logits


def mask_logits(
    logits: Float[Tensor, "*batch keys"], mask: Bool[Tensor, "..."] | Float[Tensor, "..."] | None
) -> Float[Tensor, "*batch keys"]:
    """The masked logits. A boolean mask is True where a key may be read; a mask of numbers is added, −inf for never."""
    check_floating("logits", logits)
    if mask is None:
        return logits
    check_tensor("mask", mask)
    _check_axes("mask", logits, mask)
    if mask.dtype == torch.bool:
        return logits.masked_fill(~mask, -torch.inf)
    check_floating("mask", mask)
    if bool((mask.isnan() | mask.isposinf()).any()):
        raise ArgumentError("mask", "expected finite numbers or -inf, got NaN or +inf")
    return logits + mask.to(logits.dtype)


def causal_mask(
    queries: int, keys: int | None = None, *, device: torch.device | str | None = None
) -> Bool[Tensor, "queries keys"]:
    """The mask with which query t reads keys 0 … t and no later key.

    >>> causal_mask(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    shape = (queries, queries if keys is None else keys)
    for name, size in zip(("queries", "keys"), shape, strict=True):
        check_whole(name, size, 0)
    return torch.ones(shape, dtype=torch.bool, device=device).tril()


def logit_lead(logits: Float[Tensor, "*batch keys"]) -> Float[Tensor, "*batch"]:
    """How far the largest logit is above the mean of the others, of which there must be at least one.

    >>> logit_lead(torch.tensor([5.0, 1.0, 3.0]))
    tensor(3.)
    """
    most, at = logits.max(-1, keepdim=True)
    others = logits.scatter(-1, at, 0.0).sum(-1) / (logits.shape[-1] - 1)
    return most.squeeze(-1) - others


def softmax(logits: Float[Tensor, "*batch keys"], *, sink: float = 0.0) -> Float[Tensor, "*batch keys"]:
    """The weights exp(ℓ_i) / (sink + Σ_j exp(ℓ_j)), exact for logits of any size.

    With `sink` = 0 they sum to 1. With a positive sink they sum to less than 1, so a head can attend to nothing.
    If all keys of a row are masked, and there is no sink, softmax is undefined: that is an error, never NaN.

    >>> softmax(torch.tensor([1e4, -1e4, -torch.inf]))
    tensor([1., 0., 0.])
    """
    check_at_least("sink", sink, 0)
    check_floating("logits", logits)
    if logits.ndim < 1 or logits.shape[-1] == 0:
        raise ArgumentError("logits", f"expected (…, keys) with at least one key, got shape {shape_of(logits)}")
    top = logits.detach().amax(-1, keepdim=True)
    log_sink = math.log(sink) if sink > 0.0 else -math.inf
    top = top.clamp_min(log_sink)
    if not bool(torch.isfinite(top).all()):
        _raise_no_weights(top)
    powers = torch.exp(logits - top)
    return powers / (powers.sum(-1, keepdim=True) + torch.exp(log_sink - top))


def mix(
    weights: Float[Tensor, "*#batch keys"], values: Float[Tensor, "*#valuebatch keys value"]
) -> Float[Tensor, "*batch2 value"]:
    """The outputs Σ_i α_i v_i, in the precision of the values."""
    check_floating("weights", weights)
    check_floating("values", values)
    if weights.ndim < 1:
        raise ArgumentError("weights", "expected (…, keys), got one number")
    if values.ndim < 2 or values.shape[-2] != weights.shape[-1]:
        expected = f"expected (…, {weights.shape[-1]} keys, dim), one value per key"
        raise ArgumentError("values", f"{expected}, got shape {shape_of(values)}")
    check_finite("weights", weights)
    check_finite("values", values)
    precision = _precision(weights, values)
    rows = torch.atleast_2d(weights.to(precision))
    _check_axes("values", rows, values, own=2)
    output = rows @ values.to(precision)
    return (output.squeeze(-2) if weights.ndim == 1 else output).to(values.dtype)


def average_heads(
    outputs: Float[Tensor, "*batch heads queries value"], weights: Float[Tensor, "heads"] | None = None
) -> Float[Tensor, "*batch queries value"]:
    """The mean of the heads' outputs, or their sum with the given weights."""
    _check_heads(outputs)
    if weights is None:
        return outputs.mean(-3)
    check_floating("weights", weights)
    check_finite("weights", weights)
    if weights.shape != outputs.shape[-3:-2]:
        raise ArgumentError("weights", f"expected {outputs.shape[-3]} numbers, one per head, got {shape_of(weights)}")
    return torch.einsum("h,...hqv->...qv", weights.to(outputs.dtype), outputs)


def concatenate_heads(
    outputs: Float[Tensor, "*batch heads queries value"],
) -> Float[Tensor, "*batch queries both"]:
    """The heads' outputs side by side, head 0 first."""
    _check_heads(outputs)
    return outputs.transpose(-3, -2).flatten(-2)


def _precision(*tensors: Tensor) -> torch.dtype:
    """The precision to compute in: the widest of the inputs', and at least float32."""
    widest = torch.float32
    for tensor in tensors:
        widest = torch.promote_types(widest, tensor.dtype)
    return widest


def _check_axes(name: str, first: Tensor, second: Tensor, own: int = 0) -> None:
    """Raise unless both are on one device, and their axes, apart from the last `own`, broadcast."""
    if first.device != second.device:
        raise ArgumentError(name, f"expected device {first.device}, got {second.device}")
    shapes = [tensor.shape[: tensor.ndim - own] for tensor in (first, second)]
    try:
        np.broadcast_shapes(*shapes)  # torch's own imports 500 modules at its first call
    except ValueError:
        words = f"expected axes that broadcast with {shape_of(first)}, got {shape_of(second)}"
        raise ArgumentError(name, words) from None


def _one_a_head(name: str, shared: Tensor, query: Tensor) -> Tensor:
    """Keys or values, repeated so that each head of the query has its own."""
    check_floating("query", query)
    check_floating(name, shared)
    heads, groups = (tensor.shape[-3] if tensor.ndim >= 3 else 0 for tensor in (query, shared))
    if not heads or not groups or heads % groups:
        whole = f"expected heads (axis -3) that divide those of the query, {shape_of(query)}"
        raise ArgumentError(name, f"{whole}, got {shape_of(shared)}")
    return shared.repeat_interleave(heads // groups, -3)


def _check_heads(outputs: Tensor) -> None:
    """Raise unless the outputs have an axis of heads."""
    check_floating("outputs", outputs)
    if outputs.ndim < 3 or outputs.shape[-3] == 0:
        raise ArgumentError("outputs", f"expected (…, heads, queries, dim), got shape {shape_of(outputs)}")


def _raise_no_weights(top: Float[Tensor, "*batch 1"]) -> None:
    """Raise an error that says which row of the logits has no softmax, and why."""
    row = torch.nonzero(~torch.isfinite(top.squeeze(-1)))[0].tolist()
    where = f"row {row}" if row else "the row"
    if bool(top.isneginf().any()):
        raise ArgumentError("mask", f"{where} masks every key; expected at least one key that may be read")
    raise ArgumentError("logits", f"{where} holds NaN or +inf; expected finite numbers or -inf")
