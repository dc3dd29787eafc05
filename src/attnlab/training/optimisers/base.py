"""What optimisers have in common: groups of parameters, each with settings, and a memory of each parameter.

torch.optim.Optimizer would serve, but making the first one imports all of torch's compiler: a second at every start.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn


class Optimiser(ABC):
    """Moves parameters along their gradients. A group is a dict: `params`, `rate` and what else the method asks for."""

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
        """All that is remembered, by the parameter's number and what it is."""
        remembered = enumerate(self.memory.values())
        return {f"{number}.{key}": tensor for number, memory in remembered for key, tensor in memory.items()}

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Remember what a checkpoint holds."""
        numbered = dict(enumerate(self.memory.items()))
        for name, tensor in tensors.items():
            number, key = name.split(".", 1)
            parameter, memory = numbered[int(number)]
            memory[key] = tensor.to(parameter.device, copy=True)


def gradients(parameters: list[nn.Parameter]) -> list[Tensor]:
    """Their gradients, which they must have."""
    return [p.grad for p in parameters if p.grad is not None]
