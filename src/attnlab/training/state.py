"""All that a run is at some step, and all that a checkpoint must hold."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from attnlab.errors import ArgumentError
from attnlab.training.optimisers.assignment import make_optimisers
from attnlab.training.optimisers.base import Optimiser
from attnlab.training.settings import Training

Trained = TypeVar("Trained", bound=nn.Module)


@dataclass
class State(Generic[Trained]):
    """A model in training: its weights, their moving average, the optimisers' memory, and how far it is."""

    model: Trained
    optimisers: list[Optimiser]
    average: dict[str, Tensor]
    average_share: Tensor
    """The share of the latest weights that enters the average; a tensor, so that a CUDA graph reads it."""
    step: int = 0
    seconds: float = 0.0

    def tensors(self) -> dict[str, Tensor]:
        """Everything by name."""
        found = {f"model.{name}": tensor for name, tensor in _weights(self.model).items()}
        found |= {f"average.{name}": tensor for name, tensor in self.average.items()}
        for place, optimiser in enumerate(self.optimisers):
            found |= {f"optimiser.{place}.{name}": tensor for name, tensor in optimiser.tensors().items()}
        return found

    def load(self, tensors: Mapping[str, Tensor], step: int, seconds: float) -> None:
        """Go back to where a checkpoint was made; one of another model is an error of `checkpoint`."""
        own = {f"model.{name}": tensor for name, tensor in _weights(self.model).items()}
        own |= {f"average.{name}": tensor for name, tensor in self.average.items()}
        for name, tensor in own.items():
            if name not in tensors or tensors[name].shape != tensor.shape:
                raise ArgumentError("checkpoint", f"expected {name} of shape {tuple(tensor.shape)} in it")
            tensor.copy_(tensors[name])
        for place, optimiser in enumerate(self.optimisers):
            own = f"optimiser.{place}."
            optimiser.load({name.removeprefix(own): tensors[name] for name in tensors if name.startswith(own)})
        self.step, self.seconds = step, seconds

    def finite(self) -> bool:
        """Whether every weight is a number still."""
        return all(bool(tensor.isfinite().all()) for tensor in _weights(self.model).values())

    def update_average(self) -> None:
        """Let the latest weights into the average."""
        latest = _weights(self.model)
        for name, tensor in self.average.items():
            tensor.lerp_(latest[name], self.average_share)

    @contextmanager
    def averaged(self) -> Iterator[Trained]:
        """The model as it is to be judged: with its average weights, where it keeps them, and back."""
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
    """A run at its beginning; the model must be on its device."""
    average = {n: t.clone() for n, t in _weights(model).items()} if training.averaging else {}
    device = next(model.parameters()).device
    return State(model, make_optimisers(model, training), average, torch.ones((), device=device))


def _weights(model: nn.Module) -> dict[str, Tensor]:
    """The parameters by name, each once."""
    return {name: parameter.data for name, parameter in model.named_parameters()}
