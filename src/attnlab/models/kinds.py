"""The kinds of models by name: what can be set for each, how it is made, saved and loaded.

A model's settings are one small frozen class, beside the model where that is ours to choose. This page is the only one
that knows all of them.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attnlab.errors import ArgumentError
from attnlab.models.bigram import Bigram, BigramConfig
from attnlab.models.mixers import Cache
from attnlab.models.ngram import Discounts, NGram
from attnlab.models.recurrent import Memory, Recurrent, RecurrentConfig
from attnlab.models.settings import read_settings
from attnlab.models.transformer import Transformer, TransformerConfig


@dataclass(frozen=True)
class NGramShape:
    """What can be set of an n-gram model."""

    order: int = 5
    """The length of the longest n-grams."""
    discounts: Discounts = "modified"
    """spread: those that know in how many blocks of the text an n-gram occurs; better for words of a long text."""

    def __post_init__(self):
        if not 1 <= self.order <= 64:
            raise ArgumentError("order", f"expected from 1 to 64, got {self.order}")


@dataclass(frozen=True)
class BigramShape:
    """What can be set of a neural bigram model."""

    dim: int = 50
    """The width of the word vectors."""
    hidden: int = 50
    """How many sigmoids."""
    train_vectors: bool = True

    def __post_init__(self):
        BigramConfig(1, **vars(self))  # which says what is wrong


Shape = NGramShape | BigramShape | RecurrentConfig | TransformerConfig
StepwiseModel = Recurrent | Transformer
"""A model that learns step by step."""
Model = NGram | Bigram | StepwiseModel

SHAPES: dict[str, type[Shape]] = {
    "ngram": NGramShape,
    "bigram": BigramShape,
    "recurrent": RecurrentConfig,
    "transformer": TransformerConfig,
}


def kind_of(shape: Shape) -> str:
    """The name of a shape's kind.

    >>> kind_of(NGramShape())
    'ngram'
    """
    return next(kind for kind, known in SHAPES.items() if isinstance(shape, known))


def shape_as_json(shape: Shape) -> dict[str, Any]:
    """A shape as JSON, with its kind.

    >>> shape_as_json(NGramShape(order=3))
    {'kind': 'ngram', 'order': 3, 'discounts': 'modified'}
    """
    return {"kind": kind_of(shape), **dataclasses.asdict(shape)}


def shape_from_json(value: Mapping[str, Any]) -> Shape:
    """The shape that `shape_as_json` wrote; a setting that is not there has its default.

    >>> shape_from_json({"kind": "ngram", "order": 3})
    NGramShape(order=3, discounts='modified')
    """
    rest = {name: each for name, each in value.items() if name != "kind"}
    return read_settings(shape_class(value.get("kind")), rest, f"model {value.get('kind')}")


def shape_class(kind: Any) -> type[Shape]:
    """The class of a kind's settings."""
    if kind not in SHAPES:
        raise ArgumentError("model", f"expected {', '.join(SHAPES)}, got {kind!r}")
    return SHAPES[kind]


def make_model(shape: RecurrentConfig | TransformerConfig, size: int, seed: int = 0) -> StepwiseModel:
    """A model that learns step by step, with the random weights it begins with; torch's own seed is left alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(shape, size) if isinstance(shape, TransformerConfig) else Recurrent(shape, size)


def weights_of(model: Model) -> dict[str, Tensor]:
    """All that a model has learnt, by name."""
    if isinstance(model, NGram):
        return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in model.state().items()}
    return {name: parameter.data for name, parameter in model.named_parameters()}


def model_from_weights(shape: Shape, size: int, weights: Mapping[str, Tensor]) -> Model:
    """The model with these weights, ready to be asked. Weights of another shape are an error of `weights`."""
    if isinstance(shape, NGramShape):
        return NGram.from_state({name: tensor.numpy() for name, tensor in weights.items()})
    model = Bigram(BigramConfig(size, **vars(shape))) if isinstance(shape, BigramShape) else make_model(shape, size)
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
