"""One integral for thousands of independent logits, beside quadrature, draws, and closed forms."""

from dataclasses import replace

import pytest
import torch

from attnlab.attention import AveragingQuestion, NoisyKeys, distribution, noisy_keys
from attnlab.attention.best_queries import best_scale
from attnlab.attention.noise.distribution import distribution_of
from attnlab.attention.noise.independent import covariance, has_independent_logits, moments
from attnlab.attention.noise.logits import ManyLogits
from attnlab.attention.noise.readout import Readout, readout
from attnlab.errors import ArgumentError


def unreduced(asked: Readout, keys: NoisyKeys, queries: torch.Tensor) -> Readout:
    """The readout of a few keys as if they were too many to reduce."""
    many = ManyLogits(keys, queries, normalised=False, shift_free=asked.sink == 0)
    ones = torch.ones(len(keys.means), dtype=torch.float64)
    aim = asked.aim[asked.logits.column]
    return replace(asked, logits=many, counts=ones, masses=ones, aim=aim, rest=0.0)


@pytest.mark.parametrize("scale", [0.1, 3.0, 100.0])
@pytest.mark.parametrize(
    ("setting", "heads", "sink"),
    [
        (AveragingQuestion(3, isotropic=0.04, norm_variance=0.0), 1, 0.0),
        (AveragingQuestion(2, isotropic=0.3), 1, 0.0),
        (AveragingQuestion(8, noisy=("a", "b"), norm_variance=0.5), 1, 0.0),
        (AveragingQuestion(8, noisy=("a", "b"), norm_variance=0.5), 2, 1.5),
        (AveragingQuestion(6, noisy=("a", "b"), norm_variance=0.2), 5, 0.0),
        (AveragingQuestion(4, norm_variance=0.0), 1, 0.5),
    ],
)
def test_the_integral_agrees_with_the_quadrature(setting, heads, sink, scale):
    keys, queries, target = setting.noisy_keys(), scale * setting.directions(heads), setting.target()
    options = {"head_weights": setting.head_weights(heads), "sink": sink}
    exact = distribution(keys, queries, target, method="exact", **options)
    asked = unreduced(readout(keys, queries, target, **options), keys, queries)
    assert has_independent_logits(asked)
    found = moments(asked, tolerance=1e-9)
    assert abs(found.error - exact.error) <= found.error_bound + exact.error_bound
    assert bool(((found.mean - exact.weight_mean).abs() <= found.mean_bound + exact.weight_mean_bound).all())
    assert float((covariance(asked, 1e-9) - exact.weight_covariance).abs().max()) < 3e-6
    assert found.error_bound < 1e-8


def test_thousands_of_keys_of_one_law_share_their_weight():
    keys = noisy_keys(torch.zeros(3000, 2), covariances=torch.eye(2).expand(3000, 2, 2))
    found = distribution(keys, torch.tensor([2.0, 0.0]), torch.full((3000,), 1 / 3000))
    assert found.method == "exact"
    assert float((found.weight_mean - 1 / 3000).abs().max()) < 1e-12
    assert found.error == pytest.approx(float(found.column_variance.sum()), abs=1e-12)


@pytest.mark.parametrize("heads", [1, 2])
def test_forty_keys_agree_with_draws(heads):
    setting = AveragingQuestion(40, isotropic=0.3)
    how = {"head_weights": setting.head_weights(heads), "samples": 100_000}
    asked = setting.noisy_keys(), 3 * setting.directions(heads), setting.target()
    exact, drawn = distribution(*asked, **how), distribution(*asked, **how, method="monte-carlo")
    assert (exact.method, drawn.method, exact.law_method) == ("exact", "monte-carlo", "monte-carlo")
    assert exact.error_bound < 1e-8
    assert abs(drawn.error - exact.error) <= drawn.error_bound
    assert bool(((drawn.weight_mean - exact.weight_mean).abs() <= drawn.weight_mean_bound).all())
    assert float((drawn.weight_covariance - exact.weight_covariance).abs().max()) < 4 / 100_000**0.5
    assert exact.quantile(0, 0.5).value == drawn.quantile(0, 0.5).value


def test_what_depends_on_one_another_is_drawn():
    setting = AveragingQuestion(40, isotropic=0.3)
    keys, (a, b), target = setting.noisy_keys(), setting.directions(2), setting.target()
    for queries, options in [
        (torch.stack([a, a + b]), {}),  # the noise of a key moves its logits in both heads
        (a, {"values": torch.eye(40)}),
        (a, {"normalise_keys": True}),
    ]:
        asked = readout(keys, queries, target, **options)
        assert not has_independent_logits(asked)
        assert distribution_of(asked, samples=100).method == "monte-carlo"
    shared = replace(keys, shared=torch.full((1, 40, 40), 0.1, dtype=torch.float64))
    assert not has_independent_logits(readout(shared, a, target))


def test_a_scale_that_takes_too_many_points_is_drawn_or_refused():
    still = torch.ones(40)
    still[0] = 0.0  # one key without noise keeps the steps short
    keys = noisy_keys(torch.eye(40), isotropic=still)
    query, target = 1e8 * torch.eye(40)[0], torch.eye(40)[0]
    assert distribution(keys, query, target, samples=100).method == "monte-carlo"
    with pytest.raises(ArgumentError, match="exact would take too many points at this scale; use auto"):
        distribution(keys, query, target, method="exact")
    assert best_scale(keys, torch.eye(40)[:1], target).distribution.error < 1


def test_many_draws_of_many_keys_compute_the_factors_once():
    setting = AveragingQuestion(40, isotropic=0.3)
    logits = readout(setting.noisy_keys(), setting.directions(1), setting.target()).logits
    assert isinstance(logits, ManyLogits)
    generator = torch.Generator().manual_seed(0)
    logits.draw(2, generator, torch.float32)
    factors = logits._own
    logits.draw(2, generator, torch.float32)
    assert logits._own is factors
