"""A layout: the files of a Hugging Face folder before they are written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from attnlab.errors import ArgumentError
from attnlab.models.transformer import TransformerConfig

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
THEIR_ACTIVATIONS = {"gelu-tanh": "gelu_new", "gelu": "gelu", "relu-squared": "relu2"}
"""The names of the lab's activations in `transformers`."""


@dataclass(frozen=True)
class Layout:
    """A model in a layout of `transformers`: the content of config.json, and the tensors by name."""

    config: dict[str, Any]
    tensors: dict[str, Tensor]


def check_fits(config: TransformerConfig, needed: Mapping[str, str | bool], layout: str) -> None:
    """Raise if a layout cannot hold a model, and name the settings to change."""
    wrong = {name: value for name, value in needed.items() if getattr(config, name) != value}
    if wrong:
        got = ", ".join(f"{name} {_word(getattr(config, name))}" for name in wrong)
        options = " ".join(f"--model.{name.replace('_', '-')} {_word(value)}" for name, value in wrong.items())
        raise ArgumentError("model", f"{layout} layout cannot hold {got}; train the model with {options}")


def _word(value: str | bool) -> str:
    return value if isinstance(value, str) else "yes" if value else "no"
