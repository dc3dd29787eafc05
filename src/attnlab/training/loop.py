"""The loop: batch, gradient, update, step by step.

A batch is a function of (seed, step, rank), and so is dropout, so a run that goes on from a checkpoint equals one that
never stopped. What the loop knows of the outside, reporting, validating and saving, it is given as `Hooks`.
"""

import math
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from attnlab.errors import AttnlabError
from attnlab.training.optimisers import make_optimisers, set_rates
from attnlab.training.processes import Process
from attnlab.training.settings import Training

LOOK_EVERY = 10
"""Steps between two looks at the loss: each look makes a GPU wait."""

Batch = tuple[Int[Tensor, "batch positions"], Int[Tensor, "batch positions"]]


class DivergedError(AttnlabError):
    """A loss that is no number any more, or far above where it began."""


@dataclass
class State:
    """All that a run is at some step, and all that a checkpoint must hold."""

    model: nn.Module
    optimisers: list[torch.optim.Optimizer]
    average: dict[str, Tensor]
    step: int = 0
    seconds: float = 0.0

    def tensors(self) -> dict[str, Tensor]:
        """Everything by name: weights, their moving average, and the optimisers' memory."""
        found = {f"model.{name}": tensor for name, tensor in _weights(self.model).items()}
        found |= {f"average.{name}": tensor for name, tensor in self.average.items()}
        for place, optimiser in enumerate(self.optimisers):
            for number, memory in optimiser.state_dict()["state"].items():
                found |= {f"optimiser.{place}.{number}.{key}": torch.as_tensor(value) for key, value in memory.items()}
        return found

    def load(self, tensors: Mapping[str, Tensor], step: int, seconds: float) -> None:
        """Go back to where a checkpoint was made."""
        weights = _weights(self.model)
        with torch.no_grad():
            for name, tensor in weights.items():
                tensor.copy_(tensors[f"model.{name}"])
            for name, tensor in self.average.items():
                tensor.copy_(tensors[f"average.{name}"])
        for place, optimiser in enumerate(self.optimisers):
            state = optimiser.state_dict()
            state["state"] = _memory(tensors, f"optimiser.{place}.")
            optimiser.load_state_dict(state)
        self.step, self.seconds = step, seconds


@dataclass(frozen=True)
class Hooks:
    """What the loop does beside learning: told of every look, asked to validate, to sample and to save now and then."""

    looked: Callable[[dict[str, Any]], None] = lambda measured: None
    validate: Callable[[State], None] = lambda state: None
    sample: Callable[[State], None] = lambda state: None
    save: Callable[[State], None] = lambda state: None


@dataclass
class _Watch:
    """How the loss goes: its start, and the mean since the last look."""

    first: float = math.nan
    losses: list[Tensor] = field(default_factory=list)

    def mean(self) -> float:
        value = float(torch.stack(self.losses).mean())
        self.losses.clear()
        self.first = value if math.isnan(self.first) else self.first
        return value


def make_state(model: nn.Module, training: Training) -> State:
    """A run at its beginning."""
    average = {n: t.detach().clone() for n, t in _weights(model).items()} if training.averaging else {}
    return State(model, make_optimisers(model, training), average)


def train(state: State, training: Training, process: Process, batch_at: Callable[[int], Batch], hooks: Hooks) -> State:
    """Train from where `state` is to the end; `batch_at(step)` is this process's share of that step's batch."""
    forward = _forward(state.model, training, process)
    watch, began, looked_at = _Watch(), time.perf_counter() - state.seconds, time.perf_counter()
    hooks.validate(state) if state.step == 0 else None
    try:
        while (progress := _progress(state, training)) < 1:
            set_rates(state.optimisers, training.share_of_rate(progress))
            watch.losses.append(_update(state, training, process, forward, batch_at(state.step)))
            state.step += 1
            state.seconds = time.perf_counter() - began
            if state.step % LOOK_EVERY == 0 or _progress(state, training) >= 1:
                loss = _look(state, watch)
                now = time.perf_counter()
                hooks.looked(
                    {
                        "step": state.step,
                        "loss": loss,
                        "progress": progress,
                        "seconds": state.seconds,
                        "rate": training.share_of_rate(progress),
                        "step_seconds": now - looked_at,
                    }
                )
                looked_at = now
            if state.step % training.validate_every == 0:
                hooks.validate(state)
                hooks.save(state)
            if training.sample_every and state.step % training.sample_every == 0:
                hooks.sample(state)
    except KeyboardInterrupt:
        hooks.save(state)
        raise
    if state.step % training.validate_every:
        hooks.validate(state)
    hooks.save(state)
    return state


def _progress(state: State, training: Training) -> float:
    """The share of the training that is done: of the steps, or of the minutes where those end first."""
    of_time = state.seconds / (60 * training.minutes) if training.minutes else 0.0
    return max(state.step / training.steps, of_time)


def _look(state: State, watch: _Watch) -> float:
    """The loss since the last look; one that is lost is an error before anything more is saved."""
    loss = watch.mean()
    if not math.isfinite(loss) or loss > 3 * watch.first + 1:
        raise DivergedError(f"the loss at step {state.step} is {loss:.4g}: it diverged")
    return loss


def _forward(model: nn.Module, training: Training, process: Process) -> Callable[[Tensor], Tensor]:
    """The model as it is called in training: joined with the other processes' and compiled, as asked."""
    called: Any = torch.compile(model) if training.compile else model
    if process.ranks > 1:
        called = DistributedDataParallel(called)
    return called


def _update(
    state: State, training: Training, process: Process, forward: Callable[[Tensor], Tensor], batch: Batch
) -> Tensor:
    """One step: the gradient of the mean −ln p, cut, and an update of weights and their average. Returns the loss."""
    inputs, targets = batch
    state.model.train()
    torch.manual_seed(hash((training.seed, state.step, process.rank)) & 0x7FFFFFFF)  # dropout, too, is of this step
    half = training.precision == "bfloat16"
    with torch.autocast(process.device.type, torch.bfloat16) if half else nullcontext():
        logits = forward(inputs)
        loss = functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())
    loss.backward()
    if training.clip:
        nn.utils.clip_grad_norm_(state.model.parameters(), training.clip)
    for optimiser in state.optimisers:
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
    if state.average:
        with torch.no_grad():
            latest = _weights(state.model)
            torch._foreach_lerp_(
                list(state.average.values()), [latest[name] for name in state.average], training.averaging
            )
    return process.mean(loss.detach())


def _weights(model: nn.Module) -> dict[str, Tensor]:
    """The parameters by name, each once."""
    return {name: parameter.data for name, parameter in model.named_parameters()}


def _memory(tensors: Mapping[str, Tensor], prefix: str) -> dict[int, dict[str, Tensor]]:
    found: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        if name.startswith(prefix):
            number, key = name.removeprefix(prefix).split(".", 1)
            found.setdefault(int(number), {})[key] = tensor
    return found
