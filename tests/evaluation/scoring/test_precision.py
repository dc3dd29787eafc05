"""bfloat16 only where it saves time, and changes the mean by no more than is stated."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attnlab.evaluation.scoring import precision
from attnlab.evaluation.scoring.costs import Policy, costs
from attnlab.evaluation.scoring.precision import TOLERANCE, drift, halved_if_faster, halved_subject
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


@pytest.fixture
def eager(monkeypatch):
    """bfloat16 counts as faster, whatever this machine says."""
    monkeypatch.setattr(precision, "FASTER", 0)
    monkeypatch.setattr(precision, "SAVED", -1e9)


@pytest.mark.usefixtures("eager")
def test_it_is_taken_where_the_mean_stays_within_the_tolerance():
    subject = made(1.0)
    half = halved_if_faster(subject, TEXT, len(TEXT), Policy())
    assert half is not None
    exact, rough = (costs(each, TEXT).nats.mean() for each in (subject, half))
    assert 0 < abs(rough - exact) <= TOLERANCE


@pytest.mark.usefixtures("eager")
def test_it_is_left_where_the_mean_may_change_by_more(monkeypatch):
    subject = made(5.0)
    assert halved_if_faster(subject, TEXT, len(TEXT), Policy()) is None
    monkeypatch.setattr(precision, "TOLERANCE", 1.0)
    assert halved_if_faster(subject, TEXT, len(TEXT), Policy()) is not None


def test_the_drift_is_twice_the_change_of_the_mean_or_twice_its_standard_error():
    exact = np.zeros(100)
    assert drift(exact, exact + 0.01) == pytest.approx(0.02)
    apart = np.tile([0.1, -0.1], 50)
    assert drift(exact, apart) == pytest.approx(2 * 0.1 / 10)


@pytest.mark.usefixtures("eager")
def test_a_short_text_and_counts_are_not_worth_it():
    assert halved_if_faster(made(1.0), TEXT, 100, Policy()) is None
    counts = replace(made(1.0), predictor=predictor_of(NGram.fit(np.arange(9), 256, 2)))
    assert halved_if_faster(counts, TEXT, len(TEXT), Policy()) is None
    assert halved_subject(counts) is None


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(("name", "value"), [("FASTER", 1e9), ("SAVED", 1e9)])
def test_what_saves_no_time_is_left_alone(monkeypatch, name, value):
    monkeypatch.setattr(precision, name, value)
    assert halved_if_faster(made(1.0), TEXT, len(TEXT), Policy()) is None


def test_a_halved_network_differs_a_little():
    subject = made(5.0)
    assert isinstance(subject.predictor, NetworkPredictor)
    ids = torch.arange(16)[None]
    exact, rough = (each.log_probs(ids) for each in (subject.predictor, halved(subject.predictor)))
    assert 0 < float((exact - rough).abs().max()) < 0.2
    assert rough.dtype == torch.float32
