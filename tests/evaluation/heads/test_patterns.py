"""Scores of patterns, against plain loops over the weights."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from attnlab.evaluation.heads.chance import pattern_chance
from attnlab.evaluation.heads.patterns import key_spread, pattern_scores, uniform
from attnlab.models.lens import LayerHeads

LENGTH = 7


def heads_of(logits: Tensor, keys: Tensor | None = None, kept: float = 1.0) -> LayerHeads:
    """Heads with these logits; `kept` is the share of attention that a sink term leaves."""
    later = torch.ones(logits.shape[-2:]).triu(1).bool()
    logits = logits.masked_fill(later, -torch.inf)
    weights, values = kept * logits.softmax(-1), torch.zeros_like(logits[..., :2] if keys is None else keys)
    return LayerHeads(None, keys, values, logits, weights, values)


def looped(weights: list[list[float]], logits: list[list[float]]) -> dict[str, float]:
    """The scores of one head in one window, by the definitions."""
    found: dict[str, float] = dict.fromkeys(("previous", "self", "first", "entropy", "distance", "logit_range"), 0.0)
    rows = range(1, len(weights))
    for i in rows:
        row = [each / sum(weights[i]) for each in weights[i][: i + 1]]
        found["previous"] += weights[i][i - 1] / len(rows)
        found["self"] += weights[i][i] / len(rows)
        found["first"] += weights[i][0] / len(rows)
        found["entropy"] += -sum(each * math.log(each) for each in row if each) / math.log(i + 1) / len(rows)
        found["distance"] += sum(each * (i - j) for j, each in enumerate(row)) / len(rows)
        found["logit_range"] += (max(logits[i][: i + 1]) - min(logits[i][: i + 1])) / len(rows)
    return found


@pytest.mark.parametrize("kept", [1.0, 0.3])
def test_every_score_is_that_of_a_loop(kept):
    seen = heads_of(3 * torch.randn(2, 3, LENGTH, LENGTH, dtype=torch.float64), kept=kept)
    found = pattern_scores(seen)
    for batch in range(2):
        for head in range(3):
            wanted = looped(seen.weights[batch, head].tolist(), seen.logits[batch, head].tolist())
            assert {key: float(each[batch, head]) for key, each in found.items()} == pytest.approx(wanted)


def test_the_spread_of_keys_is_that_of_their_lengths():
    keys = torch.randn(1, 2, LENGTH, 3, dtype=torch.float64)
    found = pattern_scores(heads_of(torch.zeros(1, 2, LENGTH, LENGTH).double(), keys))["key_spread"]
    for head in range(2):
        lengths = [math.sqrt(sum(x * x for x in key)) for key in keys[0, head].tolist()]
        mean = sum(lengths) / LENGTH
        wanted = math.sqrt(sum((each - mean) ** 2 for each in lengths) / LENGTH) / mean
        assert float(found[0, head]) == pytest.approx(wanted)


@pytest.mark.parametrize(("key", "target"), [("previous", lambda i: i - 1), ("self", int), ("first", lambda i: 0)])
def test_a_head_that_does_just_this_scores_1(key, target):
    logits = torch.full((1, 1, LENGTH, LENGTH), -1e4, dtype=torch.float64)
    for i in range(1, LENGTH):
        logits[..., i, target(i)] = 0
    found = pattern_scores(heads_of(logits))
    assert float(found[key]) == pytest.approx(1)
    assert float(found["entropy"]) == pytest.approx(0)
    assert sum(float(found[other]) for other in ("previous", "self", "first")) < 1.2  # in row 1 two of them are one


def test_a_uniform_head_scores_chance():
    found = pattern_scores(heads_of(torch.zeros(1, 1, LENGTH, LENGTH, dtype=torch.float64)))
    torch.testing.assert_close(heads_of(torch.zeros(1, 1, LENGTH, LENGTH).double()).weights[0, 0], uniform(LENGTH))
    chance = pattern_chance(LENGTH, dim=4)
    for key in ("previous", "self", "first", "entropy", "distance"):
        assert float(found[key]) == pytest.approx(chance[key].value), key


def test_chance_of_logits_and_keys_is_that_of_normal_draws():
    draw = torch.Generator().manual_seed(3)
    logits = torch.randn(500, 4, LENGTH, LENGTH, generator=draw, dtype=torch.float64)
    keys = torch.randn(1, 1, 100_000, 5, generator=draw, dtype=torch.float64)
    chance = pattern_chance(LENGTH, dim=5)
    assert float(pattern_scores(heads_of(logits))["logit_range"].mean()) == pytest.approx(
        chance["logit_range"].value, abs=0.02
    )
    assert float(key_spread(keys)) == pytest.approx(chance["key_spread"].value, abs=0.004)


@given(st.integers(0, 10_000), st.integers(2, 9), st.floats(0, 60), st.floats(0.01, 1))
def test_scores_stay_in_their_ranges(seed, length, size, kept):
    logits = size * torch.randn(1, 2, length, length, generator=torch.Generator().manual_seed(seed))
    found = pattern_scores(heads_of(logits, logits, kept))
    for key in ("previous", "self", "first", "entropy"):
        assert (found[key] >= 0).all(), key
        assert (found[key] <= 1 + 1e-6).all(), key
    assert (found["distance"] >= -1e-5).all()
    assert (found["distance"] <= length - 1).all()
    assert (found["logit_range"] >= 0).all()


def test_a_head_whose_attention_is_all_unused_has_finite_scores():
    seen = heads_of(torch.zeros(1, 1, 4, 4), kept=0.0)
    assert all(each.isfinite().all() for each in pattern_scores(seen).values())
