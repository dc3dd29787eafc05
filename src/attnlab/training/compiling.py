"""A loss compiled by torch, checked against the uncompiled one before it is used.

A wrong compiler gives no warning, and a model with a wrong gradient just seems to learn badly. So the lab computes the
gradient of the first batch both ways, with the same dropout.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnlab.errors import ArgumentError

Loss = Callable[[Tensor, Tensor], Tensor]

OFF = 0.1
"""The largest allowed error of a parameter's compiled gradient, relative to it; bfloat16 alone causes about 0.01."""
OF_ALL = 0.1
"""Errors are relative to a parameter's gradient plus this share of the whole gradient. Some gradients are rounding
errors only, for example that of the keys' bias, which does not change a softmax."""


def compiled(loss: Loss, model: nn.Module) -> Loss:
    """The loss, compiled by torch, with the same dropout as the uncompiled one."""
    return Checked(loss, torch.compile(loss, options={"fallback_random": True}), model)


@dataclass
class Checked:
    """A compiled loss that raises if its first gradient differs from the uncompiled one."""

    formula: Loss
    made: Loss
    model: nn.Module
    trusted: bool = False

    def __call__(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """The loss of a batch."""
        if not self.trusted:
            self._compare(inputs, targets)
            self.trusted = True
        return self.made(inputs, targets)

    def _compare(self, inputs: Tensor, targets: Tensor) -> None:
        wanted = self._gradient(self.formula, inputs, targets)
        from torch._dynamo.exc import TorchDynamoException  # imported here, because it takes a second

        try:
            found = self._gradient(self.made, inputs, targets)
        except TorchDynamoException as error:
            why = str(error).splitlines()[0]
            message = f"torch cannot compile the model on this machine ({why}); train without compiling"
            raise ArgumentError("compile", message) from error
        name, off = furthest(wanted, found)
        if not off <= OFF:
            wrong = f"the error of the gradient of {name} is {off:.2g} times its size; train without compiling"
            raise ArgumentError("compile", f"torch {torch.__version__} compiles the model wrongly: {wrong}")

    def _gradient(self, loss: Loss, inputs: Tensor, targets: Tensor) -> dict[str, Tensor]:
        """The gradient of every parameter; leaves the random state and the gradients as they were."""
        with torch.random.fork_rng(devices=[inputs.device] if inputs.is_cuda else []):
            loss(inputs, targets).backward()
        found = {name: p.grad for name, p in self.model.named_parameters() if p.grad is not None}
        self.model.zero_grad(set_to_none=True)
        return found


def furthest(wanted: dict[str, Tensor], found: dict[str, Tensor]) -> tuple[str, float]:
    """The parameter with the largest relative error of its gradient, and that error; NaN counts as the largest.

    >>> ones = torch.ones(4)
    >>> furthest({"a": ones, "b": ones}, {"a": ones, "b": 2 * ones})[0]
    'b'
    """
    floor = OF_ALL * torch.stack([each.norm() for each in wanted.values()]).norm()
    least = torch.finfo(floor.dtype).tiny  # avoids 0/0 for a text of one token, whose gradient is 0
    missing = {name: torch.zeros_like(each) for name, each in wanted.items() if name not in found}
    found = found | missing  # a missing gradient counts as 0
    off = {name: float((found[name] - each).norm() / (each.norm() + floor + least)) for name, each in wanted.items()}
    return max(off.items(), key=lambda item: math.inf if math.isnan(item[1]) else item[1])
