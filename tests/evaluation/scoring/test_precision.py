"""bfloat16 changes costs a little, and the estimate of how far covers the change of the mean."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attnlab.evaluation.scoring import precision
from attnlab.evaluation.scoring.costs import Policy, costs
from attnlab.evaluation.scoring.precision import halved_subject, rounding
from attnlab.evaluation.scoring.predictors import NetworkPredictor, halved, predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.kinds import make_model
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.transformer import TransformerConfig
from attnlab.text import train_tokenizer

TEXT = "to be or not to be, that is the question; " * 40


def made(size: float) -> Subject:
    """A network whose logits lie further apart the larger its weights are."""
    model = make_model(TransformerConfig(layers=1, heads=1, width=32, context=16), 256)
    for parameter in model.parameters():
        parameter.data *= size
    return Subject("m", train_tokenizer("bytes", ""), predictor_of(model))


@pytest.mark.parametrize("size", [1.0, 5.0])
def test_the_estimate_covers_the_change_of_the_mean(size):
    subject = made(size)
    half = halved_subject(subject)
    assert half is not None
    exact, rough = (costs(each, TEXT).nats.mean() for each in (subject, half))
    assert 0 < abs(rough - exact) <= rounding(subject, half, TEXT, Policy())


def test_the_estimate_is_twice_the_change_of_the_mean_or_twice_its_standard_error(monkeypatch):
    half = halved_subject(made(1.0))
    assert half is not None
    for changes, expected in (np.full(100, 0.01), 0.02), (np.tile([0.1, -0.1], 50), 2 * 0.1 / 10), (np.empty(0), 0):
        given = iter([np.zeros(len(changes)), changes])
        monkeypatch.setattr(precision, "token_nats", lambda *_, given=given, **__: next(given))
        assert rounding(half, half, TEXT, Policy()) == pytest.approx(expected)


def test_counts_have_no_precision():
    assert halved_subject(replace(made(1.0), predictor=predictor_of(NGram.fit(np.arange(9), 256, 2)))) is None


def test_a_halved_network_differs_a_little():
    subject = made(5.0)
    assert isinstance(subject.predictor, NetworkPredictor)
    ids = torch.arange(16)[None]
    exact, rough = (each.log_probs(ids) for each in (subject.predictor, halved(subject.predictor)))
    assert 0 < float((exact - rough).abs().max()) < 0.2
    assert rough.dtype == torch.float32
