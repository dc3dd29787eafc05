"""The kinds of models by name: what can be set for each, how it is made, saved and loaded.

A model's settings are one small frozen class beside the model. This page is the only one that knows all of them.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor, nn

from attnlab.errors import ArgumentError
from attnlab.models.bigram import Bigram, BigramConfig
from attnlab.models.mixers import Cache
from attnlab.models.ngram import NGram, NGramConfig
from attnlab.models.recurrent import Memory, Recurrent, RecurrentConfig
from attnlab.models.transformer import Transformer, TransformerConfig
from attnlab.settings import ByKind

ModelConfig = NGramConfig | BigramConfig | RecurrentConfig | TransformerConfig
AnyModel = Annotated[ModelConfig, ByKind()]
"""The settings of a model, of whichever kind."""
StepwiseModel = Recurrent | Transformer
"""A model that learns step by step."""
Model = NGram | Bigram | StepwiseModel

CONFIGS: dict[str, type[ModelConfig]] = {
    "ngram": NGramConfig,
    "bigram": BigramConfig,
    "recurrent": RecurrentConfig,
    "transformer": TransformerConfig,
}


def config_class(kind: Any) -> type[ModelConfig]:
    """The class of a kind's settings."""
    if kind not in CONFIGS:
        raise ArgumentError("model", f"expected {', '.join(CONFIGS)}, got {kind!r}")
    return CONFIGS[kind]


def make_model(config: RecurrentConfig | TransformerConfig, size: int, seed: int = 0) -> StepwiseModel:
    """A model that learns step by step, with the random weights it begins with; torch's own seed is left alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(config, size) if isinstance(config, TransformerConfig) else Recurrent(config, size)


def weights_of(model: Model) -> dict[str, Tensor]:
    """All that a model has learnt, by name."""
    if isinstance(model, NGram):
        return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in model.state().items()}
    return {name: parameter.data for name, parameter in model.named_parameters()}


def model_from_weights(config: ModelConfig, size: int, weights: Mapping[str, Tensor]) -> Model:
    """The model with these weights, ready to be asked. Weights of another shape are an error of `weights`."""
    if isinstance(config, NGramConfig):
        return NGram.from_state({name: tensor.numpy() for name, tensor in weights.items()})
    model = Bigram(config, size) if isinstance(config, BigramConfig) else make_model(config, size)
    load_weights(model, weights)
    return model.eval()


def load_weights(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Copy weights into a model; names and shapes must be the model's."""
    own = {name: parameter.data for name, parameter in model.named_parameters()}
    for name, tensor in own.items():
        if name not in weights:
            raise ArgumentError("weights", f"expected {name}, which is not there")
        if weights[name].shape != tensor.shape:
            expected, got = tuple(tensor.shape), tuple(weights[name].shape)
            raise ArgumentError("weights", f"expected {name} of shape {expected}, got {got}")
        tensor.copy_(weights[name])
    for name in weights:
        if name not in own:
            raise ArgumentError("weights", f"did not expect {name}")


def parameter_count(model: Model) -> int:
    """How many numbers a model has learnt; for an n-gram model, how many n-grams."""
    if isinstance(model, NGram):
        return sum(level.keys.size for level in model.levels)
    return sum(parameter.numel() for parameter in model.parameters())


def new_cache(model: StepwiseModel) -> Cache | Memory:
    """What a model keeps of the tokens it has seen, empty."""
    return Cache() if isinstance(model, Transformer) else Memory()
