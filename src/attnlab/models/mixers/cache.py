"""What a Transformer keeps of the tokens that it has seen."""

from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor


@dataclass
class Cache:
    """What the mixers keep of the tokens seen so far, layer by layer, so that a new token costs one step, not all.

    What that is, the mixer knows: all keys and values, all values, or sums that do not grow.
    """

    length: int = 0
    kept: dict[int, tuple[Tensor, ...]] = field(default_factory=dict)

    def extended(self, layer: int, *new: Float[Tensor, "batch heads new _"]) -> tuple[Tensor, ...]:
        """All that a layer keeps of each position, the new ones last; they are kept."""
        if layer in self.kept:
            new = tuple(torch.cat(both, dim=2) for both in zip(self.kept[layer], new, strict=True))
        self.kept[layer] = new
        return new

    def picked(self, rows: Int[Tensor, " picked"]) -> "Cache":
        """What is kept of these rows of the batch, some perhaps several times."""
        return Cache(self.length, {layer: tuple(each[rows] for each in kept) for layer, kept in self.kept.items()})
