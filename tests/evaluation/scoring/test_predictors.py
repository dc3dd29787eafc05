"""Tests of the costs that a predictor computes in blocks, against the plain cross-entropy of all logits."""

import pytest
import torch
from torch.nn import functional

from attnlab.evaluation.scoring import predictors
from attnlab.evaluation.scoring.predictors import NetworkPredictor, blockwise_nats, predictor_of
from attnlab.evaluation.scoring.windows import stream_nats
from attnlab.models.kinds import make_model
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig


@pytest.mark.parametrize("config", [TransformerConfig(2, 2, 16, context=8), RecurrentConfig(width=16, context=8)])
@pytest.mark.parametrize("last", [1, 3, 8])
def test_blocks_of_the_vocabulary_change_no_cost(config, last, monkeypatch):
    monkeypatch.setattr(predictors, "LOGITS_IN_CACHE", 100)  # several blocks
    found = predictor_of(make_model(config, 57))
    assert isinstance(found, NetworkPredictor)
    ids, targets = torch.randint(57, (3, 8)), torch.randint(57, (3, last))
    assert (found.nats(ids, targets) - NetworkPredictor.nats(found, ids, targets)).abs().max() < 1e-6


def test_no_block_holds_more_logits_than_the_cache(monkeypatch):
    seen = []
    linear = functional.linear
    monkeypatch.setattr(functional, "linear", lambda *given: seen.append(found := linear(*given)) or found)
    blockwise_nats(torch.randn(1024, 2), torch.nn.Linear(2, 5000), torch.arange(1024))
    assert max(each.numel() for each in seen) <= predictors.LOGITS_IN_CACHE
    assert sum(each.shape[1] for each in seen) == 5000


def test_logits_that_are_infinite_cost_what_the_plain_softmax_says():
    readout = torch.nn.Linear(1, 4)
    with torch.no_grad():
        readout.weight[:] = torch.tensor([[1.0], [2.0], [3.0], [4.0]])
        readout.bias[:] = torch.tensor([0.0, -torch.inf, 300.0, -300.0])
        hidden = torch.tensor([[1.0], [-2.0]])
        for target in range(4):
            targets = torch.full((2,), target)
            plain = functional.cross_entropy(readout(hidden), targets, reduction="none")
            assert torch.equal(blockwise_nats(hidden, readout, targets), plain)


def test_a_transformer_on_a_cpu_reads_as_many_windows_at_once_as_its_cache_takes():
    found = predictor_of(make_model(TransformerConfig(1, 1, 8, context=64), 5))
    rows = []
    plain = found.nats
    found.nats = lambda ids, targets: rows.append(ids.shape) or plain(ids, targets)
    list(stream_nats(found, [torch.zeros(64 * 40 + 1, dtype=torch.long).numpy()]))
    assert max(count * tokens for count, tokens in rows) == predictors.TOKENS_IN_CACHE
