"""The optimisers of a model, and which parameters each of them updates.

Muon suits the matrices between hidden vectors. It gets every parameter with two axes, unless a part of its name is
`embedding`, `position`, `readout` or `places` (in a bigram model, `vectors` or `W2`). AdamW gets the others:
embeddings, read-outs, gains and biases. So a model of your own should use these names, for example
`self.embedding = nn.Embedding(…)`. With optimiser="adamw" or "sgd" one optimiser updates all parameters, and names do
not matter.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from attnlab.training.optimisers.adamw import AdamW
from attnlab.training.optimisers.base import Optimiser
from attnlab.training.optimisers.muon import Muon
from attnlab.training.optimisers.sgd import SGD
from attnlab.training.settings import Training
from attnlab.training.speed import in_half

OUTSIDE = {"embedding", "position", "readout", "places", "vectors", "W2"}
"""Names of the parts that map tokens or positions to vectors, or back. Muon does not update them."""
MOMENTUM = 0.95


def make_optimisers(model: nn.Module, training: Training) -> list[Optimiser]:
    """The optimisers of a model. Each group of parameters has a `full_rate`: its learning rate before the schedule."""
    named = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    muon = training.optimiser == "muon"
    inner = [p for name, p in named if muon and p.dim() == 2 and OUTSIDE.isdisjoint(name.split("."))]
    taken = {id(p) for p in inner}
    outer = [p for _, p in named if id(p) not in taken]
    optimisers = [_of_all(outer, training)] if outer else []
    return [*optimisers, _muon(inner, training)] if inner else optimisers


def set_rates(optimisers: Iterable[Optimiser], share: float) -> None:
    """Set every learning rate to a share of its `full_rate`; in place if it is a tensor, which a CUDA graph reads."""
    for optimiser in optimisers:
        for group in optimiser.groups:
            if isinstance(group["rate"], Tensor):
                group["rate"].fill_(share * group["full_rate"])
            else:
                group["rate"] = share * group["full_rate"]


def _of_all(parameters: list[nn.Parameter], training: Training) -> Optimiser:
    """AdamW or gradient descent, with weight decay for matrices only: decay would pull gains away from 1."""
    matrices, others = [p for p in parameters if p.dim() >= 2], [p for p in parameters if p.dim() < 2]
    groups = [(matrices, training.weight_decay), (others, 0.0)]
    kind = SGD if training.optimiser == "sgd" else AdamW
    return kind(
        [{"params": each, **_rate(training.rate, each), "weight_decay": decay} for each, decay in groups if each]
    )


def _muon(matrices: list[nn.Parameter], training: Training) -> Optimiser:
    precision = torch.bfloat16 if in_half(training, matrices[0].device) else torch.float32
    settings = {"weight_decay": training.weight_decay, "momentum": MOMENTUM, "precision": precision}
    return Muon([{"params": matrices, **_rate(training.muon_rate, matrices), **settings}])


def _rate(rate: float, parameters: list[nn.Parameter]) -> dict[str, float | Tensor]:
    device = parameters[0].device
    return {"rate": torch.tensor(rate, device=device) if device.type == "cuda" else rate, "full_rate": rate}
