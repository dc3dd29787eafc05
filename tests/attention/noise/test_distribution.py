"""The distribution of attention under noise: the reference figures, independent quadrature, draws, and invariants."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import AveragingQuestion, Distribution, distribution, noisy_keys
from attnlab.attention.noise.montecarlo import draws
from attnlab.attention.noise.readout import readout
from attnlab.errors import ArgumentError

sys.path.insert(0, str(Path(__file__).parent))
import reference

SCALES = (1, 5, 10, 20, 100, 1000)


def averaging(keys: int, scale: float, heads: int = 1, **options) -> Distribution:
    noise = {name: options.pop(name) for name in ("noisy", "norm_variance", "isotropic") if name in options}
    setting = AveragingQuestion(keys=keys, **noise)
    queries = scale * setting.directions(heads)
    shares = setting.head_weights(heads)
    return distribution(setting.noisy_keys(), queries, setting.target(), head_weights=shares, **options)


# Ten keys, one with a noisy norm: E[α_a], sd[α_a] and the error for C = 1, 5, 10, 20, 100, 1000.
MEAN = (0.2237, 0.4947, 0.5000, 0.5000, 0.5000, 0.5000)
SPREAD = (0.1165, 0.3860, 0.4420, 0.4712, 0.4943, 0.4994)
ERROR = (0.2255, 0.2838, 0.3905, 0.4440, 0.4887, 0.4989)
TWO_HEADS = (0.2878, 0.0448, 0.0310, 0.0259, 0.0226, 0.0219)
RATIO = ("0.78", "6.3", "12.6", "17.2", "21.7", "22.8")


def test_the_figures_for_ten_keys():
    one, two = [averaging(10, scale) for scale in SCALES], [averaging(10, scale, heads=2) for scale in SCALES]
    assert tuple(round(float(d.weight_mean[0]), 4) for d in one) == MEAN
    assert tuple(round(float(d.weight_sd[0]), 4) for d in one) == SPREAD
    assert tuple(round(d.error, 4) for d in one) == ERROR
    assert tuple(round(d.error, 4) for d in two) == TWO_HEADS
    ratios = [a.error / b.error for a, b in zip(one, two, strict=True)]
    assert tuple(f"{r:.2f}" if r < 1 else f"{r:.1f}" for r in ratios) == RATIO


def test_the_limits_for_two_heads():
    """p = Φ(√2) of the draws keep k_aᵀq₁ > 0; in the others head 1 looks away from a, at all other keys alike."""
    p = 0.9213503964748574
    far = averaging(10, 1e6, heads=2)
    assert float(far.weight_sd[0]) == pytest.approx(0.5 * np.sqrt(p * (1 - p)), abs=1e-5)
    assert far.error == pytest.approx((1 - p) / 4 * (1 + 1 / 9), abs=1e-6)


@pytest.mark.parametrize(("keys", "crossing"), [(4, 1.37), (10, 2.17), (100, 3.82)])
def test_two_heads_are_worse_below_some_scale(keys, crossing):
    assert averaging(keys, crossing - 0.01).error < averaging(keys, crossing - 0.01, heads=2).error
    assert averaging(keys, crossing + 0.01).error > averaging(keys, crossing + 0.01, heads=2).error


@pytest.mark.parametrize("keys", [4, 10, 100, 1000])
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("scale", SCALES)
def test_exact_equals_independent_quadrature(keys, heads, scale):
    found, expected = averaging(keys, scale, heads), reference.moments(heads, keys, scale)
    assert found.method == "exact"
    assert found.error_bound <= 1e-9
    assert abs(found.error - expected["error"]) <= found.error_bound + 1e-12
    assert abs(float(found.weight_mean[0]) - expected["mean"]) <= float(found.weight_mean_bound[0]) + 1e-12
    assert float(found.weight_sd[0]) == pytest.approx(expected["sd"], abs=2e-9)
    assert abs(float(found.weight_sd[0]) - expected["sd"]) <= float(found.weight_sd_bound[0]) + 1e-12
    assert float(found.weight_sd_bound[0]) < 1e-7


def test_a_standard_deviation_has_a_bound_if_it_is_exact():
    still = averaging(10, 5.0, norm_variance=0.0)
    assert 0 < float(still.weight_sd_bound.max()) < 1e-6
    drawn = averaging(10, 5.0, method="monte-carlo", samples=1000)
    with pytest.raises(ArgumentError, match="expected exact, got monte-carlo"):
        drawn.weight_sd_bound  # noqa: B018


@pytest.mark.parametrize("keys", [4, 10, 100, 1000])
@pytest.mark.parametrize("heads", [1, 2])
@pytest.mark.parametrize("method", ["monte-carlo", "quasi-monte-carlo"])
def test_draws_agree_within_four_standard_errors(keys, heads, method):
    for scale in SCALES:
        exact = averaging(keys, scale, heads)
        drawn = averaging(keys, scale, heads, method=method, samples=100_000, seed=7)
        assert drawn.method == method
        assert drawn.standard_error is not None
        assert abs(drawn.error - exact.error) <= 4 * drawn.standard_error + 1e-9
        assert bool(((drawn.weight_mean - exact.weight_mean).abs() <= drawn.weight_mean_bound).all())


MANY_NOISES = {
    "both norms": dict(noisy=("a", "b")),
    "both norms, two heads": dict(noisy=("a", "b"), heads=2),
    "both norms, three heads": dict(noisy=("a", "b"), heads=3),
    "keys normalised": dict(normalise_keys=True),
    "keys normalised, two heads": dict(normalise_keys=True, heads=2),
    "both norms, keys normalised": dict(noisy=("a", "b"), normalise_keys=True),
    "sink": dict(sink=2.0),
    "sink, both norms, two heads": dict(sink=2.0, noisy=("a", "b"), heads=2),
    "isotropic, three keys": dict(keys=3, isotropic=0.04, norm_variance=0.0),
    "isotropic and norm, two keys": dict(keys=2, isotropic=0.04),
}


@pytest.mark.parametrize("name", MANY_NOISES)
def test_other_noise_agrees_with_draws(name):
    options = {"keys": 5, "scale": 3.0} | MANY_NOISES[name]
    exact = averaging(**options)
    drawn = averaging(**options, method="monte-carlo", samples=400_000, seed=3)
    assert exact.method == "exact"
    assert exact.error_bound <= (1e-9 if exact.directions == 1 else 1e-6)
    assert abs(drawn.error - exact.error) <= drawn.error_bound + 1e-6
    assert bool(((drawn.weight_mean - exact.weight_mean).abs() <= drawn.weight_mean_bound + 1e-6).all())
    spread = (drawn.weight_covariance - exact.weight_covariance).abs().max()
    assert float(spread) < 4 / np.sqrt(400_000)


def random(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def simulate(keys, queries, values, shares, count, *, normalise=False, sink=0.0, seed=0) -> torch.Tensor:
    """Outputs by drawing whole keys from their joint covariance: the long way round, with torch's own parts."""
    covariance = keys.covariance().reshape(keys.means.numel(), -1)
    law = torch.distributions.MultivariateNormal(
        keys.means.flatten(), covariance + 1e-14 * torch.eye(len(covariance), dtype=torch.float64)
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        drawn = law.sample((count,)).unflatten(1, keys.means.shape)
    if normalise:
        drawn = drawn / drawn.norm(dim=-1, keepdim=True)
    powers = torch.einsum("nkd,hd->nhk", drawn, queries).exp()
    weights = powers / (powers.sum(-1, keepdim=True) + sink)
    return torch.einsum("h,nhk,kv->nv", shares, weights, values)


@pytest.mark.parametrize("case", ["own", "joint", "all", "normalised", "sink"])
def test_any_covariance_agrees_with_a_simulation_of_whole_keys(case):
    n, dim, heads = 4, 3, 2
    root = random(n, dim, dim, seed=1) * 0.4
    wide = random(2, n * dim, seed=2) * 0.5
    options: dict = {"covariances": root @ root.mT} if case in ("own", "all") else {}
    if case != "own":
        options["joint"] = wide.mT @ wide  # of rank two: singular, and correlated from key to key
    if case == "all":
        options |= {"isotropic": 0.1, "norm_variance": torch.tensor([0.3, 0.0, 0.1, 0.0])}
    keys = noisy_keys(random(n, dim, seed=3), **options)
    queries, values, target = random(heads, dim, seed=4), random(n, 5, seed=5), random(5, seed=6)
    shares = torch.tensor([0.7, 0.5], dtype=torch.float64)
    readout_options: dict = {"normalise_keys": case == "normalised", "sink": 1.5 if case == "sink" else 0.0}
    found = distribution(keys, queries, target, values=values, head_weights=shares, samples=300_000, **readout_options)
    assert found.method == {"own": "quasi-monte-carlo", "all": "quasi-monte-carlo"}.get(case, "exact")
    output = simulate(
        keys, queries, values, shares, 400_000, normalise=case == "normalised", sink=readout_options["sink"], seed=11
    )
    errors = (output - target).square().sum(1)
    assert abs(float(errors.mean()) - found.error) < 4 * float(errors.std()) / 400_000**0.5 + found.error_bound
    assert bool(((output.mean(0) - found.output_mean).abs() < 4 * output.std(0) / 400_000**0.5 + 1e-5).all())
    torch.testing.assert_close(output.mT.cov(), found.output_covariance, atol=0.02, rtol=0.02)


def test_many_directions_are_drawn_in_the_same_way():
    """Past the reach of quasi-random points logits are drawn directly; whole keys give the same."""
    n, dim = 40, 3
    keys = noisy_keys(random(n, dim, seed=1), isotropic=0.2, norm_variance=0.1, joint=0.05 * torch.eye(n * dim))
    queries, target = random(2, dim, seed=2), torch.zeros(n, dtype=torch.float64)
    shares = torch.tensor([0.5, 0.5], dtype=torch.float64)
    for normalise in (False, True):
        found = distribution(keys, queries, target, samples=200_000, normalise_keys=normalise)
        assert found.method == "monte-carlo"
        eye = torch.eye(n, dtype=torch.float64)
        output = simulate(keys, queries, eye, shares, 100_000, normalise=normalise)
        errors = output.square().sum(1)
        assert abs(float(errors.mean()) - found.error) < 4 * float(errors.std()) / 100_000**0.5 + found.error_bound


def test_no_noise_is_plain_attention():
    found = averaging(10, 5.0, norm_variance=0.0)
    assert found.directions == 0
    assert float(found.weight_mean[0]) == pytest.approx(np.exp(5) / (2 * np.exp(5) + 8), abs=1e-15)
    assert float(found.weight_sd.max()) == 0.0
    assert found.quantile(0, 0.3).value == pytest.approx(float(found.weight_mean[0]))
    assert found.cdf(0, 0.4).value == 0.0
    assert found.cdf(0, 0.6).value == 1.0


@settings(deadline=None, max_examples=25)
@given(st.permutations(range(5)), st.integers(0, 10_000))
def test_permuting_keys_permutes_everything(order, seed):
    means, queries, target = random(5, 3, seed=seed), random(2, 3, seed=seed + 1), random(5, seed=seed + 2)
    variance = torch.tensor([0.5, 0.0, 0.0, 0.0, 0.0])
    straight = distribution(noisy_keys(means, norm_variance=variance), queries, target)
    permuted = distribution(noisy_keys(means[order], norm_variance=variance[order]), queries, target[order])
    torch.testing.assert_close(permuted.weight_mean, straight.weight_mean[order], atol=1e-9, rtol=0)
    torch.testing.assert_close(
        permuted.weight_covariance, straight.weight_covariance[order][:, order], atol=2e-9, rtol=0
    )
    assert permuted.error == pytest.approx(straight.error, abs=2e-9)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.floats(1e-3, 2) | st.just(0.0))
