"""Normalised keys that pass close by 0, where a weight may have a spike much narrower than any first panel."""

import itertools

import numpy as np
import pytest
import torch
from scipy.integrate import quad

from attnlab.attention import Distribution, distribution, noisy_keys


def passing(least_norm: float, scale: float) -> Distribution:
    """Key 0 runs along the second axis and passes 0 at a distance of `least_norm`; two others stand still."""
    means = torch.tensor([[least_norm, 0.37], [1.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    covariances = torch.zeros(3, 2, 2, dtype=torch.float64)
    covariances[0, 1, 1] = 1.0
    query, target = torch.tensor([scale, 0.0], dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    return distribution(noisy_keys(means, covariances=covariances), query, target, normalise_keys=True)


def passing_mean(least_norm: float, scale: float) -> float:
    """E[α_0] by scipy's quadrature, between ends that grow by tens away from where the key is nearest to 0."""

    def density(z: float) -> float:
        place = z + 0.37
        logits = scale * np.array([least_norm / np.hypot(least_norm, place), 1.0, np.sqrt(0.5)])
        powers = np.exp(logits - logits.max())
        return float(powers[0] / powers.sum() * np.exp(-z * z / 2) / np.sqrt(2 * np.pi))

    steps = [least_norm * 10.0**power for power in range(-3, 10) if least_norm * 10.0**power < 8]
    edges = sorted([-9.0, 9.0, -0.37, *(-0.37 + side * step for side in (-1, 1) for step in steps)])
    pieces = itertools.pairwise(edges)
    return sum(quad(density, low, high, epsabs=0, epsrel=1e-10, limit=200)[0] for low, high in pieces)


@pytest.mark.parametrize(
    ("least_norm", "scale"), [(1e-3, 100.0), (1e-6, 10.0), (1e-2, 1000.0), (0.5, 1e4), (0.1, 1e5), (1e-9, 5.0)]
)
def test_a_spike_of_any_width_is_found(least_norm, scale):
    found, expected = passing(least_norm, scale), passing_mean(least_norm, scale)
    assert float(found.weight_mean_bound[0]) < 1e-9
    assert abs(float(found.weight_mean[0]) - expected) <= float(found.weight_mean_bound[0])
    assert float(found.weight_mean[0]) == pytest.approx(expected, rel=1e-6)


def test_the_distribution_function_sees_the_spike():
    """α_0 is above ¼ only in the spike: P is that of the stretch of z between the two places where it is ¼."""
    least_norm, scale = 1e-3, 100.0
    # α_0 = ¼ where e^(ℓ − C) is a third, the other key being negligible: cos = 1 − log(3) / C.
    cosine = 1 - np.log(3) / scale
    half = least_norm * np.sqrt(1 / cosine**2 - 1)
    expected = 2 * half * np.exp(-(0.37**2) / 2) / np.sqrt(2 * np.pi)
    assert 1 - passing(least_norm, scale).cdf(0, 0.25).value == pytest.approx(expected, rel=1e-5)


def graded(centre: float, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Gauss–Legendre nodes and weights for φ, on panels that grow by threes away from the centre."""
    steps = [width * 3.0**power for power in range(-2, 40) if width * 3.0**power < 8]
    edges = np.array(sorted([-8.0, 8.0, centre, *(centre + side * step for side in (-1, 1) for step in steps)]))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    z = (middle + half * nodes).ravel()
    return z, (half * weights).ravel() * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)


@pytest.mark.parametrize("scale", [6.0, 200.0])
def test_two_keys_near_zero(scale):
    """Two keys, each moved by a number of its own: against a product of two graded rules."""
    means = torch.tensor([[0.002, 0.3], [0.01, -0.6], [1.0, 0.2]], dtype=torch.float64)
    covariances = torch.zeros(3, 2, 2, dtype=torch.float64)
    covariances[0, 1, 1], covariances[1, 1, 1] = 1.0, 0.5
    query, target = torch.tensor([scale, 0.0], dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    found = distribution(noisy_keys(means, covariances=covariances), query, target, normalise_keys=True)
    assert found.directions == 2
    (z0, mass0), (z1, mass1) = graded(-0.3, 0.002), graded(0.6 / np.sqrt(0.5), 0.01 / np.sqrt(0.5))
    first = 0.002 / np.hypot(0.002, 0.3 + z0)[:, None]
    second = 0.01 / np.hypot(0.01, -0.6 + np.sqrt(0.5) * z1)[None]
    logits = scale * np.stack(np.broadcast_arrays(first, second, 1 / np.hypot(1, 0.2)))
    powers = np.exp(logits - logits.max(0))
    expected = np.einsum("kij,i,j->k", powers / powers.sum(0), mass0, mass1)
    assert np.all(np.abs(found.weight_mean.numpy() - expected) <= found.weight_mean_bound.numpy())
    assert found.weight_mean_bound.max() < 1e-6
