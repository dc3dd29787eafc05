"""Conversion between the lab's Transformer and Hugging Face's layout of GPT-2.

A folder of that layout has a config.json with "model_type": "gpt2", and the weights in model.safetensors, or in several
such files with an index. The matrices of linear layers are transposed: inputs before outputs.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from attnlab.errors import ArgumentError, FileError
from attnlab.files import read_json
from attnlab.models.kinds import check_described, load_weights
from attnlab.models.layouts.layout import CONFIG, INDEX, THEIR_ACTIVATIONS, WEIGHTS, Layout, check_fits
from attnlab.models.transformer import Transformer, TransformerConfig

NAMES = {
    "embedding": "transformer.wte",
    "position": "transformer.wpe",
    "norm": "transformer.ln_f",
    "readout": "lm_head",
    "mixer_norm": "ln_1",
    "mixer.qkv": "attn.c_attn",
    "mixer.out": "attn.c_proj",
    "feed_norm": "ln_2",
    "feed.up": "mlp.c_fc",
    "feed.down": "mlp.c_proj",
}
"""The names of a Transformer's parts in GPT-2's layout; names in a block come without the block."""
ACTIVATIONS: dict[str, Literal["gelu-tanh", "gelu", "relu-squared"]] = {
    "gelu_new": "gelu-tanh",
    "gelu": "gelu",
    "relu2": "relu-squared",
    "gelu_pytorch_tanh": "gelu-tanh",
    "gelu_fast": "gelu-tanh",
}
"""The lab's name of each GPT-2 activation."""
FIXED = {
    "layer_norm_epsilon": 1e-5,
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
}
"""Settings of GPT-2 that the lab's Transformer cannot change. These values are also GPT-2's defaults."""

NEEDED = {"mixer": "dot-product", "positions": "learned", "norm": "layer", "qk_norm": False, "attention_only": False}
"""The settings that a Transformer needs for GPT-2's layout."""


def shape_from_gpt2(config: Mapping[str, Any]) -> TransformerConfig:
    """The shape in a config.json; raises on settings that the lab's Transformer does not have.

    >>> shape_from_gpt2({"model_type": "gpt2", "n_layer": 2, "n_head": 2, "n_embd": 8}).context
    1024
    """
    if config.get("model_type") != "gpt2":
        raise ArgumentError("model_type", f"expected gpt2, got {config.get('model_type')!r}")
    for name, value in FIXED.items():
        if config.get(name, value) != value:
            raise ArgumentError(name, f"expected {value}, got {config[name]!r}")
    sizes = {"n_layer": 12, "n_head": 12, "n_embd": 768, "n_positions": 1024, "n_inner": 0}
    for name, usual in sizes.items():
        given = config.get(name)
        sizes[name] = usual if given is None else given
        if not isinstance(sizes[name], int) or isinstance(sizes[name], bool):
            raise ArgumentError(name, f"expected a whole number, got {sizes[name]!r}")
    called = config.get("activation_function", "gelu_new")
    if not isinstance(called, str) or called not in ACTIVATIONS:
        raise ArgumentError.unknown("activation_function", called, ACTIVATIONS)
    return TransformerConfig(
        layers=sizes["n_layer"],
        heads=sizes["n_head"],
        width=sizes["n_embd"],
        context=sizes["n_positions"],
        positions="learned",
        norm="layer",
        activation=ACTIVATIONS[called],
        qk_norm=False,
        bias=True,
        tied=bool(config.get("tie_word_embeddings", True)),
        feed=sizes["n_inner"],
    )


