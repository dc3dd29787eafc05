"""One step: the gradient of the mean −ln p, clipped, and an update of the weights and their average."""

import hashlib
from contextlib import nullcontext
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from attnlab.models.devices import seed_device
from attnlab.models.transformer import Transformer
from attnlab.training.compiling import CheckedLoss, Loss, compiled
from attnlab.training.float8 import check_float8, float8_loss
from attnlab.training.graphs import Step, fastest
from attnlab.training.optimisers.choosing import set_rates
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.speed import in_half
from attnlab.training.state import State

Batch = tuple[Int[Tensor, "batch positions"], Int[Tensor, "batch targets"]]
"""Token ids, and targets: the next token at every position or, for a classifier, the class of each text."""


def make_step(state: State, training: Training, process: Process) -> Step:
    """The function (inputs, targets) → loss that updates the state; on a GPU a CUDA graph, if possible."""
    loss_of, parameters = _loss(state.model, training, process), list(state.model.parameters())

    def step(inputs: Int[Tensor, "batch positions"], targets: Int[Tensor, "batch targets"]) -> Float[Tensor, ""]:
        state.model.train()
        for parameter in parameters:
            parameter.grad = None
        loss = loss_of(inputs, targets)
        if process.ranks > 1:
            loss = loss * process.weight(targets)
        loss.backward()
        if training.clip:
            nn.utils.clip_grad_norm_(parameters, training.clip)
        for optimiser in state.optimisers:
            optimiser.step()
        state.update_average()
        return loss.detach()

    alone = process.ranks == 1 and isinstance(state.model, Transformer)
    return fastest(step, process.device, capturable=alone)


def prepare_step(state: State, training: Training, process: Process, progress: float) -> None:
    """Set the learning rates, the share of the average and the seed of dropout for the next step."""
    set_rates(state.optimisers, training.share_of_rate(progress))
    if state.average:
        state.average_share.fill_(training.share_of_average(state.step))
    seed_device(process.device, step_seed(training.seed, state.step, process.rank))


def step_seed(seed: int, step: int, rank: int) -> int:
    """A seed for one step of one process, the same on every machine.

    >>> step_seed(0, 1, 0) == step_seed(0, 0, 1)
    False
    """
    return int.from_bytes(hashlib.sha256(f"{seed} {step} {rank}".encode()).digest()[:7])


def _loss(model: nn.Module, training: Training, process: Process) -> Loss:
    """The mean −ln p of a batch's targets, over all processes. Compiling includes the loss, because reading the logits
    of a large vocabulary once more takes long."""
    called: Any = DistributedDataParallel(model) if process.ranks > 1 else model
    half = in_half(training, process.device)

    def loss(inputs: Tensor, targets: Tensor) -> Tensor:
        with torch.autocast(process.device.type, torch.bfloat16) if half else nullcontext():
            return functional.cross_entropy(called(inputs).flatten(0, 1).float(), targets.flatten())

    if training.precision == "float8":
        check_float8(isinstance(model, Transformer), process)
        assert isinstance(model, Transformer)
        return CheckedLoss(loss, float8_loss(model, compiled=training.compile), model, "precision")
    return compiled(loss, model) if training.compile else loss
