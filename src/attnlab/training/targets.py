"""The targets of a batch: the token that the model should predict at each position, or that it predicts none there."""

from jaxtyping import Bool, Int
from torch import Tensor

NOT_LEARNT = -100
"""The target at a position that the model only reads. torch's loss ignores this target."""


def learnt(targets: Int[Tensor, "*batch"]) -> Bool[Tensor, "*batch"]:
    """Which targets are learnt.

    >>> import torch
    >>> learnt(torch.tensor([0, NOT_LEARNT]))
    tensor([ True, False])
    """
    return targets != NOT_LEARNT
