"""The base class of optimisers: groups of parameters with settings, and a state of each parameter.

It replaces torch.optim.Optimizer, which imports torch's compiler and so adds a second to every start.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn


class Optimiser(ABC):
    """Updates parameters by their gradients. A group is a dict: `params`, `rate` and the method's own settings."""

    def __init__(self, groups: list[dict[str, Any]]):
        self.groups = groups
        self.memory: dict[nn.Parameter, dict[str, Tensor]] = {p: {} for group in groups for p in group["params"]}

    @torch.no_grad()
    def step(self) -> None:
        """One update of every parameter that has a gradient."""
        for group in self.groups:
            moving = [p for p in group["params"] if p.grad is not None]
            if moving:
                self.move(moving, group)

    @abstractmethod
    def move(self, parameters: list[nn.Parameter], group: dict[str, Any]) -> None:
        """One update of a group's parameters."""

    def tensors(self) -> dict[str, Tensor]:
        """The state of all parameters, by the parameter's number and the name of the tensor."""
        remembered = enumerate(self.memory.values())
        return {f"{number}.{key}": tensor for number, memory in remembered for key, tensor in memory.items()}

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore the state from a checkpoint."""
        numbered = dict(enumerate(self.memory.items()))
        for name, tensor in tensors.items():
            number, key = name.split(".", 1)
            parameter, memory = numbered[int(number)]
            memory[key] = tensor.to(parameter.device, copy=True)


def gradients(parameters: list[nn.Parameter]) -> list[Tensor]:
    """The gradients of parameters; every parameter must have one."""
    return [p.grad for p in parameters if p.grad is not None]
