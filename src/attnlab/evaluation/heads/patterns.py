"""Scores of attention patterns on any text: where a head looks, how sharply, and what its keys and logits are like."""

import torch
from jaxtyping import Float
from torch import Tensor

from attnlab.models.lens import LayerHeads

Score = Float[Tensor, "batch heads"]
LEAST = 1e-12
"""A row of weights whose sum is below this counts as this: a mixer with a sink may leave all attention unused."""


def pattern_scores(seen: LayerHeads) -> dict[str, Score]:
    """The scores of each head of a layer in each window of the batch, of at least two tokens.

    The weights are read as few times as possible: they are by far the largest tensor.
    """
    weights, length = seen.weights, seen.weights.shape[-1]
    places = torch.arange(length, device=weights.device, dtype=weights.dtype)
    totals, firsts = (weights[..., 1:, :] @ torch.stack([torch.ones_like(places), places], 1)).unbind(-1)
    totals = totals.clamp_min(LEAST)
    entropy = torch.special.entr(weights[..., 1:, :]).sum(-1) / totals + totals.log()
    found = {
        "previous": weights.diagonal(-1, -2, -1).mean(-1),
        "self": weights.diagonal(0, -2, -1)[..., 1:].mean(-1),
        "first": weights[..., 1:, 0].mean(-1),
        "entropy": (entropy / (places[1:] + 1).log()).clamp(0, 1).mean(-1),
        "distance": (places[1:] - firsts / totals).mean(-1),
        "logit_range": logit_range(seen.logits),
    }
    if seen.keys is not None:
        found["key_spread"] = key_spread(seen.keys)
    return found


def logit_range(logits: Float[Tensor, "batch heads queries keys"]) -> Score:
    """The mean over rows, but the first, of the largest logit minus the smallest. Keys with −∞ do not count."""
    seen = logits[..., 1:, :]
    return (seen.amax(-1) - seen.masked_fill(seen.isneginf(), torch.inf).amin(-1)).mean(-1)


def key_spread(keys: Float[Tensor, "batch heads keys dim"]) -> Score:
    """The standard deviation of the lengths of keys, divided by their mean."""
    lengths = keys.norm(dim=-1)
    return lengths.std(-1, correction=0) / lengths.mean(-1).clamp_min(LEAST)


def uniform(length: int) -> Float[Tensor, "queries keys"]:
    """The weights of a head that spreads its attention evenly over all tokens so far."""
    return torch.ones(length, length, dtype=torch.float64).tril() / torch.arange(1, length + 1)[:, None]
