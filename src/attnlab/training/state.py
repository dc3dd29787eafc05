"""The state of a run at some step: everything that a checkpoint must hold."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from attnlab.errors import ArgumentError
from attnlab.training.optimisers.base import Optimiser
from attnlab.training.optimisers.choosing import make_optimisers
from attnlab.training.settings import Training

Trained = TypeVar("Trained", bound=nn.Module)


@dataclass
class State(Generic[Trained]):
    """A model in training: its weights, their moving average, the optimisers' state, the step and the seconds."""

    model: Trained
    optimisers: list[Optimiser]
    average: dict[str, Tensor]
    average_share: Tensor
    """The share of the latest weights in the average; a tensor, because a CUDA graph reads it."""
    step: int = 0
    seconds: float = 0.0

    def tensors(self) -> dict[str, Tensor]:
        """All tensors of the state, by name."""
        found = {f"model.{name}": tensor for name, tensor in _weights(self.model).items()}
        found |= {f"average.{name}": tensor for name, tensor in self.average.items()}
        for place, optimiser in enumerate(self.optimisers):
            found |= {f"optimiser.{place}.{name}": tensor for name, tensor in optimiser.tensors().items()}
        return found

    def load(self, tensors: Mapping[str, Tensor], step: int, seconds: float) -> None:
        """Restore the state of a checkpoint. Raises if the checkpoint is of another model."""
        own = {f"model.{name}": tensor for name, tensor in _weights(self.model).items()}
        own |= {f"average.{name}": tensor for name, tensor in self.average.items()}
        for name, tensor in own.items():
            if name not in tensors or tensors[name].shape != tensor.shape:
                wanted = f"expected a tensor {name} of shape {tuple(tensor.shape)}"
                raise ArgumentError("checkpoint", f"{wanted}; it is missing or has another shape")
            tensor.copy_(tensors[name])
        for place, optimiser in enumerate(self.optimisers):
            own = f"optimiser.{place}."
            optimiser.load({name.removeprefix(own): tensors[name] for name in tensors if name.startswith(own)})
        self.step, self.seconds = step, seconds

    def finite(self) -> bool:
        """Whether no weight is NaN or infinite."""
        return all(bool(tensor.isfinite().all()) for tensor in _weights(self.model).values())

    def update_average(self) -> None:
        """Add the latest weights to the average."""
        latest = _weights(self.model) if self.average else {}
        for name, tensor in self.average.items():
            tensor.lerp_(latest[name], self.average_share)

    @contextmanager
    def averaged(self) -> Iterator[Trained]:
        """The model with its average weights, if it has an average, for as long as the block runs."""
        latest = {name: tensor.clone() for name, tensor in _weights(self.model).items()} if self.average else {}
        try:
            self._copy(self.average)
            yield self.model
        finally:
            self._copy(latest)

    def _copy(self, weights: Mapping[str, Tensor]) -> None:
        own = _weights(self.model)
        for name, tensor in weights.items():
            own[name].copy_(tensor)


def make_state(model: Trained, training: Training) -> State[Trained]:
    """The state before the first step; the model must be on its device already."""
    average = {n: t.clone() for n, t in _weights(model).items()} if training.averaging else {}
    device = next(model.parameters()).device
    return State(model, make_optimisers(model, training), average, torch.ones((), device=device))


def _weights(model: nn.Module) -> dict[str, Tensor]:
    """The parameters by name, each once."""
    return {name: parameter.data for name, parameter in model.named_parameters()}
