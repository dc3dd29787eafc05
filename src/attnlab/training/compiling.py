"""A loss that torch has compiled, held against the formula before it is trusted.

A compiler that is wrong says nothing, and a model trained by a wrong gradient looks like one that learns badly. So the
first batch goes both ways, the formula's and the compiled, with the same dropout.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnlab.errors import ArgumentError

Loss = Callable[[Tensor, Tensor], Tensor]

OFF = 0.1
"""How far a parameter's compiled gradient may be off, as a share of the gradient; half precision rounds by 0.01."""
OF_ALL = 0.1
"""The share of the whole gradient that counts as a parameter's own at least: some have none but rounding, as the bias
of the keys, which a softmax does not see."""


def compiled(loss: Loss, model: nn.Module) -> Loss:
    """The loss as torch compiles it; it draws the dropout that the formula draws."""
    return Checked(loss, torch.compile(loss, options={"fallback_random": True}), model)


@dataclass
class Checked:
    """A compiled loss that compares its first gradient with the formula's; where they differ, it is an error."""

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
        from torch._dynamo.exc import TorchDynamoException  # here, as it takes a second

        try:
            found = self._gradient(self.made, inputs, targets)
        except TorchDynamoException as error:
            why = str(error).splitlines()[0]
            raise ArgumentError("compile", f"torch cannot compile the model here: {why}") from error
        name, off = furthest(wanted, found)
        if not off <= OFF:
            wrong = f"the gradient of {name} is {off:.2g} times its size off; train without it"
            raise ArgumentError("compile", f"torch {torch.__version__} compiles the model wrongly: {wrong}")

    def _gradient(self, loss: Loss, inputs: Tensor, targets: Tensor) -> dict[str, Tensor]:
        """The gradient of every parameter, as if nothing had been computed."""
        with torch.random.fork_rng(devices=[inputs.device] if inputs.is_cuda else []):
            loss(inputs, targets).backward()
        found = {name: p.grad for name, p in self.model.named_parameters() if p.grad is not None}
        self.model.zero_grad(set_to_none=True)
        return found


def furthest(wanted: dict[str, Tensor], found: dict[str, Tensor]) -> tuple[str, float]:
    """The parameter whose gradient is off the most, and how far, as a share of it; not a number, if one is none.

    >>> ones = torch.ones(4)
    >>> furthest({"a": ones, "b": ones}, {"a": ones, "b": 2 * ones})[0]
    'b'
    """
    floor = OF_ALL * torch.stack([each.norm() for each in wanted.values()]).norm()
    least = torch.finfo(floor.dtype).tiny  # a text of one token has no gradient at all
    missing = {name: torch.zeros_like(each) for name, each in wanted.items() if name not in found}
    found = found | missing  # no gradient is one of 0
    off = {name: float((found[name] - each).norm() / (each.norm() + floor + least)) for name, each in wanted.items()}
    return max(off.items(), key=lambda item: math.inf if math.isnan(item[1]) else item[1])
