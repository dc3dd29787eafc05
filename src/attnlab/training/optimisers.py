"""The optimisers, and which parameters each of them moves.

Muon suits the matrices between hidden vectors. Embeddings, read-outs, gains and biases are not such matrices: AdamW
(Loshchilov & Hutter 2019) moves them.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from attnlab.training.muon import Muon
from attnlab.training.settings import Training

OUTSIDE = ("embedding", "position", "readout")
"""Parts of a model that turn tokens into vectors or back."""


def make_optimisers(model: nn.Module, training: Training) -> list[torch.optim.Optimizer]:
    """The optimisers of a model; each group of parameters remembers its full rate as `full_rate`."""
    named = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    muon = training.optimiser == "muon"
    inner = [p for name, p in named if muon and p.dim() == 2 and name.split(".")[0] not in OUTSIDE]
    taken = {id(p) for p in inner}
    outer = [p for _, p in named if id(p) not in taken]
    optimisers: list[torch.optim.Optimizer] = [_adamw(outer, training)] if outer else []
    if inner:
        rate = _rate(training.muon_rate, inner[0].device)
        optimisers.append(Muon(inner, rate, weight_decay=training.weight_decay))
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            group["full_rate"] = float(group["lr"])
    return optimisers


def set_rates(optimisers: Iterable[torch.optim.Optimizer], share: float) -> None:
    """Set every rate to a share of its full one; in place where it is a tensor, which a CUDA graph reads."""
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(share * group["full_rate"])
            else:
                group["lr"] = share * group["full_rate"]


def _adamw(parameters: list[nn.Parameter], training: Training) -> torch.optim.AdamW:
    """AdamW; only matrices decay: a gain or a bias that did would be pulled away from where it does nothing."""
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": training.weight_decay},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    device = parameters[0].device
    return torch.optim.AdamW(
        [{**group, "lr": _rate(training.rate, device)} for group in groups if group["params"]],
        betas=(0.9, 0.95),
        fused=True,
        capturable=device.type == "cuda",
    )


def _rate(rate: float, device: torch.device) -> float | Tensor:
    return torch.tensor(rate, device=device) if device.type == "cuda" else rate
