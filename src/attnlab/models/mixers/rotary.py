"""Rotary positions."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.models.mixers.norms import AsItIs
from attnlab.models.transformer_config import TransformerConfig


class Rotary(nn.Module):
    """Positions as angles: pair (x_i, x_{i+dim/2}) is turned by position · base^(−2i/dim), so that a dot product
    depends on how far apart two tokens are (Su et al. 2021)."""

    def __init__(self, dim: int, context: int, base: float = 10_000.0):
        super().__init__()
        self.cos: Tensor
        self.sin: Tensor
        speeds = base ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
        angles = torch.outer(torch.arange(context, dtype=torch.float64), speeds)
        self.register_buffer("cos", angles.cos().float(), persistent=False)
        self.register_buffer("sin", angles.sin().float(), persistent=False)

    def forward(
        self, x: Float[Tensor, "batch heads positions dim"], start: int = 0
    ) -> Float[Tensor, "batch heads positions dim"]:
        """The vectors of positions start, start + 1, …, turned."""
        cos, sin = (table[start : start + x.shape[2]].to(x.dtype) for table in (self.cos, self.sin))
        left, right = x.chunk(2, dim=-1)
        return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)


def make_turn(config: TransformerConfig) -> nn.Module:
    """What turns a head's queries and keys by their positions, where that is how these come in."""
    return Rotary(config.dim, config.context) if config.turned else AsItIs()
