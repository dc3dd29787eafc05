"""The kinds of language models: their settings by name, and how a model is made, saved and loaded.

The settings of a model are in the file of the model. Only this file knows all kinds.
"""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from attnlab.errors import ArgumentError
from attnlab.models.bigram import Bigram, BigramConfig
from attnlab.models.memory import check_memory
from attnlab.models.mixers import Cache, expected_mixer
from attnlab.models.ngrams.ngram import NGram, NGramConfig
from attnlab.models.recurrent import Memory, Recurrent, RecurrentConfig
from attnlab.models.transformer import Transformer, TransformerConfig
from attnlab.settings import ByKind

ModelConfig = NGramConfig | BigramConfig | RecurrentConfig | TransformerConfig
AnyModel = Annotated[ModelConfig, ByKind()]
"""The settings of any kind of model."""
StepwiseModel = Recurrent | Transformer
"""A model that reads a text step by step, with a cache."""
Network = Bigram | StepwiseModel
"""A model that can be trained on batches."""
Model = NGram | Network

CONFIGS: dict[str, type[ModelConfig]] = {
    "ngram": NGramConfig,
    "bigram": BigramConfig,
    "recurrent": RecurrentConfig,
    "transformer": TransformerConfig,
}


def check_fits(config: ModelConfig, size: int) -> None:
    """Raise if a model cannot fit into memory with the tables that it makes beside its parameters."""
    check_memory(expected_parameters(config, size), tables=table_numbers(config))


def make_model(config: RecurrentConfig | TransformerConfig, size: int, seed: int = 0) -> StepwiseModel:
    """A model with random initial weights; torch's random state does not change. Raises if it cannot fit into
    memory."""
    check_fits(config, size)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(config, size) if isinstance(config, TransformerConfig) else Recurrent(config, size)


def make_network(
    config: BigramConfig | RecurrentConfig | TransformerConfig,
    size: int,
    seed: int = 0,
    vectors: Float[Tensor, "vocab dim"] | None = None,
) -> Network:
    """A model to be trained on batches, with random initial weights. A bigram or recurrent model can be given the
    vectors of its tokens."""
    if isinstance(config, BigramConfig):
        check_fits(config, size)
        return Bigram(config, size, vectors, seed=seed)
    model = make_model(config, size, seed)
    if vectors is not None:
        model.embedding.weight.data.copy_(vectors)
    return model


def weights_of(model: Model) -> dict[str, Tensor]:
    """The weights of a model, by name."""
    if isinstance(model, NGram):
        return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in model.state().items()}
    return {name: parameter.data for name, parameter in model.named_parameters()}


def model_from_weights(config: ModelConfig, size: int, weights: Mapping[str, Tensor]) -> Model:
    """The model with these weights, in evaluation mode. Raises if the names or shapes do not fit."""
    if isinstance(config, NGramConfig):
        return NGram.from_state({name: tensor.numpy() for name, tensor in weights.items()})
    check_described(config, size, weights)
    model = make_network(config, size)
    load_weights(model, weights)
    return model.eval()


def expected_parameters(config: ModelConfig, size: int) -> int:
    """The number of parameters of a model, without biases and norms, from its settings: nothing is made. An n-gram
    model has no parameters before it has counted."""
    match config:
        case NGramConfig():
            return 0
        case BigramConfig():
            return config.dim * config.hidden + size * (config.dim + config.hidden)
        case RecurrentConfig():
            gates = {"gru": 3, "lstm": 4}[config.cell]
            return 2 * config.width * (config.layers * gates * config.width + size)
        case TransformerConfig():
            block = expected_mixer(config) + (0 if config.attention_only else 2 * config.width * config.inner)
            ends = size * (1 if config.tied else 2) + (config.context if config.added else 0)
            return config.layers * block + config.width * ends


def table_numbers(config: ModelConfig) -> int:
    """The numbers in the tables of a model that no training changes: the angles of rotary positions, for each layer."""
    if isinstance(config, TransformerConfig) and config.turned:
        return config.layers * config.context * config.dim
    return 0


def kept_numbers(config: ModelConfig) -> int:
    """How many numbers a training step keeps for each token, at least: the vectors in and between layers."""
    match config:
        case NGramConfig():
            return 0
        case BigramConfig():
            return config.hidden
        case RecurrentConfig():
            return config.layers * config.width
        case TransformerConfig():  # queries, keys, values, their average, and the vectors inside the feed-forward layer
            return config.layers * (4 * config.width + (0 if config.attention_only else config.inner))


def check_described(config: ModelConfig, size: int, weights: Mapping[str, Tensor]) -> None:
    """Raise if the settings describe a model with more parameters than the weights have: making it could take hours."""
    expected, found = expected_parameters(config, size), sum(tensor.numel() for tensor in weights.values())
    if expected > found:
        raise ArgumentError("weights", f"config.json describes at least {expected:,} parameters, found {found:,}")


def load_weights(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Copy weights into a model. Raises if the names or shapes do not fit."""
    own = {name: parameter.data for name, parameter in model.named_parameters()}
    for name, tensor in own.items():
        if name not in weights:
            raise ArgumentError("weights", f"expected a tensor {name}, which is missing")
        if weights[name].shape != tensor.shape:
            expected, got = tuple(tensor.shape), tuple(weights[name].shape)
            raise ArgumentError("weights", f"expected {name} of shape {expected}, got {got}")
        tensor.copy_(weights[name])
    for name in weights:
        if name not in own:
            raise ArgumentError("weights", f"the model has no parameter {name}")


def parameter_count(model: Model) -> int:
    """The number of parameters; for an n-gram model, the number of n-grams."""
    if isinstance(model, NGram):
        return sum(level.keys.size for level in model.levels)
    return sum(parameter.numel() for parameter in model.parameters())


def new_cache(model: StepwiseModel) -> Cache | Memory:
    """An empty cache for a model."""
    return Cache() if isinstance(model, Transformer) else Memory()
