"""Stochastic gradient descent, as a first course teaches it: w ← (1 − ηλ)w − ηg."""

from typing import Any

from torch import nn

from attnlab.training.optimisers.base import Optimiser, gradients


class SGD(Optimiser):
    """Gradient descent without momentum; a group has a `weight_decay`."""

    def move(self, parameters: list[nn.Parameter], group: dict[str, Any]) -> None:
        """One update of a group's parameters."""
        rate, decay = group["rate"], group["weight_decay"]
        for parameter, gradient in zip(parameters, gradients(parameters), strict=True):
            if decay:
                parameter.mul_(1 - rate * decay)
            parameter.sub_(rate * gradient)
