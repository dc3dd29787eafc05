"""Muon (Jordan et al. 2024): each matrix moves by the nearest orthogonal matrix to its averaged gradient.

    B ← μB + (1 − μ)G        U = NS((1 − μ)G + μB)        W ← (1 − ηλ)W − η √max(1, rows/columns) U

NS is five Newton–Schulz steps, which move every singular value of a matrix towards 1. There are three differences from
torch.optim.Muon. Matrices of one shape are updated together. The rate may be a tensor, so that a CUDA graph can capture
a step. The Newton–Schulz steps can be in float32, in which one process and many agree.

Muon updates matrices only, and picks them by name: see `choosing.py`.
"""

from collections import defaultdict
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.training.optimisers.base import Optimiser, gradients

QUINTIC = (3.4445, -4.7750, 2.0315)
STEPS = 5


class Muon(Optimiser):
    """Muon; a group has a `weight_decay`, a `momentum` and a `precision`: the dtype of the Newton–Schulz steps.

    `make_optimisers` gives it the parameters with two axes, except those with `embedding`, `position`, `readout` or
    `places` in their name: AdamW updates these.
    """

    def move(self, parameters: list[nn.Parameter], group: dict[str, Any]) -> None:
        """One update of a group's matrices."""
        alike: dict[torch.Size, list[nn.Parameter]] = defaultdict(list)
        for matrix in parameters:
            alike[matrix.shape].append(matrix)
        for matrices in alike.values():
            self._move_alike(matrices, group)

    def _move_alike(self, matrices: list[nn.Parameter], group: dict[str, Any]) -> None:
        rate, momentum = group["rate"], group["momentum"]
        ahead = []  # Nesterov momentum
        for matrix, gradient in zip(matrices, gradients(matrices), strict=True):
            memory = self.memory[matrix]
            memory.setdefault("momentum_buffer", torch.zeros_like(matrix)).lerp_(gradient, 1 - momentum)
            ahead.append(gradient.lerp(memory["momentum_buffer"], momentum))
        rows, columns = matrices[0].shape
        moves = orthogonalised(torch.stack(ahead).to(group["precision"])) * (-rate * max(1, rows / columns) ** 0.5)
        for matrix, move in zip(matrices, moves, strict=True):
            matrix.mul_(1 - rate * group["weight_decay"]).add_(move)


def orthogonalised(matrices: Float[Tensor, "many rows columns"]) -> Float[Tensor, "many rows columns"]:
    """Each matrix with singular values near 1 and the same singular vectors: repeat x ← ax + b(xxᵀ)x + c(xxᵀ)²x.

    >>> x = orthogonalised(torch.randn(1, 4, 8, generator=torch.Generator().manual_seed(0)))[0]
    >>> [0.6 < float(s) < 1.3 for s in torch.linalg.svdvals(x.float())]
    [True, True, True, True]
    """
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.mT if tall else matrices
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    a, b, c = QUINTIC
    for _ in range(STEPS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x
