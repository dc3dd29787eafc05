"""What holds for every model: it is causal, its probabilities sum to one, and neither batch nor cache changes them."""

import dataclasses

import numpy as np
import pytest
import torch
from torch import Tensor

from attnlab.errors import ArgumentError
from attnlab.evaluation.audit import audit
from attnlab.evaluation.scoring.predictors import predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.bigram import BigramConfig
from attnlab.models.kinds import (
    CONFIGS,
    AnyModel,
    Model,
    ModelConfig,
    make_model,
    model_from_weights,
    new_cache,
    parameter_count,
    weights_of,
)
from attnlab.models.ngrams.ngram import NGram, NGramConfig
from attnlab.models.recurrent import Recurrent, RecurrentConfig
from attnlab.models.transformer import Transformer, TransformerConfig
from attnlab.runs.checkpoints import write_checkpoint
from attnlab.settings import read, write
from attnlab.text import train_tokenizer
from attnlab.training.language.counting import CountTraining, fit

SIZE, CONTEXT = 11, 12
TINY = TransformerConfig(layers=2, heads=2, width=16, context=CONTEXT)
MODELS: dict[str, ModelConfig] = {
    "ngram": NGramConfig(order=3),
    "bigram": BigramConfig(dim=6, hidden=8),
    "gru": RecurrentConfig(width=12, layers=2, context=CONTEXT),
    "lstm": RecurrentConfig(cell="lstm", width=12, context=CONTEXT),
    "transformer": TINY,
    "gpt2's layout": dataclasses.replace(
        TINY, positions="learned", norm="layer", activation="gelu", qk_norm=False, bias=True, tied=True
    ),
    "layer norm": dataclasses.replace(TINY, norm="layer", dropout=0.3),
    "synthesizer": dataclasses.replace(TINY, mixer="synthesizer", dropout=0.3),
    "random synthesizer": dataclasses.replace(TINY, mixer="random-synthesizer", feed=40),
    "perceiver": dataclasses.replace(TINY, mixer="perceiver", latents=3),
    "perceiver, gpt2's layout": dataclasses.replace(
        TINY, mixer="perceiver", latents=5, positions="learned", norm="layer", qk_norm=False, bias=True, tied=True
    ),
}
LEARNERS = [name for name, shape in MODELS.items() if isinstance(shape, RecurrentConfig | TransformerConfig)]
TEXT = torch.randint(SIZE, (400,), generator=torch.Generator().manual_seed(1))
each_model = pytest.mark.parametrize("name", MODELS)
remembering = pytest.mark.parametrize("name", LEARNERS)


def made(name: str) -> Model:
    """The model, with weights large enough to tell tokens apart."""
    shape = MODELS[name]
    if isinstance(shape, NGramConfig | BigramConfig):
        return fit(shape, TEXT.numpy(), SIZE, CountTraining(steps=5))[0]
    model = make_model(shape, SIZE, seed=3).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(4) if parameter.dim() >= 2 else None
    return model


def log_chances(model: Model, ids: Tensor) -> Tensor:
    """ln p of every token after each of these, (batch, positions, vocab)."""
    if isinstance(model, NGram):
        rows = [[model.next(row[: end + 1]) for end in range(len(row))] for row in ids.tolist()]
        return torch.from_numpy(np.log(rows))
    with torch.no_grad():
        return torch.log_softmax(model(ids).double(), -1)


def some_ids(batch: int, length: int = CONTEXT) -> Tensor:
    return torch.randint(SIZE, (batch, length), generator=torch.Generator().manual_seed(batch))


@each_model
def test_a_later_token_changes_nothing_before_it(name):
    model, ids = made(name), some_ids(1)
    before = log_chances(model, ids)
    for place in range(1, CONTEXT):
        changed = ids.clone()
        changed[0, place] = (changed[0, place] + 1) % SIZE
        after = log_chances(model, changed)
        torch.testing.assert_close(after[:, :place], before[:, :place], rtol=0, atol=1e-6)
        assert not torch.allclose(after[:, place], before[:, place], atol=1e-4)


@each_model
def test_probabilities_sum_to_one(name):
    chances = log_chances(made(name), some_ids(3)).exp()
    assert (chances > 0).all()
    torch.testing.assert_close(chances.sum(-1), torch.ones(3, CONTEXT, dtype=torch.float64))


@each_model
def test_the_batch_changes_nothing(name):
    model, ids = made(name), some_ids(4)
    one_by_one = torch.cat([log_chances(model, row[None]) for row in ids])
    torch.testing.assert_close(log_chances(model, ids), one_by_one, rtol=0, atol=1e-5)


@each_model
@pytest.mark.parametrize("seed", range(2))
def test_the_audit_is_passed(name, seed):
    """Whatever the weights are: those that it begins with, and others 20 times as large."""
    tokenizer = train_tokenizer("characters", "abcdefghij")
    assert tokenizer.size == SIZE
    for model in (made(name), _drawn(name, seed)):
        certificate = audit(Subject(name, tokenizer, predictor_of(model), unknown=0), seed=seed)
        assert certificate.failed == ()


