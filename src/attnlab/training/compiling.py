"""A faster loss, compiled or in float8, checked against the plain one before it is used.

A wrong compiler gives no warning, and a model with a wrong gradient just seems to learn badly. So the lab computes the
gradient of the first batch both ways, with the same dropout. Each parameter is judged by its own gradient.

Some gradients are rounding errors only, for example that of the keys' bias, which does not change a softmax. How much
of a gradient is rounding shows when the weights are changed by a few of their last digits.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from attnlab.errors import ArgumentError

Loss = Callable[[Tensor, Tensor], Tensor]

OFF = 0.1
"""The largest allowed error of a parameter's compiled gradient, relative to it; bfloat16 alone causes about 0.01."""
NOISE = 4
"""An error may be this many times the change that rounding makes."""
STEPS = {"compile": 2.0**-8, "precision": 2.0**-4}
"""The relative change of the weights: the precision of bfloat16, or of float8 if that is what is checked."""
OF_ALL = 1e-6
"""Errors below this share of the whole gradient are the rounding of float32."""


def compiled(loss: Loss, model: nn.Module) -> Loss:
    """The loss, compiled by torch, with the same dropout as the uncompiled one."""
    return CheckedLoss(loss, torch.compile(loss, options={"fallback_random": True}), model)


@dataclass
class CheckedLoss:
    """A faster loss that raises if its first gradient differs from that of the plain one."""

    formula: Loss
    made: Loss
    model: nn.Module
    option: Literal["compile", "precision"] = "compile"
    """The option that asked for the faster loss."""
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
        with self._nudged():
            nudged = self._gradient(self.formula, inputs, targets)
        name, off = furthest(wanted, found, nudged)
        if not off <= OFF:
            wrong = f"the error of the gradient of {name} is {off:.2g} times its size"
            if self.option == "precision":
                raise ArgumentError("precision", f"float8 is too coarse for this model: {wrong}; use bfloat16")
            said = f"torch {torch.__version__} compiles the model wrongly: {wrong}; train without compiling"
            raise ArgumentError("compile", said)

    @contextmanager
    def _nudged(self) -> Iterator[None]:
        """Change every weight by its last digits, up or down, while the block runs."""
        kept = [(each, each.detach().clone()) for each in self.model.parameters()]
        draws = torch.Generator().manual_seed(0)
        try:
            with torch.no_grad():
                for each, before in kept:
                    signs = torch.randint(2, before.shape, generator=draws).to(before) * 2 - 1
                    each.copy_(before * (1 + STEPS[self.option] * signs))
            yield
        finally:
            with torch.no_grad():
                for each, before in kept:
                    each.copy_(before)

    def _gradient(self, loss: Loss, inputs: Tensor, targets: Tensor) -> dict[str, Tensor]:
        """The gradient of every parameter; leaves the random state and the gradients as they were."""
        with torch.random.fork_rng(devices=[inputs.device] if inputs.is_cuda else []):
            loss(inputs, targets).backward()
        found = {name: p.grad for name, p in self.model.named_parameters() if p.grad is not None}
        self.model.zero_grad(set_to_none=True)
        return found


def furthest(
    wanted: dict[str, Tensor], found: dict[str, Tensor], nudged: dict[str, Tensor] | None = None
) -> tuple[str, float]:
    """The parameter with the largest relative error of its gradient, and that error; NaN counts as the largest.

    `nudged` is the wanted gradient with other roundings: an error like its changes is no error.

    >>> ones = torch.ones(4)
    >>> furthest({"a": 1000 * ones, "b": ones}, {"a": 1000 * ones, "b": 2 * ones})[0]
    'b'
    """
    whole = float(torch.stack([each.norm() for each in wanted.values()]).norm())
    off = {}
    for name, each in wanted.items():
        missing = torch.zeros_like(each)  # a missing gradient counts as 0
        error = float((found.get(name, missing) - each).norm())
        noise = float(((nudged or wanted).get(name, missing) - each).norm())
        # The smallest number avoids 0/0 for a text of one token, whose gradient is 0.
        size = float(each.norm()) + OF_ALL * whole + torch.finfo(each.dtype).tiny
        off[name] = error / (size + NOISE / OFF * noise)
    return max(off.items(), key=lambda item: math.inf if math.isnan(item[1]) else item[1])
