"""GPT-2's layout beside the lab's own Transformer: the same numbers in both directions, and refusals in words."""

import json
import re
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file, save_file

from attnlab.errors import ArgumentError, FileError
from attnlab.models.kinds import make_model
from attnlab.models.layouts.gpt2 import as_gpt2, load_gpt2, shape_from_gpt2
from attnlab.models.transformer import GPT2, Transformer, TransformerConfig

transformers = pytest.importorskip("transformers")

SMALL = replace(GPT2, layers=2, heads=2, width=16, context=12)
VOCABULARY = 40
IDS = torch.randint(VOCABULARY, (3, 12), generator=torch.Generator().manual_seed(1))


def shaken(model):
    """A model none of whose weights is 0 or 1, so that none can be left out or mixed up unnoticed."""
    generator = torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        parameter.data += 0.3 * torch.randn(parameter.shape, generator=generator)
    return model.eval()


def theirs(**settings):
    config = transformers.GPT2Config(
        n_layer=2,
        n_head=2,
        n_embd=16,
        n_positions=12,
        vocab_size=VOCABULARY,
        bos_token_id=0,
        eos_token_id=0,
        **settings,
    )
    return shaken(transformers.GPT2LMHeadModel(config))


def opened(folder, layout):
    """A model of ours as the peer opens it."""
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(layout.config))
    save_file(layout.tensors, folder / "model.safetensors", {"format": "pt"})
    model, report = transformers.GPT2LMHeadModel.from_pretrained(folder, output_loading_info=True)
    assert not any(report.values()), report
    return model.eval()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"activation_function": "gelu"},
        {"n_inner": 24},
        {"activation_function": "relu2"},
        {"activation_function": "gelu_pytorch_tanh"},
        {"tie_word_embeddings": False},
    ],
)
def test_a_folder_of_theirs_has_the_same_logits_here(tmp_path, settings):
    peer = theirs(**settings)
    peer.save_pretrained(tmp_path)
    with torch.no_grad():
        torch.testing.assert_close(load_gpt2(tmp_path)(IDS), peer(IDS).logits, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"activation": "gelu"},
        {"activation": "relu-squared"},
        {"tied": False, "feed": 24},
        {"bias": False, "dropout": 0.5},
    ],
)
def test_a_model_of_ours_has_the_same_logits_there_and_comes_back(tmp_path, settings):
    model = shaken(make_model(replace(SMALL, **settings), VOCABULARY))
    assert isinstance(model, Transformer)
    peer = opened(tmp_path / "model", as_gpt2(model))
    with torch.no_grad():
        torch.testing.assert_close(peer(IDS).logits, model(IDS), atol=1e-5, rtol=0)
        assert torch.equal(load_gpt2(tmp_path / "model")(IDS), model(IDS))


def test_several_files_names_without_a_beginning_and_half_precision(tmp_path):
    peer = theirs()
    peer.save_pretrained(tmp_path / "whole")
    peer.save_pretrained(tmp_path / "parts", max_shard_size="8KB")
    assert len([*(tmp_path / "parts").glob("*.safetensors")]) > 1
    tensors = load_file(tmp_path / "whole" / "model.safetensors")
    short = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
    masks = {"h.0.attn.bias": torch.ones(1, 1, 12, 12), "h.0.attn.masked_bias": torch.tensor(-1e4)}
    for name, saved in {"short": short | masks, "half": {each: t.bfloat16() for each, t in tensors.items()}}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_bytes((tmp_path / "whole" / "config.json").read_bytes())
        save_file(saved, tmp_path / name / "model.safetensors")
    expected = load_gpt2(tmp_path / "whole")(IDS)
    assert torch.equal(load_gpt2(tmp_path / "parts")(IDS), expected)
    assert torch.equal(load_gpt2(tmp_path / "short")(IDS), expected)
    half = load_gpt2(tmp_path / "half")(IDS)
    assert half.dtype == torch.float32
    assert not torch.equal(half, expected)
    torch.testing.assert_close(half, expected, atol=0.3, rtol=0)


def test_what_the_layout_cannot_hold_is_named_with_the_options_that_help():
    with pytest.raises(ArgumentError) as raised:
        as_gpt2(Transformer(TransformerConfig(), VOCABULARY))
    assert str(raised.value) == (
        "model: GPT-2's layout cannot hold positions rotary, norm rms, qk_norm yes; train the model with "
        "--model.positions learned --model.norm layer --model.qk-norm no"
    )
    with pytest.raises(ArgumentError, match=r"cannot hold norm rms; train the model with --model\.norm layer$"):
        as_gpt2(Transformer(replace(SMALL, norm="rms"), VOCABULARY))
    for mixer in ("synthesizer", "random-synthesizer", "perceiver"):
        helps = r"train the model with --model\.mixer dot-product$"
        with pytest.raises(ArgumentError, match=rf"^model: GPT-2's layout cannot hold mixer {mixer}; {helps}"):
            as_gpt2(Transformer(replace(SMALL, mixer=mixer), VOCABULARY))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "llama"}, "model_type: expected gpt2, got 'llama'"),
        ({"layer_norm_epsilon": 1e-6}, "layer_norm_epsilon: expected 1e-05, got 1e-06"),
        ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx: expected False, got True"),
        ({"n_inner": "wide"}, "n_inner: expected a whole number, got 'wide'"),
        ({"n_layer": "two"}, "n_layer: expected a whole number, got 'two'"),
        ({"n_head": 3}, "heads: must divide the width (16); got 3; try 4"),
        (
            {"activation_function": "silu"},
            "activation_function: expected gelu_new, gelu, relu2, gelu_pytorch_tanh or gelu_fast; got 'silu'",
        ),
    ],
)
def test_a_config_that_the_lab_has_no_model_for(change, message):
    config = as_gpt2(Transformer(SMALL, VOCABULARY)).config
    assert shape_from_gpt2(config) == SMALL
    with pytest.raises(ArgumentError, match=f"^{re.escape(message)}$"):
        shape_from_gpt2(config | change)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda tensors: tensors.pop("transformer.h.1.mlp.c_fc.bias"), "expected a tensor blocks.1.feed.up.bias"),
        (lambda tensors: tensors.pop("transformer.wte.weight"), "expected a matrix wte.weight"),
        (
            lambda tensors: tensors.update({"transformer.wpe.weight": torch.zeros(3, 16)}),
            "expected 12 positions, got 3",
        ),
    ],
)
def test_weights_that_do_not_fit(tmp_path, damage, message):
    layout = as_gpt2(Transformer(SMALL, VOCABULARY))
    damage(layout.tensors)
    (tmp_path / "config.json").write_text(json.dumps(layout.config))
    save_file(layout.tensors, tmp_path / "model.safetensors")
    with pytest.raises(FileError, match=re.escape(message)):
        load_gpt2(tmp_path)


def test_files_that_are_missing_or_something_else(tmp_path):
    with pytest.raises(FileError, match=r"config\.json: there is no such file"):
        load_gpt2(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(as_gpt2(Transformer(SMALL, VOCABULARY)).config))
    with pytest.raises(FileError, match=r"model\.safetensors: there is no such file"):
        load_gpt2(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"not tensors")
    with pytest.raises(FileError, match=r"model\.safetensors: expected a safetensors file"):
        load_gpt2(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": {"a": "../elsewhere.safetensors"}}')
    with pytest.raises(FileError, match='expected a "weight_map" from tensors to files in the same folder'):
        load_gpt2(tmp_path)


def test_the_default_shape_is_gpt2_itself():
    assert shape_from_gpt2({"model_type": "gpt2"}) == GPT2
    assert TransformerConfig() != GPT2
