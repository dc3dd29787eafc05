"""Distribution functions, densities and quantiles of the weights, against closed forms and draws."""

import itertools
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.integrate import quad

from attnlab.attention import AveragingQuestion, Distribution, distribution, noisy_keys
from attnlab.attention.noise.crossings import WeightLine
from attnlab.attention.noise.logits import Logits

sys.path.insert(0, str(Path(__file__).parent))
import reference

GAMMAS = (-2.0, -1.0, -0.5, 0.0, 0.3, 1.2)


def averaging(keys: int, scale: float, heads: int = 1, noisy=("a",), **options) -> Distribution:
    setting = AveragingQuestion(keys=keys, noisy=noisy)
    shares = setting.head_weights(heads)
    queries = scale * setting.directions(heads)
    return distribution(setting.noisy_keys(), queries, setting.target(), head_weights=shares, **options)


@pytest.mark.parametrize("scale", [1.0, 5.0, 100.0])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_one_head_against_the_closed_form(scale, gamma):
    found = averaging(10, scale)
    level = reference.one_head(gamma, 10, scale)[0]
    if 1e-12 < level < 1 - 1e-9:
        assert found.cdf(0, level).value == pytest.approx(reference.one_head_cdf(gamma), abs=1e-9)
        assert found.quantile(0, reference.one_head_cdf(gamma)).value == pytest.approx(level, abs=1e-9)
        step = 1e-5 / scale
        near = [reference.one_head(gamma + side * step, 10, scale)[0] for side in (-1, 1)]
        slope = (near[1] - near[0]) / (2 * step)
        height = np.exp(-(gamma**2)) / np.sqrt(np.pi)  # the density of γ ~ N(0, ½)
        assert found.density(0, level).value == pytest.approx(height / slope, rel=1e-6)


def test_a_weight_that_turns():
    """The weight of a key between two others rises and falls along the noise: two crossings, and none above its top."""
    found = averaging(10, 2.0, heads=2)
    for key in (0, 1, 5):
        levels = np.linspace(0.001, 0.6, 25)
        distribution_function = [found.cdf(key, x).value for x in levels]
        assert all(b >= a - 1e-12 for a, b in itertools.pairwise(distribution_function))
        drawn = averaging(10, 2.0, heads=2, method="monte-carlo", samples=200_000, seed=5)
        for x, p in zip(levels, distribution_function, strict=True):
            estimate = drawn.cdf(key, x)
            assert abs(estimate.value - p) <= estimate.bound


@pytest.mark.parametrize("heads", [1, 2])
def test_the_density_integrates_to_the_distribution_function(heads):
    found = averaging(6, 3.0, heads=heads)
    low, high = found.quantile(0, 0.1).value, found.quantile(0, 0.8).value
    mass = quad(lambda x: found.density(0, x).value, low, high, limit=200)[0]
    assert mass == pytest.approx(0.7, abs=1e-7)


@pytest.mark.parametrize("heads", [1, 2])
def test_two_directions_agree_with_draws(heads):
    exact = averaging(5, 3.0, heads, noisy=("a", "b"))
    drawn = averaging(5, 3.0, heads, noisy=("a", "b"), method="monte-carlo", samples=400_000, seed=2)
    assert exact.directions == 2
    for key in (0, 3):
        for p in (0.1, 0.6):
            level = exact.quantile(key, p).value
            assert exact.cdf(key, level).value == pytest.approx(p, abs=1e-6)
            assert abs(drawn.cdf(key, level).value - p) <= drawn.cdf(key, level).bound
            estimate, height = drawn.density(key, level), exact.density(key, level)
            assert abs(estimate.value - height.value) <= estimate.bound + 0.03 * height.value
            assert abs(drawn.quantile(key, p).value - level) <= drawn.quantile(key, p).bound


def test_three_directions():
    setting = AveragingQuestion(4)
    keys = noisy_keys(setting.noisy_keys().means, norm_variance=torch.tensor([0.5, 0.5, 0.5, 0.0]))
    query = torch.tensor([2.0, 2.0, 1.0, 0.0])
    found = distribution(keys, query, setting.target())
    assert (found.method, found.directions) == ("exact", 3)
    assert found.error_bound <= 1e-6
    drawn = distribution(keys, query, setting.target(), method="monte-carlo", samples=400_000)
    assert abs(drawn.error - found.error) <= drawn.error_bound
    estimate, asked = drawn.cdf(2, 0.2), distribution(keys, query, setting.target(), method="exact")
    assert asked.law_method == "exact"
    assert abs(asked.cdf(2, 0.2).value - estimate.value) <= estimate.bound


@pytest.mark.parametrize("directions", [2, 3])
def test_a_law_that_would_take_minutes_is_drawn(directions):
    """The moments are exact, and the law lies around that of the exact method, within its own bound."""
    keys = noisy_keys(torch.eye(6), norm_variance=torch.tensor([0.5] * directions + [0.0] * (6 - directions)))
    query, target = torch.tensor([2.0, 2.0, 1.0, 0.5, 0.2, 0.0]), torch.full((6,), 1 / 6)
    found = distribution(keys, query, target, samples=200_000, seed=3)
    assert (found.method, found.law_method, found.law_draws) == ("exact", "monte-carlo", 200_000)
    exact = distribution(keys, query, target, method="exact")
    assert (exact.law_method, exact.law_draws) == ("exact", 0)
    assert found.error == exact.error
    estimate = found.cdf(0, 0.3)
    assert 0 < abs(estimate.value - exact.cdf(0, 0.3).value) <= estimate.bound
    assert (
        found.quantile(0, 0.5).value
        == distribution(keys, query, target, samples=200_000, seed=3).quantile(0, 0.5).value
    )


