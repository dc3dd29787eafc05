"""The best scale and the best queries: the reference figures, that nothing near is better, and bad input named."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import AveragingQuestion, Best, Distribution, best_queries, best_scale, distribution, noisy_keys
from attnlab.errors import ArgumentError


def scaled(setting: AveragingQuestion, heads: int = 1, **options: Any) -> Best:
    options.setdefault("head_weights", setting.head_weights(heads))
    return best_scale(setting.noisy_keys(), setting.directions(heads), setting.target(), **options)


def measured(setting: AveragingQuestion, queries: torch.Tensor, **options: Any) -> Distribution:
    return distribution(setting.noisy_keys(), queries, setting.target(), **options)


@pytest.mark.parametrize(
    ("keys", "scale", "error"), [(4, 1.248, 0.0975), (10, 2.136, 0.1468), (100, 4.464, 0.2243), (1000, 6.856, 0.2667)]
)
def test_the_best_scales_of_one_head(keys, scale, error):
    setting = AveragingQuestion(keys)
    best = scaled(setting)
    assert best.scale is not None
    assert round(best.scale, 3) == scale
    assert round(best.distribution.error, 4) == error
    assert not best.unbounded
    torch.testing.assert_close(best.queries, best.scale * setting.directions(1))


@pytest.mark.parametrize("keys", [4, 10, 100])
def test_two_heads_want_ever_larger_scales(keys):
    """In 1 − Φ(√2) of the draws head 1 looks at all keys but a: the error falls to what that costs, and no further."""
    best = scaled(AveragingQuestion(keys), heads=2)
    assert best.unbounded
    assert best.scale == pytest.approx(1e4)
    limit = (1 - 0.9213503964748574) / 4 * (1 + 1 / (keys - 1))
    assert limit < best.distribution.error < limit + 1e-4


def test_a_smaller_limit_on_the_scale_is_kept():
    best = scaled(AveragingQuestion(10), most=1.5)
    assert best.scale == 1.5
    assert not best.unbounded, "the error falls there, but not for ever"
    assert scaled(AveragingQuestion(10), most=1e4).scale == pytest.approx(2.136, abs=1e-3)
    assert scaled(AveragingQuestion(10), heads=2, most=1e3).scale == 1e3
    assert scaled(AveragingQuestion(10), heads=2, most=1e12).unbounded


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("heads", "factor", "options"),
    [
        (1, 1e6, {}),
        (1, 1e-6, {}),
        (2, 1e6, {}),
        (2, 1e-130, {}),
        (1, 1e100, {"sink": 1.0}),
        (2, 1e-6, {"sink": 1.0}),
        (1, 1e6, {"normalise_keys": True}),
    ],
)
def test_longer_directions_have_smaller_scales(heads, factor, options):
    """Only C · directions counts, so the answer is the same whatever the directions are measured in."""
    setting = AveragingQuestion(10)
    options |= {"head_weights": setting.head_weights(heads)}
    plain = scaled(setting, heads, **options)
    directions = factor * setting.directions(heads)
    other = best_scale(setting.noisy_keys(), directions, setting.target(), **options)
    assert other.unbounded == plain.unbounded
    assert plain.scale is not None
    assert other.scale == pytest.approx(plain.scale / factor, rel=1e-6)
    torch.testing.assert_close(other.queries, plain.queries, rtol=1e-6, atol=0)
    assert other.distribution.error == pytest.approx(plain.distribution.error, abs=1e-12)


@pytest.mark.parametrize("factor", [1e-5, 1e5])
def test_longer_keys_have_smaller_scales(factor):
    setting = AveragingQuestion(10)
    keys = noisy_keys(factor * torch.eye(10), norm_variance=torch.tensor([0.5] + [0.0] * 9))
    best = best_scale(keys, setting.directions(1), setting.target())
    assert best.scale == pytest.approx(2.1364 / factor, rel=1e-4)
    assert not best.unbounded


@pytest.mark.parametrize("deviation", [0.0, 1e-13, 1e-9, 1e-5])
def test_noise_hardly_heard_leaves_a_best_scale(deviation):
    """The error e^{−2C} is soon below rounding; noise of sd σ moves a logit by σC, and is heard from C ≈ 1/σ on."""
    best = scaled(AveragingQuestion(10, norm_variance=deviation**2))
    assert not best.unbounded
    assert best.distribution.error < 1e-7
    assert best.scale is not None
    assert 5 < best.scale < 100


def test_heads_of_unequal_strength_are_both_heard():
    """The second head is 100,000 times weaker; the error falls until that one, too, finds its key."""
    setting = AveragingQuestion(4, norm_variance=0.0)
    strengths = torch.tensor([[1.0], [1e-5]], dtype=torch.float64)
    best = best_scale(setting.noisy_keys(), strengths * setting.directions(2), setting.target())
    assert best.scale is not None
    assert 1e6 < best.scale < 1e8
    assert best.distribution.error <= best.distribution.error_bound


@pytest.mark.parametrize("directions", [torch.zeros(10), torch.ones(10)], ids=["none", "all alike"])
def test_a_scale_that_changes_nothing_is_0(directions):
    best = best_scale(noisy_keys(torch.eye(10)), directions, AveragingQuestion(10).target())
    assert (best.scale, best.unbounded) == (0.0, False)


@pytest.mark.parametrize(("shared", "method"), [(0.0, "exact"), (0.001, "monte-carlo")])
def test_many_directions_of_noise_have_a_best_scale_too(shared, method):
    setting = AveragingQuestion(40)
    keys = noisy_keys(setting.noisy_keys().means, norm_variance=0.01, isotropic=0.01)
    if shared:
        keys = replace(keys, shared=torch.full((1, 40, 40), shared, dtype=torch.float64))
    best = best_scale(keys, setting.directions(1), setting.target())
    assert best.distribution.method == method
    assert best.scale is not None
    assert 1 < best.scale < 10


@settings(deadline=None, max_examples=8)
@given(
    st.integers(3, 60),
    st.floats(0.05, 2),
    st.sampled_from([("a",), ("b",)]),
    st.integers(1, 3),
    st.floats(-1, 1).filter(lambda step: abs(step) > 1e-3),
    st.floats(0, 2),
)
def test_no_scale_near_the_best_is_better(keys, variance, noisy, heads, step, sink):
    setting = AveragingQuestion(keys, noisy, variance)
    options = {"sink": sink, "head_weights": setting.head_weights(heads)}
    best = scaled(setting, heads, **options)
    assert best.scale is not None
    factor = 2.0**step
    if best.unbounded and factor > 1:
        return  # there, larger is better
    near = measured(setting, factor * best.scale * setting.directions(heads), **options)
    assert near.error >= best.distribution.error - near.error_bound - best.distribution.error_bound


def test_the_best_query_hears_neither_a_nor_b():
    """Orthogonal to a and b, it leaves their logits at 0 whatever their norms; all others it turns away."""
    setting = AveragingQuestion(10)
    best = best_queries(setting.noisy_keys(), setting.target(), starts=1)
    assert best.distribution.error < 1e-6
    (query,) = best.queries
    assert float(query[:2].abs().max()) < 1e-2
    assert float(query[2:].max()) < -5


@pytest.mark.usefixtures("as_installed")  # thousands of small calls: quicker unchecked
@pytest.mark.parametrize(
    ("setting", "heads", "options"),
    [
        (AveragingQuestion(5), 1, {}),
        (AveragingQuestion(5), 2, {}),
        (AveragingQuestion(4, ("a", "b")), 1, {}),
        (AveragingQuestion(3, isotropic=0.01), 1, {}),
        (AveragingQuestion(5), 1, {"normalise_keys": True}),
        (AveragingQuestion(5), 1, {"sink": 1.0}),
        (AveragingQuestion(5), 2, {"sink": 1.0}),
        (AveragingQuestion(2), 1, {"sink": 1.0}),
    ],
)
def test_free_queries_are_never_worse_than_the_usual_ones(setting, heads, options):
    free = best_queries(setting.noisy_keys(), setting.target(), heads=heads, starts=1, **options)
    usual = scaled(setting, heads, **options)
    assert free.queries.shape == (heads, setting.keys)
    assert free.scale is None
    assert free.distribution.error <= usual.distribution.error + free.distribution.error_bound
    again = measured(setting, free.queries, **options)
    assert again.error == pytest.approx(free.distribution.error, abs=1e-12)


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("setting", "options"),
    [
        (AveragingQuestion(4), {}),
        (AveragingQuestion(4, ("b",)), {"sink": 0.5}),
        (AveragingQuestion(3, norm_variance=2.0), {"normalise_keys": True}),
        (AveragingQuestion(2, isotropic=0.05), {}),
    ],
    ids=str,
)
def test_more_heads_or_starts_never_lose(setting, options):
    find = partial(best_queries, setting.noisy_keys(), setting.target(), **options)
    one = find(starts=1)
    assert one.distribution.error >= find(starts=3).distribution.error
    by_heads = [one, *(find(heads=heads, starts=1) for heads in (2, 4))]
    errors = [best.distribution.error for best in by_heads]
    assert errors == sorted(errors, reverse=True)
    for heads, best in zip((1, 2, 4), by_heads, strict=True):
        assert best.queries.shape == (heads, setting.keys)
        again = measured(setting, best.queries, **options)
        bounds = again.error_bound + best.distribution.error_bound
        assert again.error == pytest.approx(best.distribution.error, abs=bounds)


@pytest.mark.usefixtures("as_installed")
def test_unequal_heads_are_never_worse_than_one_with_all_their_shares():
    setting, shares = AveragingQuestion(4, ("a", "b")), torch.tensor([0.7, 0.2, 0.1], dtype=torch.float64)
    find = partial(best_queries, setting.noisy_keys(), setting.target(), starts=1)
    one, three = find(head_weights=shares.sum()[None]), find(heads=3, head_weights=shares)
    assert three.distribution.error <= one.distribution.error
    assert three.queries.shape == (3, 4)


def test_the_heads_keep_their_weights():
    """With ¾ and ¼, heads that look for a and for b alone cannot average; with equal shares they can."""
    setting, shares = AveragingQuestion(4, norm_variance=0.0), torch.tensor([0.75, 0.25], dtype=torch.float64)
    usual = scaled(setting, 2, head_weights=shares)
    assert usual.distribution.error > 0.05
    assert measured(setting, usual.queries, head_weights=shares).error == pytest.approx(usual.distribution.error)
    assert scaled(setting, 2).distribution.error < 1e-6
    free = best_queries(setting.noisy_keys(), setting.target(), heads=2, starts=1, head_weights=shares)
    assert free.distribution.error < 1e-6
    assert measured(setting, free.queries, head_weights=shares).error == pytest.approx(free.distribution.error)


def test_values_are_heeded():
    """With the values of a and b swapped for others' the best query looks at those."""
    setting = AveragingQuestion(4)
    values = torch.eye(4, dtype=torch.float64).flip(0)
    best = best_queries(setting.noisy_keys(), setting.target(), starts=1, values=values)
    assert best.distribution.error < 1e-6
    torch.testing.assert_close(best.distribution.weight_mean, setting.target().flip(0), atol=1e-3, rtol=0)


