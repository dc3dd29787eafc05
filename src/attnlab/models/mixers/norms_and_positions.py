"""Norms, and rotary positions of queries and keys; each can also be the identity."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.models.transformer_config import Norm, TransformerConfig


def make_norm(width: int, kind: Norm, *, learned: bool = True, bias: bool = False) -> nn.Module:
    """RMS norm or layer norm; on a CPU, layer norm is faster, because torch has a fused kernel for it."""
    if kind == "layer":
        return nn.LayerNorm(width, elementwise_affine=learned, bias=bias)
    return RMSNorm(width, eps=1e-5, elementwise_affine=learned)


class RMSNorm(nn.RMSNorm):
    """RMS norm, computed in the precision of its gains: for another one torch has no fused kernel, and warns."""

    def forward(self, x: Tensor) -> Tensor:
        """x divided by its root mean square, times the gains, in the precision of x."""
        return super().forward(x if self.weight is None else x.to(self.weight.dtype)).type_as(x)


def make_qk_norm(config: TransformerConfig) -> nn.Module:
    """The norm of a head's queries or keys, or the identity.

    Normalised vectors have length √dim, so logits reach √dim: enough for a weight near 1 on one token. With a learned
    gain, each coordinate has its own factor, which the heads of a layer share.
    """
    return make_norm(config.dim, config.norm, learned=config.qk_gain) if config.qk_norm else AsItIs()


class AsItIs(nn.Module):
    """The identity, for heads without rotary positions or without norms."""

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """x."""
        return x


class Rotary(nn.Module):
    """Rotary positions: rotate each pair (x_i, x_{i+dim/2}) by the angle position · 10,000^(−2i/dim), so that a dot
    product depends on the distance of two tokens (Su et al. 2021)."""

    def __init__(self, dim: int, context: int):
        super().__init__()
        self.cos: Tensor
        self.sin: Tensor
        speeds = 10_000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
        angles = torch.outer(torch.arange(context, dtype=torch.float64), speeds)
        self.register_buffer("cos", angles.cos().float(), persistent=False)
        self.register_buffer("sin", angles.sin().float(), persistent=False)

    def forward(
        self, x: Float[Tensor, "batch heads positions dim"], start: int = 0
    ) -> Float[Tensor, "batch heads positions dim"]:
        """The rotated vectors of the positions start, start + 1, …"""
        cos, sin = (table[start : start + x.shape[2]].to(x.dtype) for table in (self.cos, self.sin))
        left, right = x.chunk(2, dim=-1)
        return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)


def make_turn(config: TransformerConfig) -> nn.Module:
    """Rotary positions for a head's queries and keys, or the identity."""
    return Rotary(config.dim, config.context) if config.turned else AsItIs()
