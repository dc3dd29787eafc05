"""bfloat16 only where it pays, and with an error that is known."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from attnlab.evaluation.scoring import precision
from attnlab.evaluation.scoring.costs import Policy, costs
from attnlab.evaluation.scoring.measures import measure
from attnlab.evaluation.scoring.precision import halved_if_faster
from attnlab.evaluation.scoring.predictors import NetworkPredictor, halved, predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.kinds import make_model
from attnlab.models.ngram import NGram
from attnlab.models.transformer import TransformerConfig
from attnlab.text import train_tokenizer

TEXT = "to be or not to be, that is the question; " * 40


@pytest.fixture
def subject() -> Subject:
    model = make_model(TransformerConfig(layers=1, heads=1, width=32, context=16), 256)
    for parameter in model.parameters():
        parameter.data *= 5  # so that the logits are not all alike
    return Subject("m", train_tokenizer("bytes", ""), predictor_of(model))


@pytest.fixture
def eager(monkeypatch):
    """bfloat16 counts as faster, whatever this machine says."""
    monkeypatch.setattr(precision, "FASTER", 0)


@pytest.mark.usefixtures("eager")
def test_the_drift_holds_the_change_of_the_whole_text(subject):
    found = halved_if_faster(subject, [TEXT], len(TEXT), Policy())
    assert found is not None
    exact, rough = (costs(each, TEXT).nats.mean() for each in (subject, found.subject))
    assert 0 < abs(rough - exact) < 2 * found.drift < 0.1


@pytest.mark.usefixtures("eager")
def test_a_short_text_and_counts_are_not_worth_it(subject):
    assert halved_if_faster(subject, [TEXT], 100, Policy()) is None
    counts = replace(subject, predictor=predictor_of(NGram.fit(np.arange(9), 256, 2)))
    assert halved_if_faster(counts, [TEXT], len(TEXT), Policy()) is None


def test_what_is_not_faster_is_left_alone(subject, monkeypatch):
    monkeypatch.setattr(precision, "FASTER", 1e9)
    assert halved_if_faster(subject, [TEXT], len(TEXT), Policy()) is None


def test_a_halved_network_differs_a_little(subject):
    assert isinstance(subject.predictor, NetworkPredictor)
    ids = torch.arange(16)[None]
    exact, rough = (each.log_probs(ids) for each in (subject.predictor, halved(subject.predictor)))
    assert 0 < float((exact - rough).abs().max()) < 0.2
    assert rough.dtype == torch.float32


def test_a_shifted_measure_is_that_of_dearer_tokens(subject):
    plain = measure(subject, [TEXT])

    class Dearer(NetworkPredictor):
        def nats(self, ids, targets):
            return super().nats(ids, targets) + 0.25

    network = subject.predictor
    assert isinstance(network, NetworkPredictor)
    dearer = Dearer(network.logits, network.context, network.size, network.device)
    found, shifted = measure(replace(subject, predictor=dearer), [TEXT]), plain.shifted(0.25)
    for name in ("nats_per_token", "spelled_nats_per_token", "bits_per_byte", "bits_per_character", "nats_per_word"):
        # all tokens but the first are dearer
        assert getattr(found, name).value == pytest.approx(getattr(shifted, name).value, rel=1e-3)
