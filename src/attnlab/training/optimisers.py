"""The optimisers, and which parameters each of them moves.

Muon (Jordan et al. 2024) takes each matrix's update to the nearest orthogonal one, which suits the matrices between
hidden vectors. Embeddings, read-outs, gains and biases are not such matrices: AdamW moves them.
"""

from collections.abc import Iterable

import torch
from torch import nn

from attnlab.training.settings import Training

OUTSIDE = ("embedding", "position", "readout")
"""Parts of a model that turn tokens into vectors or back."""


def make_optimisers(model: nn.Module, training: Training) -> list[torch.optim.Optimizer]:
    """The optimisers of a model; each group of parameters remembers its full rate as `full_rate`."""
    named = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    inner = [p for name, p in named if training.optimiser == "muon" and p.dim() == 2 and not _outside(name)]
    taken = {id(p) for p in inner}
    outer = [p for _, p in named if id(p) not in taken]
    optimisers: list[torch.optim.Optimizer] = [_adamw(outer, training)] if outer else []
    if inner:
        optimisers.append(
            torch.optim.Muon(inner, lr=training.muon_rate, weight_decay=training.weight_decay, momentum=0.95)
        )
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            group["full_rate"] = group["lr"]
    return optimisers


def set_rates(optimisers: Iterable[torch.optim.Optimizer], share: float) -> None:
    """Set every rate to a share of its full one."""
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            group["lr"] = share * group["full_rate"]


def _adamw(parameters: list[nn.Parameter], training: Training) -> torch.optim.AdamW:
    """AdamW; only matrices decay: a gain or a bias that did would be pulled away from where it does nothing."""
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": training.weight_decay},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(
        [group for group in groups if group["params"]], lr=training.rate, betas=(0.9, 0.95), fused=True
    )


def _outside(name: str) -> bool:
    return name.split(".")[0] in OUTSIDE