def load_gpt2(folder: Path | str) -> Transformer:
    """The model in a folder of GPT-2's layout, in float32 and in evaluation mode."""
    folder = Path(folder)
    config = read_json(folder / CONFIG, "a model's config.json")
    try:
        shape = shape_from_gpt2(config)
    except ArgumentError as error:
        raise FileError(folder / CONFIG, f"the lab's Transformer cannot hold this model: {error}") from error
    tensors = {_full_name(name): tensor for name, tensor in _read_tensors(folder).items()}
    embedding = tensors.get(f"{NAMES['embedding']}.weight")
    if embedding is None or embedding.dim() != 2:
        raise FileError(folder, "expected a matrix wte.weight, the embeddings; it is missing or has another shape")
    positions = tensors.get(gpt2_name("position.weight"))
    if positions is None or len(positions) != shape.context:
        got = 0 if positions is None else len(positions)
        raise FileError(folder, f"the weights do not fit config.json: expected {shape.context} positions, got {got}")
    try:
        check_described(shape, len(embedding), tensors)
    except ArgumentError as error:
        raise FileError(folder, f"the weights do not fit config.json: {error.message}") from error
    with torch.device("meta"):  # random weights would be replaced at once
        model = Transformer(shape, len(embedding))
    model.to_empty(device="cpu")
    if shape.tied:
        model.readout.weight = model.embedding.weight
    theirs = {name: gpt2_name(name) for name, _ in model.named_parameters()}
    for name in tensors.keys() - set(theirs.values()):
        if name.endswith(".weight") and ".h." in f".{name}":
            raise FileError(folder, f"the weights do not fit config.json: {name} is not in the model that it describes")
    found = {ours: _turned(model, ours, tensors[name]) for ours, name in theirs.items() if name in tensors}
    try:
        load_weights(model, found)
    except ArgumentError as error:
        raise FileError(folder, f"the weights do not fit config.json: {error.message}") from error
    return model.requires_grad_(False).eval()


def as_gpt2(model: Transformer) -> Layout:
    """A model in GPT-2's layout. Raises if the layout cannot hold the model, and names the settings to change.

    If the model has no biases, the layout gets zeros.
    """
    config = model.config
    check_fits(config, NEEDED, "GPT-2's")
    tensors = {}
    for name, parameter in model.named_parameters():
        tensors[gpt2_name(name)] = _turned(model, name, parameter.detach()).float().cpu().contiguous()
        if not config.bias and name.endswith(".weight") and not name.startswith(("embedding", "position", "readout")):
            outputs = parameter.new_zeros(parameter.shape[0], dtype=torch.float32, device="cpu")
            tensors[gpt2_name(name.removesuffix("weight") + "bias")] = outputs
    written = {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "n_layer": config.layers,
        "n_head": config.heads,
        "n_embd": config.width,
        "n_positions": config.context,
        "n_inner": config.feed or None,
        "vocab_size": model.readout.out_features,
        "activation_function": THEIR_ACTIVATIONS[config.activation],
        **FIXED,
        **dict.fromkeys(("attn_pdrop", "embd_pdrop", "resid_pdrop"), config.dropout),
        "tie_word_embeddings": config.tied,
        "bos_token_id": None,
        "eos_token_id": None,
        "dtype": "float32",
    }
    return Layout(written, tensors)


def gpt2_name(name: str) -> str:
    """The name in GPT-2's layout of a weight of the lab's Transformer.

    >>> gpt2_name("blocks.3.mixer.qkv.weight")
    'transformer.h.3.attn.c_attn.weight'
    """
    part, _, last = name.rpartition(".")
    if not part.startswith("blocks."):
        return f"{NAMES[part]}.{last}"
    _, layer, part = part.split(".", 2)
    return f"transformer.h.{layer}.{NAMES[part]}.{last}"


def _full_name(name: str) -> str:
    """The name with the prefix that GPT-2's own files leave out."""
    return name if name.startswith(("transformer.", "lm_head.")) else f"transformer.{name}"


def _turned(model: Transformer, name: str, tensor: Tensor) -> Tensor:
    """A weight, transposed if it is the matrix of a linear layer other than the read-out."""
    linear = isinstance(model.get_submodule(name.rpartition(".")[0]), nn.Linear)
    return tensor.T if linear and name.endswith(".weight") and not name.startswith("readout") else tensor


def _read_tensors(folder: Path) -> dict[str, Tensor]:
    """All tensors of a folder, from one file or several."""
    files = [WEIGHTS]
    if not (folder / WEIGHTS).is_file() and (folder / INDEX).is_file():
        listed = read_json(folder / INDEX, "a list of tensors").get("weight_map")
        if not isinstance(listed, dict) or not all(isinstance(n, str) and Path(n).name == n for n in listed.values()):
            raise FileError(folder / INDEX, 'expected a "weight_map" from tensors to files in the same folder')
        files = sorted(set(listed.values()))
    tensors: dict[str, Tensor] = {}
    for file in files:
        try:
            tensors |= load_file(folder / file)
        except OSError as error:
            raise FileError.unreadable(folder / file, error) from error
        except SafetensorError as error:
            raise FileError(folder / file, f"expected a safetensors file: {error}") from error
    return tensors
