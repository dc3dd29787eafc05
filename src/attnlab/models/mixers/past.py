"""The past: what a position may look at is itself and all before it."""

import torch
from jaxtyping import Float
from torch import Tensor


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
