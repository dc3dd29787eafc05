"""Muon (Jordan et al. 2024): each matrix moves by the nearest orthogonal matrix to its averaged gradient.

    B ← μB + (1 − μ)G        U = NS((1 − μ)G + μB)        W ← (1 − ηλ)W − η √max(1, rows/columns) U

NS is five Newton–Schulz steps, which pull every singular value of a matrix towards 1. As torch.optim.Muon, except that
matrices of one shape are worked on together, that the rate may be a tensor, so that a step can be captured as a CUDA
graph, and that a CPU keeps to float32, in which one process and many agree.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

QUINTIC = (3.4445, -4.7750, 2.0315)
STEPS = 5


class Muon(torch.optim.Optimizer):
    """Muon for the matrices of a model, the weight decay decoupled as in AdamW."""

    def __init__(
        self, matrices: Iterable[nn.Parameter], rate: float | Tensor, *, weight_decay: float, momentum: float = 0.95
    ):
        super().__init__(matrices, {"lr": rate, "weight_decay": weight_decay, "momentum": momentum})

    # torch's own would call the closure and return its loss; nobody here has one
    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """One update of every matrix that has a gradient."""
        for group in self.param_groups:
            alike: dict[torch.Size, list[nn.Parameter]] = defaultdict(list)
            for matrix in group["params"]:
                if matrix.grad is not None:
                    alike[matrix.shape].append(matrix)
            for matrices in alike.values():
                self._move(matrices, group)

    def _move(self, matrices: list[nn.Parameter], group: dict[str, Any]) -> None:
        rate, momentum = group["lr"], group["momentum"]
        ahead = []  # Nesterov's look ahead
        for matrix in matrices:
            assert matrix.grad is not None
            average = self._average(matrix).lerp_(matrix.grad, 1 - momentum)
            ahead.append(matrix.grad.lerp(average, momentum))
        rows, columns = matrices[0].shape
        moves = orthogonalised(torch.stack(ahead)) * (-rate * max(1, rows / columns) ** 0.5)
        for matrix, move in zip(matrices, moves, strict=True):
            matrix.mul_(1 - rate * group["weight_decay"]).add_(move)

    def _average(self, matrix: nn.Parameter) -> Tensor:
        memory = self.state[matrix]
        if "momentum_buffer" not in memory:
            memory["momentum_buffer"] = torch.zeros_like(matrix)
        return memory["momentum_buffer"]


def orthogonalised(matrices: Float[Tensor, "many rows columns"]) -> Float[Tensor, "many rows columns"]:
    """Each matrix with singular values near 1, the vectors kept: x ← ax + b(xxᵀ)x + c(xxᵀ)²x, again and again.

    >>> x = orthogonalised(torch.randn(1, 4, 8, generator=torch.Generator().manual_seed(0)))[0]
    >>> [0.6 < float(s) < 1.3 for s in torch.linalg.svdvals(x.float())]
    [True, True, True, True]
    """
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.bfloat16() if matrices.is_cuda else matrices.float()
    x = x.mT if tall else x
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    a, b, c = QUINTIC
    for _ in range(STEPS):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x