def test_normalised_keys_take_two_values():
    """k_a = (1 + γ)μ_a keeps its direction or turns round: the weight has two values, and p = Φ(√2) at the upper."""
    found = averaging(10, 5.0, normalise_keys=True)
    upper = np.exp(5) / (2 * np.exp(5) + 8)
    assert found.cdf(0, upper - 1e-6).value == pytest.approx(1 - 0.9213503964748574, abs=1e-9)
    assert found.cdf(0, upper + 1e-6).value == pytest.approx(1.0, abs=1e-9)
    assert found.density(0, 0.2).value == 0.0
    assert found.quantile(0, 0.5).value == pytest.approx(upper, abs=1e-9)


def test_a_steep_weight_has_a_density_and_does_not_jump():
    """α_a = σ(10⁹ (½ + γ)) but for the third key: at ½ the density is φ_γ(−½) / (10⁹ / 4)."""
    setting = AveragingQuestion(3)
    found = distribution(setting.noisy_keys(), torch.tensor([1e9, 5e8, 0.0]), setting.target()).density(0, 0.5)
    expected = np.exp(-0.25) / np.sqrt(np.pi) / 2.5e8
    assert abs(found.value - expected) <= found.bound < 1e-3 * expected


@pytest.mark.parametrize("scale", [5.0, 20.0, 300.0])
@pytest.mark.parametrize("gamma", [-0.6, 0.0, 0.4])
def test_small_weights_have_quantiles_to_as_many_digits(scale, gamma):
    """The weight on another key falls as γ grows: 1 / (e^(C(1 + γ)) + e^C + 8)."""
    found = averaging(10, scale).quantile(5, 1 - reference.one_head_cdf(gamma))
    expected = 1 / (np.exp(scale * (1 + gamma)) + np.exp(scale) + 8)
    assert found.value == pytest.approx(expected, rel=1e-9, abs=0)
    assert abs(found.value - expected) <= found.bound + 1e-11 * expected
    assert found.bound < 1e-9 * expected


@pytest.mark.parametrize("short", [0.03, 1e-6, 1e-10, 1e-13, 1e-15, 0.0])
def test_bounds_hold_up_to_a_turning_point(short):
    """Logits −5z, 0, 5z: the middle weight is 1 / (1 + 2 cosh 5z), at most ⅓. The closer to that, the less is known."""
    mpmath = pytest.importorskip("mpmath")
    move = torch.tensor([-1.0, 0, 0, 0, 1, 0], dtype=torch.float64)
    keys = noisy_keys(torch.tensor([[0.0, 1.0]] * 3), joint=torch.outer(move, move))
    found = distribution(keys, torch.tensor([5.0, 0.0]), torch.zeros(3))
    level = 1 / 3 - short
    with mpmath.workdps(50):
        place = mpmath.acosh((1 / mpmath.mpf(level) - 1) / 2) / 5
        probability = float(2 * mpmath.ncdf(-place))
        height = float(2 * mpmath.npdf(place) / (10 * mpmath.mpf(level) ** 2 * mpmath.sinh(5 * place)))
    below, density = found.cdf(1, level), found.density(1, level)
    assert abs(below.value - probability) <= below.bound < 1e-7
    assert abs(density.value - height) <= density.bound
    assert short < 1e-12 or density.bound < 1e-3 * height


def test_far_out_the_distribution_function_is_still_known():
    gamma = -6.2 * reference.SD
    found = averaging(10, 5.0).cdf(0, reference.one_head(gamma, 10, 5.0)[0])
    assert found.value == pytest.approx(reference.one_head_cdf(gamma), rel=1e-4)
    assert abs(found.value - reference.one_head_cdf(gamma)) <= found.bound


def test_many_levels_in_one_pass_are_those_one_by_one():
    for found in (averaging(5, 3.0, noisy=("a", "b")), averaging(5, 3.0, method="monte-carlo", samples=5000)):
        levels = np.array([0.05, 0.3, 0.5, 0.9])
        (together, bounds), apart = found.cdfs(0, levels), [found.cdf(0, level) for level in levels]
        assert together == pytest.approx([e.value for e in apart], abs=1e-6)
        assert bounds == pytest.approx([e.bound for e in apart], abs=1e-6)


@pytest.mark.parametrize("sink", [0.0, 0.7])
@pytest.mark.parametrize("normalise_keys", [False, True])
def test_one_weight_by_itself_is_that_of_the_softmax(sink, normalise_keys):
    torch.manual_seed(4)
    keys = noisy_keys(torch.randn(6, 3), norm_variance=torch.tensor([0.5, 0.1, 0.0, 0.0, 0.0, 0.0]))
    queries, target = 40 * torch.randn(2, 3), torch.full((6,), 1 / 6)
    asked = distribution(keys, queries, target, sink=sink, normalise_keys=normalise_keys).readout
    assert isinstance(asked.logits, Logits)
    z = np.random.default_rng(0).normal(size=(50, asked.logits.directions)) * 3
    all_of_them = asked.combine(asked.weights(asked.logits.at(torch.from_numpy(z))))
    for column in range(asked.logits.columns):
        alone = WeightLine(asked, asked.logits, column).value(z)
        assert alone == pytest.approx(all_of_them[:, column].numpy(), rel=1e-12, abs=1e-300)
