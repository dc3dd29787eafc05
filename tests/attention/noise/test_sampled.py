"""What draws say, and what they cannot: events too rare to be met, and digits that a common shift would take."""

import numpy as np
import pytest
import torch

from attnlab.attention import AveragingQuestion, distribution, noisy_keys
from attnlab.attention.noise.sampled import sampled_cdf, sampled_density, sampled_quantile


@pytest.mark.parametrize("method", ["monte-carlo", "quasi-monte-carlo"])
def test_a_rare_event_that_no_draw_met_is_within_the_bound(method):
    """Key 0 is read only where γ > 4.2 standard deviations; then the error is 1, else all but 0."""
    setting = AveragingQuestion(2)
    queries = torch.tensor([1000.0, 1000.0 * (1 + 4.2 * 0.5**0.5)])
    target = torch.tensor([0.0, 1.0])
    exact = distribution(setting.noisy_keys(), queries, target)
    assert 1e-5 < exact.error < 1e-4
    drawn = distribution(setting.noisy_keys(), queries, target, method=method, samples=4096, seed=2)
    assert drawn.error < 1e-6
    assert drawn.standard_error is not None
    assert abs(drawn.error - exact.error) > 4 * drawn.standard_error
    assert abs(drawn.error - exact.error) <= drawn.error_bound
    assert bool(((drawn.weight_mean - exact.weight_mean).abs() <= drawn.weight_mean_bound).all())


@pytest.mark.parametrize("method", ["exact", "monte-carlo", "quasi-monte-carlo"])
def test_a_huge_scale_gives_finite_numbers(method):
    setting = AveragingQuestion(3)
    queries, target = torch.tensor([1e100, 1e100, 0.0], dtype=torch.float64), torch.tensor([0.5, 0.5, 0.0])
    found = distribution(setting.noisy_keys(), queries, target, method=method, samples=1024)
    assert found.error == pytest.approx(0.5, abs=0.05)  # one of the two gets all weight
    assert found.error_bound <= 10


@pytest.mark.parametrize("keys", [4, 60])
def test_what_all_keys_share_costs_no_digits(keys):
    """A shift of all logits by a million changes no weight, in single precision either."""
    eye, target = torch.eye(keys, dtype=torch.float64), torch.zeros(keys)
    target[:2] = 0.5
    query = torch.tensor([3.0, 3.0] + [0.0] * (keys - 2) + [1.0])
    near, far = (
        distribution(
            noisy_keys(torch.cat([eye, torch.full((keys, 1), shift)], 1), isotropic=0.01),
            query,
            target,
            method="monte-carlo",
            samples=20_000,
        )
        for shift in (0.0, 1e6)
    )
    assert far.error == pytest.approx(near.error, abs=1e-8)
    assert far.error_bound == pytest.approx(near.error_bound, rel=1e-3)


def test_what_draws_do_not_reach_has_no_small_bound():
    sample = np.random.default_rng(0).random(10_000)
    assert sampled_cdf(sample, np.array([-1.0]))[1] > 10 / 10_000
    assert sampled_quantile(sample, 1e-4).bound == np.inf
    assert sampled_quantile(sample, 0.5).bound < 0.03
    assert sampled_density(sample, 5.0).bound > 10 / 10_000