def _drawn(name: str, seed: int) -> Model:
    shape = MODELS[name]
    if isinstance(shape, NGramConfig | BigramConfig):
        return fit(shape, TEXT.numpy()[100 * seed :], SIZE, CountTraining(steps=5, seed=seed))[0]
    model = make_model(shape, SIZE, seed)
    if seed:
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(20)
    return model


@remembering
@pytest.mark.parametrize("cuts", [[1] * CONTEXT, [5, 1, 1, 5], [1, 11], [CONTEXT]])
def test_a_cache_changes_nothing(name, cuts):
    model, ids = made(name), some_ids(2)
    assert isinstance(model, Recurrent | Transformer)
    cache = new_cache(model)
    with torch.no_grad():
        pieces = [model(piece, cache) for piece in ids.split(cuts, dim=1)]
        torch.testing.assert_close(torch.cat(pieces, dim=1), model(ids), rtol=1e-5, atol=1e-5)
    assert cache.length == CONTEXT


@each_model
def test_a_model_survives_its_checkpoint(name, tmp_path):
    model = made(name)
    written = write_checkpoint(tmp_path, 7, weights_of(model), {})
    again = model_from_weights(MODELS[name], SIZE, written.tensors())
    ids = some_ids(2)
    assert torch.equal(log_chances(again, ids), log_chances(model, ids))
    assert parameter_count(again) == parameter_count(model) > 0


@each_model
def test_settings_survive_json(name):
    assert read(AnyModel, write(MODELS[name])) == MODELS[name]


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_setting_that_is_not_there_is_refused(kind):
    with pytest.raises(ArgumentError, match=r"^model.bogus: there is no such setting"):
        read(AnyModel, {"kind": kind, "bogus": 1}, "model")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"kind": "foo"}, "settings: expected ngram, bigram, recurrent or transformer; got 'foo'"),
        ({"kind": "ngram", "order": "3"}, "order: expected a whole number, got '3'"),
        ({"kind": "ngram", "order": True}, "order: expected a whole number, got True"),
        ({"kind": "ngram", "order": 0}, "order: expected a whole number from 1 to 64, got 0; try 1"),
        ({"kind": "bigram", "dim": 0}, "dim: expected a whole number of at least 1, got 0; try 1"),
        ({"kind": "recurrent", "cell": "elman"}, "cell: expected gru or lstm; got 'elman'"),
        ({"kind": "recurrent", "width": 0}, "width: expected a whole number of at least 1, got 0; try 1"),
        ({"kind": "transformer", "heads": 3}, "heads: must divide the width (128); got 3; try 4"),
        (
            {"kind": "transformer", "heads": 128},
            "heads: rotary positions need an even width per head; got 1; use fewer heads",
        ),
        ({"kind": "transformer", "dropout": 1}, "dropout: expected a number of at least 0 and less than 1, got 1"),
        ({"kind": "transformer", "tied": "yes"}, "tied: expected true or false, got 'yes'"),
    ],
)
def test_bad_settings(value, message):
    with pytest.raises(ArgumentError) as refused:
        read(AnyModel, value)
    assert str(refused.value) == message


def test_weights_of_another_model_are_refused():
    weights = weights_of(made("transformer"))
    with pytest.raises(
        ArgumentError, match=r"^weights: expected embedding.weight of shape \(12, 16\), got \(11, 16\)$"
    ):
        model_from_weights(TINY, SIZE + 1, weights)
    with pytest.raises(ArgumentError, match=r"^weights: config.json describes at least 6,496 parameters, found 0$"):
        model_from_weights(TINY, SIZE, {})
    with pytest.raises(ArgumentError, match=r"^weights: expected a tensor embedding.weight, which is missing$"):
        model_from_weights(
            TINY, SIZE, {"other" if name == "embedding.weight" else name: each for name, each in weights.items()}
        )
    with pytest.raises(ArgumentError, match=r"^weights: the model has no parameter more$"):
        model_from_weights(TINY, SIZE, {**weights, "more": torch.zeros(1)})


def test_a_transformer_refuses_more_than_its_context(as_installed):
    model = made("transformer")
    assert isinstance(model, Transformer)
    with pytest.raises(ArgumentError, match=r"^ids: expected at most 12 tokens, got 13$"):
        model(some_ids(1, CONTEXT + 1))


def test_weights_depend_on_the_seed_alone_and_leave_torchs_own_alone():
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    first, second = make_model(TINY, SIZE, seed=5), make_model(TINY, SIZE, seed=5)
    assert torch.equal(torch.rand(1), expected)
    assert torch.equal(first.readout.weight, second.readout.weight)
    assert not torch.equal(first.readout.weight, make_model(TINY, SIZE, seed=6).readout.weight)
