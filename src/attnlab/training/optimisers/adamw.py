"""AdamW (Loshchilov & Hutter 2019), by torch's own kernels. Without weight decay it is Adam.

m ← β₁m + (1 − β₁)g        v ← β₂v + (1 − β₂)g²
w ← (1 − ηλ)w − η m̂/(√v̂ + ε)        m̂ = m/(1 − β₁ᵗ), v̂ = v/(1 − β₂ᵗ)
"""

from typing import Any

import torch
from torch import nn
from torch.optim.adamw import adamw

from attnlab.training.optimisers.base import Optimiser, gradients

BETAS = (0.9, 0.95)
EPSILON = 1e-8


class AdamW(Optimiser):
    """AdamW; a group has a `weight_decay`. It may have its own `betas`, and `fused=False` for the kernel that
    torch.optim.Adam uses on a CPU: the two kernels differ in the last digit."""

    def move(self, parameters: list[nn.Parameter], group: dict[str, Any]) -> None:
        """One update of a group's parameters."""
        for parameter in parameters:
            if not self.memory[parameter]:
                self.memory[parameter] |= {
                    "step": torch.zeros((), device=parameter.device),
                    "exp_avg": torch.zeros_like(parameter),
                    "exp_avg_sq": torch.zeros_like(parameter),
                }
        means, squares, steps = ([self.memory[p][key] for p in parameters] for key in ("exp_avg", "exp_avg_sq", "step"))
        betas, fused = group.get("betas", BETAS), group.get("fused", True)
        adamw(
            list(parameters),
            gradients(parameters),
            means,
            squares,
            [],
            steps,
            foreach=False,
            fused=fused,
            amsgrad=False,
            beta1=betas[0],
            beta2=betas[1],
            lr=group["rate"],
            weight_decay=group["weight_decay"],
            eps=EPSILON,
            maximize=False,
        )
