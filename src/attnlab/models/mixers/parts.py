"""What mixers are put together from: heads, norms, rotary positions, the softmax over the past, and the cache."""

from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attnlab.models.transformer_config import Norm, TransformerConfig


def split_heads(
    x: Float[Tensor, "batch positions all"], heads: int, parts: int = 1
) -> Float[Tensor, "parts batch heads positions dim"]:
    """The vectors of each head; of several parts that stand side by side (queries, keys, values), each.

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
    """The weights of each position over those up to it; the queries are the last of the positions.

    >>> past_softmax(torch.zeros(2, 3))
    tensor([[0.5000, 0.5000, 0.0000],
            [0.3333, 0.3333, 0.3333]])
    """
    queries, keys = logits.shape[-2:]
    # torch's autocast would make a softmax without a dtype float32, and copy twice
    return torch.softmax(logits + later(queries, keys, logits), -1, dtype=logits.dtype)


def later(queries: int, keys: int, like: Tensor) -> Float[Tensor, "queries keys"]:
    """What is added to logits: −∞ where the key comes after the query, else 0; of the dtype and on the device of
    another tensor.

    >>> later(2, 3, torch.zeros(1))
    tensor([[0., 0., -inf],
            [0., 0., 0.]])
    """
    return torch.full((queries, keys), -torch.inf, dtype=like.dtype, device=like.device).triu(1 + keys - queries)


def make_norm(width: int, kind: Norm, *, learned: bool = True, bias: bool = False) -> nn.Module:
    """A norm of vectors: their root mean square, or mean and deviation; on a CPU torch has only the latter fused."""
    if kind == "layer":
        return nn.LayerNorm(width, elementwise_affine=learned, bias=bias)
    return nn.RMSNorm(width, eps=1e-5, elementwise_affine=learned)


def make_qk_norm(config: TransformerConfig) -> nn.Module:
    """The norm of a head's queries and keys, or nothing.

    Normalised, they have length √dim, so logits of up to √dim: enough to be sure of a token.
    """
    return make_norm(config.dim, config.norm, learned=False) if config.qk_norm else AsItIs()


class AsItIs(nn.Module):
    """The same vectors, where they are not turned or not normalised."""

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """x."""
        return x


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