def test_the_seed_alone_decides():
    setting = AveragingQuestion(3, isotropic=0.02)  # ten sources of noise: the search draws its nodes
    find = partial(best_queries, setting.noisy_keys(), setting.target(), starts=1)
    first, again, other = find(seed=1), find(seed=1), find(seed=2)
    assert torch.equal(first.queries, again.queries)
    assert first.distribution.error == again.distribution.error
    assert not torch.equal(first.queries, other.queries)
    assert first.distribution.error == pytest.approx(other.distribution.error, rel=0.05)


TEN = AveragingQuestion(10)


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: scaled(TEN, most=0.0), "most: expected a number above 0 and below inf, got 0"),
        (lambda: scaled(TEN, most=float("nan")), "most: expected a number above 0 and below inf, got nan"),
        (lambda: scaled(TEN, sink=-1.0), "sink: expected a finite number, 0 or more, got -1"),
        (lambda: scaled(TEN, head_weights=torch.ones(2)), "head_weights: expected 1 numbers, got 2"),
        (lambda: best_scale(TEN.noisy_keys(), torch.ones(3), TEN.target()),
         "queries: expected the dim of the keys, 10, got shape (1, 3)"),
        (lambda: best_scale(torch.eye(10), TEN.directions(1), TEN.target()),  # pyright: ignore[reportArgumentType]
         "keys: expected the result of noisy_keys(means, …), got Tensor"),
        (lambda: best_scale(TEN.noisy_keys(), "x", TEN.target()),  # pyright: ignore[reportArgumentType]
         "directions: expected a torch tensor, got str"),
        (lambda: best_scale(TEN.noisy_keys(), TEN.directions(1), None),  # pyright: ignore[reportArgumentType]
         "target: expected a torch tensor, got NoneType"),
        (lambda: scaled(TEN, most="x"), "most: expected a number, got 'x'"),
        (lambda: scaled(TEN, sink=None), "sink: expected a number, got None"),
        (lambda: best_queries(None, TEN.target()),  # pyright: ignore[reportArgumentType]
         "keys: expected the result of noisy_keys(means, …), got NoneType"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), heads=1.5),  # pyright: ignore[reportArgumentType]
         "heads: expected a whole number, got 1.5"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), heads=2, head_weights=[0.5, 0.5]),  # pyright: ignore[reportArgumentType]
         "head_weights: expected a torch tensor, got list"),
        (lambda: best_scale(TEN.noisy_keys(), torch.full((1, 10), torch.nan), TEN.target()),
         "directions: expected finite numbers, got nan at [0, 0]"),
        (lambda: best_scale(TEN.noisy_keys(), TEN.directions(1), torch.ones(3)), "target: expected 10 numbers, got 3"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), heads=0),
         "heads: expected a whole number, 1 or more, got 0"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), starts=0),
         "starts: expected a whole number, 1 or more, got 0"),
        (lambda: best_queries(TEN.noisy_keys(), torch.ones(3)), "target: expected 10 numbers, got 3"),
        (lambda: best_queries(TEN.noisy_keys(), torch.nan * TEN.target()),
         "target: expected finite numbers, got nan at [0]"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), values=torch.ones(3, 10)),
         "values: expected 10 rows, one per key, got shape (3, 10)"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), heads=2, head_weights=torch.ones(3)),
         "head_weights: expected 2 numbers, got 3"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), sink=-1.0, starts=1),
         "sink: expected a finite number, 0 or more, got -1"),
        (lambda: best_queries(noisy_keys(torch.eye(100), isotropic=0.1), torch.ones(100)),
         "keys: expected at most 5e+07 numbers (sources × keys × dim); "
         "got 10000 sources of noise on 100 keys of dim 100"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(ArgumentError) as error:
        call()
    assert str(error.value) == message
