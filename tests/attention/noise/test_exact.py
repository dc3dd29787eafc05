"""Moments by quadrature: the same in any unit, with a bound that holds, and covariances only when asked for."""

import numpy as np
import pytest
import torch

from attnlab.attention import AveragingQuestion, Distribution, distribution, noisy_keys
from attnlab.attention.noise import exact


def random(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def in_units(unit: float) -> Distribution:
    setting, values = AveragingQuestion(10), unit * random(10, 3, seed=0)
    queries, target = 10 * setting.directions(1), (values[0] + values[1]) / 2
    return distribution(setting.noisy_keys(), queries, target, values=values)


@pytest.mark.parametrize("unit", [2.0**-40, 2.0**-13, 2.0**13, 2.0**20, 2.0**100])
def test_the_unit_of_the_values_changes_nothing(unit):
    """The error and its bound are those of values of order 1, in the new unit, and take as many points."""
    one, other = in_units(1.0), in_units(unit)
    assert other.error == pytest.approx(unit**2 * one.error, rel=1e-14)
    assert other.error_bound == pytest.approx(unit**2 * one.error_bound, rel=1e-6)
    assert other.points == one.points
    assert one.error_bound < 1e-9 * one.error


def test_heads_that_all_but_cancel():
    """c = w (α_1 − α_2) for shares ± w: the error is that of w = 1, measured by w²; and it is not laboured at."""
    setting = AveragingQuestion(10)
    target = torch.zeros(10, dtype=torch.float64)

    def measure(share: float) -> Distribution:
        shares = torch.tensor([share, -share], dtype=torch.float64)
        return distribution(setting.noisy_keys(), 10 * setting.directions(2), target, head_weights=shares)

    small, large = measure(1.0), measure(1e6)
    assert large.points < 10_000
    assert large.error_bound < 1e-9 * large.error
    assert abs(large.error - 1e12 * small.error) <= large.error_bound + 1e12 * small.error_bound


def test_a_value_that_is_large_but_never_read_does_not_coarsen_the_error():
    setting = AveragingQuestion(4, noisy=("a",), norm_variance=0.01)
    values = random(4, 2, seed=3)
    values[3] *= 1e5
    queries, target = torch.tensor([5.0, 5.0, 0.0, -80.0]), values[0]
    found = distribution(setting.noisy_keys(), queries, target, values=values)
    without = distribution(
        noisy_keys(torch.eye(3), norm_variance=torch.tensor([0.01, 0.0, 0.0])), queries[:3], target, values=values[:3]
    )
    assert abs(found.error - without.error) <= found.error_bound + without.error_bound


def test_covariances_are_not_computed_before_they_are_asked_for(monkeypatch):
    asked = []
    covariance = exact.covariance
    monkeypatch.setattr(exact, "covariance", lambda *given: asked.append(1) or covariance(*given))
    setting = AveragingQuestion(5)
    found = distribution(setting.noisy_keys(), 3 * setting.directions(1), setting.target())
    variances = found.weight_sd.square()
    assert not asked
    torch.testing.assert_close(found.weight_covariance.diagonal(), variances, atol=1e-9, rtol=0)
    assert found.weight_covariance is not None
    assert len(asked) == 1


@pytest.mark.parametrize("method", ["monte-carlo", "quasi-monte-carlo"])
def test_covariances_are_those_of_the_same_draws(method):
    setting = AveragingQuestion(5)
    found = distribution(
        setting.noisy_keys(), 3 * setting.directions(1), setting.target(), method=method, samples=5000, seed=3
    )
    torch.testing.assert_close(found.weight_covariance.diagonal().sqrt(), found.weight_sd, atol=1e-6, rtol=0)


def test_three_directions_against_a_product_rule():
    """Ten keys, all different, three of them noisy: a smooth softmax, on which Gauss–Hermite nodes are exact."""
    query, target = 0.7 * random(10, seed=5), random(10, seed=6)
    variance = torch.tensor([0.5] * 3 + [0.0] * 7, dtype=torch.float64)
    found = distribution(noisy_keys(torch.eye(10), norm_variance=variance), query, target)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    grid = np.stack(np.meshgrid(nodes, nodes, nodes, indexing="ij"), -1).reshape(-1, 3)
    mass = np.einsum("i,j,k->ijk", weights, weights, weights).ravel() / (2 * np.pi) ** 1.5
    logits = np.tile(query.numpy(), (len(grid), 1))
    logits[:, :3] *= 1 + np.sqrt(0.5) * grid
    powers = np.exp(logits - logits.max(1, keepdims=True))
    weight = powers / powers.sum(1, keepdims=True)
    error = mass @ np.square(weight - target.numpy()).sum(1)
    assert abs(found.error - error) <= found.error_bound <= 1e-6
    assert np.all(np.abs(found.weight_mean.numpy() - mass @ weight) <= found.weight_mean_bound.numpy())
    spread = np.sqrt(mass @ weight**2 - (mass @ weight) ** 2)
    np.testing.assert_allclose(found.weight_sd.numpy(), spread, atol=1e-6)