def test_weights_sum_to_one_and_moving_all_keys_changes_nothing(seed, variance):
    means, query, target = random(4, 3, seed=seed), random(3, seed=seed + 1), random(4, seed=seed + 2)
    noise = torch.tensor([variance, 0.0, 0.0, 0.0])
    factor = random(1, 12, seed=seed + 3)
    found = distribution(noisy_keys(means, norm_variance=noise), query, target)
    assert float(found.weight_mean.sum()) == pytest.approx(1.0, abs=1e-9)
    assert float(found.weight_covariance.sum().abs()) < 1e-8
    # One more noise that moves all keys alike adds the same to all logits: nothing changes, nor is it a direction.
    alike = torch.kron(torch.ones(4, 4, dtype=torch.float64), factor[:, :3].mT @ factor[:, :3])
    moved = distribution(noisy_keys(means, norm_variance=noise, joint=alike), query, target)
    assert moved.directions == found.directions
    assert moved.error == pytest.approx(found.error, abs=2e-9)


def test_values_and_identity_values_agree():
    setting = AveragingQuestion(6)
    queries = 2 * setting.directions(1)
    without = distribution(setting.noisy_keys(), queries, setting.target())
    rotated = torch.linalg.qr(random(6, 6, seed=0)).Q
    given_values = distribution(setting.noisy_keys(), queries, setting.target() @ rotated, values=rotated)
    assert given_values.error == pytest.approx(without.error, abs=1e-9)
    torch.testing.assert_close(given_values.output_mean, without.weight_mean @ rotated, atol=1e-9, rtol=0)
    torch.testing.assert_close(
        given_values.output_covariance, rotated.mT @ without.weight_covariance @ rotated, atol=1e-8, rtol=0
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_any_floating_dtype(dtype):
    keys = noisy_keys(torch.eye(4, dtype=dtype), norm_variance=torch.tensor([0.5, 0, 0, 0], dtype=dtype))
    target = torch.tensor([0.5, 0.5, 0, 0], dtype=dtype)
    found = distribution(keys, torch.tensor([2.0, 2.0, 0, 0], dtype=dtype), target)
    assert found.weight_mean.dtype == torch.float64
    assert found.error == pytest.approx(averaging(4, 2.0).error, abs=1e-9)


def test_draws_depend_on_the_seed_alone():
    first, again, other = (averaging(10, 5, method="monte-carlo", samples=50_000, seed=seed) for seed in (1, 1, 2))
    assert first.error == again.error
    assert first.error != other.error
    quasi = [averaging(10, 5, method="quasi-monte-carlo", samples=5_000, seed=s).error for s in (1, 1, 2)]
    assert quasi[0] == quasi[1] != quasi[2]


def test_a_thousand_million_draws_come_in_small_batches():
    setting = AveragingQuestion(100, isotropic=0.01)
    asked = readout(setting.noisy_keys(), 5 * setting.directions(1), setting.target())
    stream = draws(asked, 10**9, seed=0, quasi=False)
    sizes = [next(stream)[1].numel() for _ in range(3)]
    assert max(sizes) <= 1 << 20


def test_progress_is_told_of_every_draw():
    seen = []
    averaging(10, 5, method="monte-carlo", samples=1_000_000, progress=seen.append)
    assert sum(seen) == 1_000_000
    assert len(seen) > 1


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: noisy_keys(torch.eye(2) * torch.nan), "means: expected finite numbers, got nan at [0, 0]"),
        (lambda: noisy_keys(torch.zeros(0, 3)), "means: expected at least one of keys and of dim, got shape (0, 3)"),
        (lambda: noisy_keys(torch.eye(2), norm_variance=-1.0),
         "norm_variance: expected a variance of 0 or more, got -1"),
        (lambda: noisy_keys(torch.eye(2), isotropic=float("inf")), "isotropic: expected finite numbers, got inf"),
        (lambda: noisy_keys(torch.eye(2), norm_variance=torch.ones(3)),
         "norm_variance: expected shape (2,), got (3,)"),
        (lambda: noisy_keys(torch.eye(2), covariances=torch.ones(2, 3, 3)),
         "covariances: expected shape (2, 2, 2), got (2, 3, 3)"),
        (lambda: noisy_keys(torch.eye(2), covariances=torch.tensor([[1.0, 2.0], [2.0, 1.0]]).expand(2, 2, 2)),
         "covariances: expected a covariance (no eigenvalue below 0), got eigenvalue -1"),
        (lambda: noisy_keys(torch.eye(2), covariances=torch.tensor([[1.0, 2.0], [0.0, 1.0]]).expand(2, 2, 2)),
         "covariances: expected a symmetric matrix"),
        (lambda: noisy_keys(torch.eye(2), joint=-torch.eye(4)),
         "joint: expected a covariance (no eigenvalue below 0), got eigenvalue -1"),
        (lambda: distribution(noisy_keys(torch.eye(2)), torch.ones(3), torch.ones(2)),
         "queries: expected the dim of the keys, 2, got shape (1, 3)"),
        (lambda: distribution(noisy_keys(torch.eye(2)), torch.ones(2), torch.ones(3)),
         "target: expected 2 numbers, got 3"),
        (lambda: distribution(noisy_keys(torch.eye(2)), torch.ones(2), torch.ones(2), values=torch.ones(3, 2)),
         "values: expected 2 rows, one per key, got shape (3, 2)"),
        (lambda: distribution(noisy_keys(torch.eye(2)), torch.ones(2), torch.ones(2), head_weights=torch.ones(2)),
         "head_weights: expected 1 numbers, got 2"),
        (lambda: averaging(10, 5, isotropic=0.1, method="exact"),
         "method: exact takes up to 3 noisy directions, got 9; use auto"),
        (lambda: averaging(10, 5, method="monte-carlo", samples=1),
         "samples: expected a finite number, 2 or more, got 1"),
        (lambda: averaging(10, 5, method="guess"),
         "method: expected auto, exact, quasi-monte-carlo or monte-carlo; got 'guess'"),
        (lambda: averaging(10, 5, sink=-1.0), "sink: expected a finite number, 0 or more, got -1"),
        (lambda: distribution(noisy_keys(torch.zeros(2, 2)), torch.ones(2), torch.ones(2), normalise_keys=True),
         "normalise_keys: key 0 is zero and cannot be normalised"),
        (lambda: averaging(1, 5), "keys: expected 2 to 5000 keys, of which a and b are two, got 1"),
        (lambda: averaging(10, 5).density(0, 0.5) and averaging(10, 5, norm_variance=0.0).density(0, 0.5),
         "level: the weight does not vary, so it has no density; use cdf or quantile"),
        (lambda: averaging(10, 5).quantile(0, 1.0), "probability: expected a number above 0 and below 1, got 1"),
        (lambda: averaging(10, 5).quantile(10, 0.5), "key: expected a key number from 0 to 9, got 10"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(ArgumentError) as error:
        call()
    assert str(error.value) == message


def test_a_weak_head_is_heard_beside_a_strong_one():
    """A head a hundred million times as strong as another does not drown the other's noise."""
    keys = noisy_keys(torch.eye(3), isotropic=torch.tensor([1.0, 0.0, 0.0]))
    target = torch.tensor([0.5, 0.5, 0.0])
    strong, medium = (torch.tensor([[0.0, size, 0.0], [2.0, 0.0, 0.0]]) for size in (1e8, 1e6))
    assert distribution(keys, strong, target).error == pytest.approx(distribution(keys, medium, target).error, abs=1e-6)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e4])
