"""Models with rotary positions in layouts of `transformers`: the same logits there, and refusals in words."""

import itertools
import json
from dataclasses import replace
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import save_file

from attnlab.errors import ArgumentError
from attnlab.evaluation.external.inside import HuggingFaceInside
from attnlab.models.inside import TransformerInside
from attnlab.models.kinds import make_model
from attnlab.models.layouts import as_layout
from attnlab.models.transformer import Transformer, TransformerConfig
from attnlab.training.language.recipes import RECIPES

SMALL = TransformerConfig(layers=2, heads=2, width=16, context=12)
SIZE = 40
IDS = torch.randint(SIZE, (3, 12), generator=torch.Generator().manual_seed(1))
GRID = [
    {"norm": norm, "qk_norm": qk_norm, "qk_gain": qk_norm and gain, "bias": bias, "activation": activation}
    for norm, (qk_norm, gain), bias, activation in itertools.product(
        ("rms", "layer"), ((True, False), (True, True), (False, False)), (False, True), ("relu-squared", "gelu")
    )
    if not (norm == "rms" and qk_norm and bias)
]


def made(config: TransformerConfig) -> Transformer:
    """A model none of whose weights is 0 or 1, so that none can be left out or mixed up unnoticed."""
    model = make_model(config, SIZE)
    assert isinstance(model, Transformer)
    generator = torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        parameter.data += 0.3 * torch.randn(parameter.shape, generator=generator)
    return model.eval()


def opened(folder, model: Transformer):
    """A model of ours as `transformers` opens it."""
    layout = as_layout(model)
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(layout.config))
    save_file(layout.tensors, folder / "model.safetensors", {"format": "pt"})
    loaded: Any = transformers.AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
    peer, report = loaded
    assert not any(report.values()), report
    return peer.eval()


@pytest.mark.parametrize("settings", [*GRID, {"tied": True, "feed": 24}, {"activation": "gelu-tanh"}])
@torch.no_grad()
def test_a_model_of_ours_has_the_same_logits_there(tmp_path, settings):
    model = made(replace(SMALL, **settings))
    peer = opened(tmp_path / "model", model)
    torch.testing.assert_close(peer(IDS).logits, model(IDS), atol=2e-5, rtol=0)


@pytest.mark.parametrize("settings", [{}, {"norm": "layer"}, {"qk_norm": False}])
@torch.no_grad()
def test_a_model_of_attention_alone_too(tmp_path, settings):
    model = made(replace(SMALL, attention_only=True, **settings))
    torch.testing.assert_close(opened(tmp_path / "model", model)(IDS).logits, model(IDS), atol=2e-5, rtol=0)


@pytest.mark.parametrize("recipe", ["quick", "shakespeare", "shakespeare-cpu", "shakespeare-quick"])
@torch.no_grad()
def test_the_models_of_the_recipes_fit(tmp_path, recipe):
    """What `attnlab train` trains is not refused."""
    config = RECIPES.find(recipe).model
    assert isinstance(config, TransformerConfig)
    model = made(replace(config, layers=1, context=16))
    torch.testing.assert_close(opened(tmp_path / "model", model)(IDS).logits, model(IDS), atol=1e-4, rtol=0)


@pytest.mark.parametrize("settings", [{}, {"norm": "layer"}, {"qk_norm": False}])
@torch.no_grad()
def test_its_heads_are_the_same_there(tmp_path, settings):
    model = made(replace(SMALL, **settings))
    ours, theirs = TransformerInside(model), HuggingFaceInside("model", opened(tmp_path / "model", model), 12)
    for here, there in zip(ours.look(IDS).layers, theirs.look(IDS).layers, strict=True):
        torch.testing.assert_close(here.weights, there.weights, atol=1e-5, rtol=0)
        torch.testing.assert_close(here.outputs, there.outputs, atol=1e-4, rtol=0)
    here, there = ours.circuits(1), theirs.circuits(1)
    assert there is not None
    for name in ("query", "key", "value", "out", "norm"):
        assert torch.equal(getattr(here, name), getattr(there, name)), name
    for one, other in zip(ours.ends(), theirs.ends(), strict=True):
        assert one is not None
        assert other is not None
        assert torch.equal(one, other)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mixer": "sink"}, "model: Apertus's layout cannot hold mixer sink; train the model with "
         "--model.mixer dot-product"),
        ({"bias": True}, "model: Apertus's layout cannot hold bias yes; train the model with --model.bias no"),
        ({"mixer": "perceiver", "norm": "layer"}, "model: Persimmon's layout cannot hold mixer perceiver; train the "
         "model with --model.mixer dot-product"),
    ],
)  # fmt: skip
def test_what_no_layout_holds_is_named_with_the_options_that_help(settings, message):
    with pytest.raises(ArgumentError) as refused:
        as_layout(made(replace(SMALL, **settings)))
    assert str(refused.value) == message
