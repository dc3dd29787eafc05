"""Quadrature against integrals that are known, sharp ones among them."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import expit, ndtr

from attnlab.attention.noise.quadrature import expectation

sys.path.insert(0, str(Path(__file__).parent))
from reference import sigmoid_moment


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_gaussian_moments(axes):
    found = expectation(lambda z: np.stack([np.ones(len(z)), z[:, -1], z[:, 0] ** 2, z.prod(1) ** 2], 1), axes, 1e-7, 4)
    assert np.all(np.abs(found.value - [1, 0, 1, 1]) <= found.bound)
    assert found.bound.max() < 1e-6


@settings(deadline=None, max_examples=60)
@given(st.floats(-3, 3), st.floats(0, 7), st.floats(-3, 3))
def test_a_sigmoid_of_any_steepness_anywhere(place, log10_slope, shift):
    """The bound holds and is small, however steep the step and wherever it is."""
    slope = 10**log10_slope
    found = expectation(lambda z: expit(slope * (z - place) + shift), axes=1, tolerance=1e-9)
    assert found.bound[0] <= 1e-9
    assert abs(found.value[0] - sigmoid_moment(1, slope, shift - slope * place)) <= found.bound[0] + 1e-12


@pytest.mark.parametrize("place", [0.0, -1.0, 2**-0.5, 1.234])
def test_a_jump(place):
    found = expectation(lambda z: (z > place).astype(float), axes=1, tolerance=1e-9)
    assert abs(found.value[0] - ndtr(-place)) <= found.bound[0] <= 1e-9


@pytest.mark.parametrize("slope", [1.0, 30.0, 1000.0])
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.6, 0.8), (0.0, 1.0), (0.8, -0.6)], ids=str)
def test_a_ridge_in_the_plane_is_one_dimensional(slope, direction):
    """Along a unit direction z is one Gaussian number, whichever way the ridge lies to the axes."""
    unit = np.array(direction)
    found = expectation(lambda z: expit(slope * (z @ unit) - 1)[:, None], axes=2, tolerance=1e-6)
    assert abs(found.value[0] - sigmoid_moment(1, slope, -1)) <= found.bound[0] <= 1e-6


def test_three_axes_against_a_product_rule():
    def f(z):
        logits = np.stack([z[:, 0], 2 * z[:, 1] + 1, z[:, 2] - z[:, 0], np.zeros(len(z))], 1)
        powers = np.exp(logits - logits.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    nodes, weights = hermegauss(80)
    grid = np.stack(np.meshgrid(nodes, nodes, nodes, indexing="ij"), -1).reshape(-1, 3)
    mass = np.einsum("i,j,k->ijk", weights, weights, weights).ravel() / (2 * np.pi) ** 1.5
    found = expectation(f, axes=3, tolerance=1e-6, outputs=4)
    assert np.all(np.abs(found.value - mass @ f(grid)) <= found.bound + 1e-8)
    assert found.bound.max() <= 1e-6


def test_no_axes():
    assert expectation(lambda z: np.full((1, 2), 7.0), axes=0, tolerance=1e-9, outputs=2).value.tolist() == [7.0, 7.0]