def test_values_far_from_zero_lose_no_digits(offset):
    setting = AveragingQuestion(4)
    values = random(4, 3, seed=1) + offset

    def measure(v: torch.Tensor, method: Any = "exact") -> Distribution:
        queries, target = 5 * setting.directions(1), (v[0] + v[1]) / 2
        return distribution(setting.noisy_keys(), queries, target, values=v, method=method, samples=20_000)

    found = [measure(values), measure(values - offset), measure(values, "monte-carlo")]
    assert found[0].error == pytest.approx(found[1].error, abs=1e-9)
    assert abs(found[2].error - found[1].error) <= found[2].error_bound


def test_each_covariance_is_measured_by_its_own_size():
    """A small covariance beside a large one is no rounding of it."""
    covariances = torch.stack([torch.diag(torch.tensor([0.0, 0, 10])), torch.diag(torch.tensor([0.0, 1e-5, 0]))])
    means = torch.eye(2, 3)
    query, target = torch.tensor([300.0, 300.0, 0.0]), torch.tensor([0.5, 0.5])
    single = distribution(noisy_keys(means, covariances=covariances), query, target)
    double = distribution(noisy_keys(means.double(), covariances=covariances.double()), query, target)
    assert single.error == pytest.approx(double.error, abs=1e-6)
    assert double.error > 0.05


