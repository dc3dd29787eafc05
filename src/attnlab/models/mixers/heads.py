"""One vector of all heads, and the vectors of each."""

from jaxtyping import Float
from torch import Tensor


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
