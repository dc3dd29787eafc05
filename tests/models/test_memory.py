"""What a model needs, told from its settings alone."""

import time
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
import torch

from attnlab.errors import ArgumentError
from attnlab.models import memory
from attnlab.models.averaging import AveragingConfig, AveragingNetwork
from attnlab.models.bigram import BigramConfig
from attnlab.models.kinds import (
    expected_parameters,
    kept_numbers,
    make_model,
    make_network,
    model_from_weights,
    parameter_count,
    weights_of,
)
from attnlab.models.memory import check_memory, memory_bytes
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer_config import Mixing, TransformerConfig

SMALL = TransformerConfig(layers=3, heads=2, width=32, context=24)
CONFIGS = [
    *(replace(SMALL, mixer=mixer) for mixer in get_args(Mixing)),
    replace(SMALL, tied=True, feed=48),
    replace(SMALL, attention_only=True, positions="learned"),
    RecurrentConfig(layers=2, width=32),
    RecurrentConfig(cell="lstm", width=32),
    BigramConfig(dim=20, hidden=30),
]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: f"{config.kind} {getattr(config, 'mixer', '')}")
def test_settings_tell_the_number_of_parameters(config):
    """Never more than there are, so that no model is refused that fits; and nearly all of them."""
    true = parameter_count(make_network(config, 50))
    assert 0.9 * true <= expected_parameters(config, 50) <= true


@pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("config", CONFIGS[:-3], ids=lambda config: f"{config.mixer} {config.attention_only}")
def test_settings_tell_what_a_training_step_keeps(config, precision):
    """Never more than it keeps, in either precision, so that no training is refused that fits."""
    model, kept = make_network(config, 50), {}
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = tensor  # held, so that no other tensor gets its place
        return tensor

    hooks = torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor)
    with hooks, torch.autocast("cpu", precision, enabled=precision != torch.float32):
        model(torch.zeros(4, config.context, dtype=torch.long))
    numbers = sum(tensor.untyped_storage().nbytes() for tensor in kept.values()) / 4
    assert kept_numbers(config) * 4 * config.context <= numbers <= 10 * kept_numbers(config) * 4 * config.context


@pytest.mark.parametrize("name", ["width", "context", "feed", "latents"])
@pytest.mark.parametrize("number", [10**10, 10**19])
def test_a_model_of_any_size_is_refused_at_once(name, number):
    config = replace(SMALL, mixer="random-synthesizer" if name == "context" else "perceiver", **{name: number})
    began = time.perf_counter()
    with pytest.raises(ArgumentError, match=r"^model: \S+ parameters need about \S+ GB, this machine has \S+ GB"):
        make_model(config, 100)
    assert time.perf_counter() - began < 1


@pytest.mark.parametrize("kind", [TransformerConfig, RecurrentConfig, AveragingConfig])
def test_layers_are_limited(kind):
    with pytest.raises(
        ArgumentError, match=r"^layers: expected a whole number from \d to 10,000, got 10000000; try 10000$"
    ):
        kind(layers=10**7)


def test_a_classifier_of_any_size_is_refused():
    with pytest.raises(ArgumentError, match="parameters need about"):
        AveragingNetwork(AveragingConfig(dim=10**10), 100, 2)


def test_weights_of_another_size_are_refused_before_the_model_is_made():
    weights = weights_of(make_model(SMALL, 50))
    with pytest.raises(ArgumentError, match=r"config\.json describes at least [0-9,]+ parameters, found [0-9,]+$"):
        model_from_weights(replace(SMALL, width=10**19), 50, weights)


def test_training_needs_more_than_opening(monkeypatch):
    monkeypatch.setattr(memory, "memory_bytes", lambda device: 10**9)
    check_memory(10**8)
    with pytest.raises(ArgumentError, match="100,000,000 parameters need about 1 GB, this machine has 1 GB"):
        check_memory(10**8, trained=True)
    with pytest.raises(ArgumentError, match="parameters with this batch need about 4 GB"):
        check_memory(1, trained=True, activations=10**9)


def test_a_container_has_the_memory_that_it_may_use(monkeypatch, tmp_path):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "LIMIT", limit)
    whole = memory_bytes(torch.device("cpu"))
    for text, expected in (("max\n", whole), ("1000000\n", 10**6)):
        limit.write_text(text)
        assert memory_bytes() == expected


def test_a_text_too_long_to_count_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "memory_bytes", lambda: 10**9)
    NGram.fit(np.zeros(1000, np.int64), 2)
    monkeypatch.setattr(memory, "COUNTED", 10**7)
    with pytest.raises(
        ArgumentError, match=r"^text: counting the n-grams of 1,000 tokens needs about 10 GB, this mach"
    ):
        NGram.fit(np.zeros(1000, np.int64), 2)


@pytest.mark.parametrize("config", [BigramConfig(dim=10**10), BigramConfig(hidden=10**10)])
def test_a_bigram_model_of_any_size_is_refused(config):
    with pytest.raises(ArgumentError, match="parameters need about"):
        make_network(config, 100)


@pytest.mark.parametrize("name", ["width", "layers"])
def test_a_recurrent_model_of_any_size_is_refused(name):
    config = RecurrentConfig(width=10**10) if name == "width" else RecurrentConfig(layers=10_000, width=10**5)
    with pytest.raises(ArgumentError, match="parameters need about"):
        make_model(config, 100)


def test_the_angles_of_rotary_positions_need_memory_too():
    with pytest.raises(ArgumentError, match=r"parameters and \S+ angles of positions need about"):
        make_model(replace(SMALL, context=10**11), 100)


def test_a_process_has_the_memory_that_it_may_use(monkeypatch):
    monkeypatch.setattr(memory.resource, "getrlimit", lambda what: (10**6, -1))
    assert memory_bytes() == 10**6