@pytest.mark.parametrize("keys", [6, 12])
def test_the_number_of_draws_changes_the_result_by_no_more_than_its_bound(keys):
    """Points that are kept, points that are too many to keep, and scrambles in several batches: one number."""
    setting = AveragingQuestion(keys, norm_variance=0.0, isotropic=0.01)
    found = [
        distribution(setting.noisy_keys(), 5 * setting.directions(1), setting.target(), samples=1 << power)
        for power in (12, 15, 18, 19)
    ]
    plain = distribution(
        setting.noisy_keys(), 5 * setting.directions(1), setting.target(), method="monte-carlo", samples=400_000
    )
    assert {each.method for each in found} == {"quasi-monte-carlo"}
    for each in found:
        assert abs(each.error - plain.error) <= each.error_bound + plain.error_bound
        assert each.error_bound < 0.02
        assert torch.allclose(each.weight_mean, plain.weight_mean, atol=5e-3)


def test_moments_that_would_take_minutes_are_drawn_unless_the_exact_method_is_asked_for(monkeypatch):
    monkeypatch.setattr(sys.modules[distribution.__module__], "MOST_NUMBERS", 100)
    keys, target = noisy_keys(torch.eye(2), norm_variance=torch.tensor([0.5, 0.0])), torch.tensor([0.5, 0.5])
    found = distribution(keys, torch.ones(2), target, samples=10_000)
    exact = distribution(keys, torch.ones(2), target, method="exact")
    assert (found.method, exact.method) == ("quasi-monte-carlo", "exact")
    assert abs(found.error - exact.error) <= found.error_bound
