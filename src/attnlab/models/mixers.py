"""Mixers: how a token's vector takes in those of the tokens before it. A Transformer has one in each block.

Every mixer maps (batch, positions, width) to the same, and is causal: position i sees positions up to i and no later.
"""

from dataclasses import dataclass, field
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

Positions = Literal["rotary", "learned"]
Norm = Literal["rms", "layer"]


@dataclass
class Cache:
    """The keys and values of the tokens seen so far, layer by layer, so that a new token costs one step, not all."""

    length: int = 0
    keys: list[Float[Tensor, "batch heads positions dim"]] = field(default_factory=list)
    values: list[Float[Tensor, "batch heads positions dim"]] = field(default_factory=list)

    def extended(
        self, layer: int, keys: Float[Tensor, "batch heads new dim"], values: Float[Tensor, "batch heads new dim"]
    ) -> tuple[Tensor, Tensor]:
        """All keys and values of a layer, the new ones last; they are kept."""
        if layer == len(self.keys):
            self.keys.append(keys)
            self.values.append(values)
        else:
            self.keys[layer] = torch.cat([self.keys[layer], keys], dim=2)
            self.values[layer] = torch.cat([self.values[layer], values], dim=2)
        return self.keys[layer], self.values[layer]


class DotProduct(nn.Module):
    """Dot-product attention of several heads: softmax(QKᵀ/√dim)V, each position seeing those up to it."""

    def __init__(
        self,
        width: int,
        heads: int,
        context: int,
        *,
        positions: Positions = "rotary",
        qk_norm: Norm | None = None,
        bias: bool = False,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.heads = heads
        dim = width // heads
        self.qkv = nn.Linear(width, 3 * width, bias=bias)
        self.out = nn.Linear(width, width, bias=bias)
        self.turn = Rotary(dim, context) if positions == "rotary" else as_it_is
        # Normalised queries and keys have length √dim, so logits of up to √dim: enough to be sure of a token.
        self.normalise = make_norm(dim, qk_norm, learned=False) if qk_norm else as_it_is
        self.dropout = dropout

    def forward(
        self, x: Float[Tensor, "batch positions width"], cache: Cache | None = None, layer: int = 0
    ) -> Float[Tensor, "batch positions width"]:
        """The mixed vectors. With a cache, x are the positions after those in it."""
        batch, positions, width = x.shape
        q, k, v = self.qkv(x).view(batch, positions, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        start = cache.length if cache is not None else 0
        q, k = self.turn(self.normalise(q), start), self.turn(self.normalise(k), start)
        if cache is not None:
            k, v = cache.extended(layer, k, v)
        mixed = self._attend(q, k, v, start)
        mixed = self.out(mixed.transpose(1, 2).reshape(batch, positions, width))
        return functional.dropout(mixed, self.dropout, self.training)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, start: int) -> Float[Tensor, "batch heads positions dim"]:
        """softmax(QKᵀ/√dim)V; the queries are those of the last positions."""
        positions = q.shape[2]
        dropout = self.dropout if self.training else 0.0
        if q.device.type == "cpu" and self.training and positions <= SHORT and not dropout:
            return written_out(q, k, v)
        return functional.scaled_dot_product_attention(
            q,
            k,
            v,
            attn_mask=later_mask(positions, start, q.device) if start and positions > 1 else None,
            is_causal=start == 0 and positions > 1,
            dropout_p=dropout,
        )


SHORT = 256
"""Up to so many positions, torch's fused attention is slower on a CPU than its formula: 2 to 5 times in bfloat16, with
the gradient."""


def written_out(q: Tensor, k: Tensor, v: Tensor) -> Float[Tensor, "batch heads positions dim"]:
    """softmax(QKᵀ/√dim)V as it stands, each position seeing those up to it."""
    logits = (q * q.shape[-1] ** -0.5) @ k.mT
    later = torch.full(logits.shape[-2:], -torch.inf, dtype=logits.dtype).triu(1)
    # torch's autocast would make a softmax without a dtype float32, and copy twice
    return torch.softmax(logits + later, -1, dtype=logits.dtype) @ v


def make_norm(width: int, kind: Norm, *, learned: bool = True, bias: bool = False) -> nn.Module:
    """A norm of vectors: their root mean square, or mean and deviation; on a CPU torch has only the latter fused."""
    if kind == "layer":
        return nn.LayerNorm(width, elementwise_affine=learned, bias=bias)
    return nn.RMSNorm(width, eps=1e-5, elementwise_affine=learned)


def later_mask(positions: int, start: int, device: torch.device) -> Tensor:
    """True where position start + i may look: at everything cached, and at the new ones up to itself."""
    return torch.ones(positions, start + positions, dtype=torch.bool, device=device).tril(diagonal=start)


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


def as_it_is(x: Tensor, start: int = 0) -> Tensor:
    """The same vectors, where they are not turned or not normalised."""
    return x
