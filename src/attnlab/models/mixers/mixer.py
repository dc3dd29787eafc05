"""What all mixers share: the base class, heads side by side, the softmax over earlier positions, and the cache."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional

from attnlab.errors import ArgumentError
from attnlab.models.lens import LayerHeads, Lens
from attnlab.models.transformer_config import TransformerConfig


class Mixer(nn.Module, ABC):
    """What all mixers share: each head has an output, and a projection adds the outputs to the residual stream."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.heads, self.dropout = config.heads, config.dropout
        self.out: nn.Linear

    def forward(
        self,
        x: Float[Tensor, "batch positions width"],
        cache: "Cache | None" = None,
        layer: int = 0,
        lens: Lens | None = None,
    ) -> Float[Tensor, "batch positions width"]:
        """The mixed vectors. With a cache, x holds the positions after the cached ones."""
        if lens is None:
            outputs = self.outputs(x, cache, layer)
        elif not lens.slow:
            outputs = lens.changed(layer, self.outputs(x, cache, layer))
        elif cache is None:
            outputs = lens.passed(layer, self.look(x))
        else:
            raise ArgumentError("lens", "a pass with a cache can change outputs, but not show or change weights")
        return functional.dropout(self.out(join_heads(outputs)), self.dropout, self.training)

    @abstractmethod
    def outputs(
        self, x: Float[Tensor, "batch positions width"], cache: "Cache | None" = None, layer: int = 0
    ) -> Float[Tensor, "batch heads positions dim"]:
        """The output of each head, in the fastest way."""

    @abstractmethod
    def look(self, x: Float[Tensor, "batch positions width"]) -> LayerHeads:
        """The same, with everything that the heads computed on the way; without dropout of weights."""


def split_heads(
    x: Float[Tensor, "batch positions all"], heads: int, parts: int = 1
) -> Float[Tensor, "parts batch heads positions dim"]:
    """The vectors of each head, for each of several parts that are side by side in x (queries, keys, values).

    >>> import torch
    >>> split_heads(torch.zeros(2, 7, 24), heads=4, parts=3).shape
    torch.Size([3, 2, 4, 7, 2])
    """
    batch, positions, _ = x.shape
    return x.view(batch, positions, parts, heads, -1).permute(2, 0, 3, 1, 4)


def join_heads(x: Float[Tensor, "batch heads positions dim"]) -> Float[Tensor, "batch positions width"]:
    """The heads' vectors side by side, head 0 first."""
    return x.transpose(1, 2).flatten(2)


def past_softmax(logits: Float[Tensor, "*batch queries keys"]) -> Float[Tensor, "*batch queries keys"]:
    """The weights of each position on itself and earlier positions; the queries are the last positions.

    >>> past_softmax(torch.zeros(2, 3))
    tensor([[0.5000, 0.5000, 0.0000],
            [0.3333, 0.3333, 0.3333]])
    """
    queries, keys = logits.shape[-2:]
    # without a dtype, torch's autocast would make the softmax float32 and copy twice
    return torch.softmax(logits + later(queries, keys, logits), -1, dtype=logits.dtype)


def later(queries: int, keys: int, like: Tensor) -> Float[Tensor, "queries keys"]:
    """The causal mask to add to logits: −∞ if the key comes after the query, else 0; dtype and device are `like`'s.

    >>> later(2, 3, torch.zeros(1))
    tensor([[0., 0., -inf],
            [0., 0., 0.]])
    """
    return torch.full((queries, keys), -torch.inf, dtype=like.dtype, device=like.device).triu(1 + keys - queries)


@dataclass
class Cache:
    """What the mixers keep of the tokens seen so far, for each layer, so that a new token does not compute them again.

    Dot products keep all keys and values, synthesizers all values, a perceiver sums of constant size.
    """

    length: int = 0
    kept: dict[int, tuple[Tensor, ...]] = field(default_factory=dict)

    def extended(self, layer: int, *new: Float[Tensor, "batch heads new _"]) -> tuple[Tensor, ...]:
        """Append tensors of new positions to those that a layer keeps, and return all of them."""
        if layer in self.kept:
            new = tuple(torch.cat(both, dim=2) for both in zip(self.kept[layer], new, strict=True))
        self.kept[layer] = new
        return new

    def picked(self, rows: Int[Tensor, " picked"]) -> "Cache":
        """The cache of some rows of the batch; a row may occur several times."""
        return Cache(self.length, {layer: tuple(each[rows] for each in kept) for layer, kept in self.kept.items()})
