"""Keys that do not move are merged: every number stays as it is, and a hundred keys cost as much as two."""

import numpy as np
import pytest
import torch

from attnlab.attention import Distribution, distribution, noisy_keys
from attnlab.attention.noise.logits import Logits
from attnlab.attention.noise.merging import merge_others, merge_still

LEVELS = np.linspace(0.01, 0.9, 40)


def random(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(5), dtype=torch.float64)


def measured(noisy: int, heads: int = 1, **options) -> Distribution:
    """Twelve keys, the first few of which are noisy."""
    variance = torch.zeros(12, dtype=torch.float64)
    variance[:noisy] = 0.5
    target = torch.full((12,), 1 / 12, dtype=torch.float64) if "values" not in options else options["values"][0]
    return distribution(noisy_keys(random(12, 3), norm_variance=variance), 2 * random(heads, 3), target, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"noisy": 1},
        {"noisy": 1, "heads": 2},
        {"noisy": 1, "sink": 0.7},
        {"noisy": 1, "normalise_keys": True, "sink": 0.1},
        {"noisy": 1, "values": random(12, 4)},
        {"noisy": 1, "head_weights": torch.tensor([-2.0])},
        {"noisy": 2},
        {"noisy": 2, "method": "quasi-monte-carlo", "samples": 4096},
        {"noisy": 4, "method": "quasi-monte-carlo", "samples": 4096},
    ],
    ids=["one", "heads", "sink", "normalised", "values", "negative", "two", "quasi", "quasi-4"],
)
def test_merging_changes_no_number(options, monkeypatch):
    merged = measured(**options)
    laws = {key: merged.cdfs(key, LEVELS) for key in (0, 7)} if merged.law_method == "exact" else {}
    monkeypatch.setattr(Logits, "still", property(lambda logits: torch.zeros(logits.columns, dtype=torch.bool)))
    apart = measured(**options)
    for name in ("weight_mean", "weight_sd", "error"):
        np.testing.assert_allclose(getattr(merged, name), getattr(apart, name), rtol=1e-9, atol=1e-9)
    for key, (value, bound) in laws.items():
        beside, beside_bound = apart.cdfs(key, LEVELS)
        assert (np.abs(value - beside) <= bound + beside_bound + 1e-14).all()


def test_a_hundred_keys_of_which_one_moves_have_two_columns():
    variance = torch.zeros(100, dtype=torch.float64)
    variance[3] = 0.5
    keys = noisy_keys(random(100, 2), norm_variance=variance)
    asked = distribution(keys, random(2), torch.full((100,), 0.01)).readout
    assert isinstance(asked.logits, Logits)
    assert asked.logits.columns == 100
    assert merge_still(asked, asked.logits).logits.columns == 2
    for key, columns in ((3, 2), (50, 3)):
        readout, logits, column = merge_others(asked, asked.logits, int(asked.logits.column[key]))
        assert logits.columns == columns
        z = torch.linspace(-3, 3, 7, dtype=torch.float64)[:, None]
        alone = readout.weights(logits.at(z))[:, 0, column]
        among = asked.weights(asked.logits.at(z))[:, 0, asked.logits.column[key]]
        np.testing.assert_allclose(alone, among, rtol=1e-13)
