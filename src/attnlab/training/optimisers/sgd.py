"""Stochastic gradient descent, as a first course teaches it: w ← (1 − ηλ)w − ηg."""

from typing import Any

import torch
from torch import nn

from attnlab.training.optimisers.base import Optimiser, gradients


class SGD(Optimiser):
    """Gradient descent without momentum; a group has a `weight_decay`."""

    def move(self, parameters: list[nn.Parameter], group: dict[str, Any]) -> None:
        """One update of a group's parameters."""
        rate, moved = group["rate"], list(parameters)
        if group["weight_decay"]:
            torch._foreach_mul_(moved, 1 - rate * group["weight_decay"])
        torch._foreach_sub_(moved, torch._foreach_mul(gradients(parameters), rate))
