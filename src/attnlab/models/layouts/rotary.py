"""Models with rotary positions in layouts of Hugging Face whose feed-forward layers have no gate, as the lab's.

    persimmon    layer norms; queries and keys normalised or not
    apertus      RMS norms; queries and keys normalised
    arcee        RMS norms; queries and keys as they are

What a model does not have becomes what changes nothing: a bias of 0, a gain of 1, feed-forward layers of one unit that
add 0.
"""

from typing import Any, Literal

import torch
from torch import Tensor, nn

from attnlab.models.layouts.layout import THEIR_ACTIVATIONS, Layout, check_fits
from attnlab.models.transformer import Transformer, TransformerConfig

Kind = Literal["persimmon", "apertus", "arcee"]
CLASSES = {"persimmon": "PersimmonForCausalLM", "apertus": "ApertusForCausalLM", "arcee": "ArceeForCausalLM"}
THETA = 10_000.0
"""The base of the angles of rotary positions."""
NORMS = {
    "persimmon": ("input_layernorm", "post_attention_layernorm", "final_layernorm"),
    "apertus": ("attention_layernorm", "feedforward_layernorm", "norm"),
    "arcee": ("input_layernorm", "post_attention_layernorm", "norm"),
}
"""The names of the norm before attention, of that before the feed-forward layers, and of the last one."""


def as_rotary(model: Transformer) -> Layout:
    """A model with rotary positions in a layout that holds it. Raises if none does, and names the settings to change.

    >>> from attnlab.models.kinds import make_model
    >>> as_rotary(make_model(TransformerConfig(layers=1), 5)).config["model_type"]
    'apertus'
    """
    config = model.config
    kind: Kind = "persimmon" if config.norm == "layer" else "apertus" if config.qk_norm else "arcee"
    needed = {"mixer": "dot-product", **({"bias": False} if kind == "apertus" else {})}
    check_fits(config, needed, f"{kind.capitalize()}'s")
    return Layout(_config(kind, config, model.readout.out_features), _tensors(kind, model))


def _config(kind: Kind, config: TransformerConfig, size: int) -> dict[str, Any]:
    """The content of config.json."""
    rope = {"rope_type": "default", "rope_theta": THETA}
    own: dict[str, Any] = {
        "persimmon": {"layer_norm_eps": 1e-5, "qk_layernorm": config.qk_norm, "partial_rotary_factor": 1.0},
        "apertus": {"rms_norm_eps": 1e-5, "attention_bias": False},
        "arcee": {"rms_norm_eps": 1e-5, "attention_bias": config.bias, "mlp_bias": config.bias},
    }[kind]
    if kind == "persimmon":
        rope["partial_rotary_factor"] = 1.0
        own["hidden_dropout"] = config.dropout
    return {
        "architectures": [CLASSES[kind]],
        "model_type": kind,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.heads,
        "head_dim": config.dim,
        "hidden_size": config.width,
        "intermediate_size": 1 if config.attention_only else config.inner,
        "max_position_embeddings": config.context,
        "vocab_size": size,
        "hidden_act": THEIR_ACTIVATIONS[config.activation],
        "attention_dropout": config.dropout,
        "rope_theta": THETA,
        "rope_parameters": rope,
        "tie_word_embeddings": config.tied,
        **dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id")),
        "dtype": "float32",
        **own,
    }


def _tensors(kind: Kind, model: Transformer) -> dict[str, Tensor]:
    """The tensors by their names in the layout."""
    last = _norm(kind, model.config.width, model.norm)
    parts: dict[str, nn.Module] = {"model.embed_tokens": model.embedding, f"model.{NORMS[kind][2]}": last}
    if not model.config.tied:
        parts["lm_head"] = model.readout
    for layer, block in enumerate(model.blocks):
        parts |= {f"model.layers.{layer}.{name}": part for name, part in _block(kind, model.config, block).items()}
    found: dict[str, Tensor] = {}
    for name, part in parts.items():
        for which, parameter in part.named_parameters():
            found[f"{name}.{which}"] = parameter.detach().float().cpu().contiguous().clone()
    return found


def _block(kind: Kind, config: TransformerConfig, block: nn.Module) -> dict[str, nn.Module]:
    """The parts of a block by their names in the layout, each as a module with the parameters that it has there."""
    mixer, biased = block.get_submodule("mixer"), kind == "persimmon" or config.bias
    before, between, _ = NORMS[kind]
    up, down = ("mlp.dense_h_to_4h", "mlp.dense_4h_to_h") if kind == "persimmon" else ("mlp.up_proj", "mlp.down_proj")
    if config.attention_only:
        feed = [nn.Linear(config.width, 1, bias=False), nn.Linear(1, config.width, bias=False)]
        for part in feed:
            nn.init.zeros_(part.weight)
        after = nn.Identity()
    else:
        feed = [block.get_submodule("feed.up"), block.get_submodule("feed.down")]
        after = block.get_submodule("feed_norm")
    parts = {
        before: _norm(kind, config.width, block.get_submodule("mixer_norm")),
        between: _norm(kind, config.width, after),
        up: _linear(feed[0], biased),
        down: _linear(feed[1], biased),
    }
    query_key_value, out = _linear(mixer.get_submodule("qkv"), biased), _linear(mixer.get_submodule("out"), biased)
    if kind == "persimmon":
        parts |= {"self_attn.query_key_value": _by_head(query_key_value, config.heads), "self_attn.dense": out}
    else:
        parts |= {f"self_attn.{name}_proj": part for name, part in zip("qkv", _thirds(query_key_value), strict=True)}
        parts["self_attn.o_proj"] = out
    if config.qk_norm:
        names = ("q_layernorm", "k_layernorm") if kind == "persimmon" else ("q_norm", "k_norm")
        for name, norm in zip(names, ("normalise", "normalise_keys"), strict=True):
            parts[f"self_attn.{name}"] = _norm(kind, config.dim, mixer.get_submodule(norm))
    return parts


def _norm(kind: Kind, width: int, own: nn.Module) -> nn.Module:
    """A norm with the gain (and bias) of the layout: the model's own, or 1 (and 0)."""
    found = nn.LayerNorm(width) if kind == "persimmon" else nn.RMSNorm(width)
    return _filled(found, own)


def _linear(own: nn.Module, biased: bool) -> nn.Linear:
    """A linear layer with or without a bias; where the model has none, it is 0."""
    assert isinstance(own, nn.Linear)
    found = nn.Linear(own.in_features, own.out_features, bias=biased)
    if biased:
        nn.init.zeros_(found.bias)
    return _filled(found, own)


def _filled(found: nn.Module, own: nn.Module) -> Any:
    """A new part with the parameters that the model's own part has."""
    theirs = dict(found.named_parameters())
    with torch.no_grad():
        for name, parameter in own.named_parameters():
            if name in theirs:
                theirs[name].copy_(parameter)
    return found


def _by_head(part: nn.Linear, heads: int) -> nn.Linear:
    """Queries, keys and values head by head, instead of all queries, then all keys, then all values."""
    for parameter in part.parameters():
        parameter.data = parameter.unflatten(0, (3, heads, -1)).transpose(0, 1).flatten(0, 2)
    return part


def _thirds(part: nn.Linear) -> list[nn.Linear]:
    """Queries, keys and values as three layers."""
    found = [nn.Linear(part.in_features, part.out_features // 3, bias=part.bias is not None) for _ in range(3)]
    for place, each in enumerate(found):
        for name, parameter in each.named_parameters():
            parameter.data = part.get_parameter(name).detach().chunk(3)[place]
    return found
