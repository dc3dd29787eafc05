"""The best scale and the best queries: the reference figures, that nothing near is better, and bad input named."""

from functools import partial
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention import Averaging, Best, Distribution, best_queries, best_scale, distribution, noisy_keys
from attnlab.errors import ArgumentError


def scaled(setting: Averaging, heads: int = 1, **options: Any) -> Best:
    options.setdefault("head_weights", setting.head_weights(heads))
    return best_scale(setting.noisy_keys(), setting.directions(heads), setting.target(), **options)


def measured(setting: Averaging, queries: torch.Tensor, **options: Any) -> Distribution:
    return distribution(setting.noisy_keys(), queries, setting.target(), **options)


@pytest.mark.parametrize(
    ("keys", "scale", "error"), [(4, 1.248, 0.0975), (10, 2.136, 0.1468), (100, 4.464, 0.2243), (1000, 6.856, 0.2667)]
)
def test_the_best_scales_of_one_head(keys, scale, error):
    setting = Averaging(keys)
    best = scaled(setting)
    assert best.scale is not None
    assert round(best.scale, 3) == scale
    assert round(best.distribution.error, 4) == error
    assert not best.unbounded
    torch.testing.assert_close(best.queries, best.scale * setting.directions(1))


@pytest.mark.parametrize("keys", [4, 10, 100])
def test_two_heads_want_ever_larger_scales(keys):
    """In 1 − Φ(√2) of the draws head 1 looks at all keys but a: the error falls to what that costs, and no further."""
    best = scaled(Averaging(keys), heads=2)
    assert best.unbounded
    assert best.scale == pytest.approx(1e4)
    limit = (1 - 0.9213503964748574) / 4 * (1 + 1 / (keys - 1))
    assert limit < best.distribution.error < limit + 1e-4


def test_a_smaller_limit_on_the_scale_is_kept():
    best = scaled(Averaging(10), most=1.5)
    assert best.unbounded
    assert best.scale == pytest.approx(1.5)


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
    setting = Averaging(keys, noisy, variance)
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
    setting = Averaging(10)
    best = best_queries(setting.noisy_keys(), setting.target(), starts=1)
    assert best.distribution.error < 1e-6
    (query,) = best.queries
    assert float(query[:2].abs().max()) < 1e-2
    assert float(query[2:].max()) < -5


@pytest.mark.usefixtures("as_installed")  # thousands of small calls: quicker unchecked
@pytest.mark.parametrize(
    ("setting", "heads", "options"),
    [
        (Averaging(5), 1, {}),
        (Averaging(5), 2, {}),
        (Averaging(4, ("a", "b")), 1, {}),
        (Averaging(3, isotropic=0.01), 1, {}),
        (Averaging(5), 1, {"normalise_keys": True}),
        (Averaging(5), 1, {"sink": 1.0}),
        (Averaging(5), 2, {"sink": 1.0}),
        (Averaging(2), 1, {"sink": 1.0}),
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


def test_the_heads_keep_their_weights():
    """With ¾ and ¼, heads that look for a and for b alone cannot average; with equal shares they can."""
    setting, shares = Averaging(4, norm_variance=0.0), torch.tensor([0.75, 0.25], dtype=torch.float64)
    usual = scaled(setting, 2, head_weights=shares)
    assert usual.distribution.error > 0.05
    assert measured(setting, usual.queries, head_weights=shares).error == pytest.approx(usual.distribution.error)
    assert scaled(setting, 2).distribution.error < 1e-6
    free = best_queries(setting.noisy_keys(), setting.target(), heads=2, starts=1, head_weights=shares)
    assert free.distribution.error < 1e-6
    assert measured(setting, free.queries, head_weights=shares).error == pytest.approx(free.distribution.error)


def test_values_are_heeded():
    """With the values of a and b swapped for others' the best query looks at those."""
    setting = Averaging(4)
    values = torch.eye(4, dtype=torch.float64).flip(0)
    best = best_queries(setting.noisy_keys(), setting.target(), starts=1, values=values)
    assert best.distribution.error < 1e-6
    torch.testing.assert_close(best.distribution.weight_mean, setting.target().flip(0), atol=1e-3, rtol=0)


def test_the_seed_alone_decides():
    setting = Averaging(3, isotropic=0.02)  # ten sources of noise: the search draws its nodes
    find = partial(best_queries, setting.noisy_keys(), setting.target(), starts=1)
    first, again, other = find(seed=1), find(seed=1), find(seed=2)
    assert torch.equal(first.queries, again.queries)
    assert first.distribution.error == again.distribution.error
    assert not torch.equal(first.queries, other.queries)
    assert first.distribution.error == pytest.approx(other.distribution.error, rel=0.05)


TEN = Averaging(10)


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
        (lambda: best_scale(TEN.noisy_keys(), torch.full((1, 10), torch.nan), TEN.target()),
         "directions: expected finite numbers, got nan at [0, 0]"),
        (lambda: best_scale(TEN.noisy_keys(), TEN.directions(1), torch.ones(3)), "target: expected 10 numbers, got 3"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), heads=0),
         "heads: expected a finite number, 1 or more, got 0"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), starts=0),
         "starts: expected a finite number, 1 or more, got 0"),
        (lambda: best_queries(TEN.noisy_keys(), torch.ones(3)), "target: expected 10 numbers, got 3"),
        (lambda: best_queries(TEN.noisy_keys(), torch.nan * TEN.target()),
         "target: expected finite numbers, got nan at [0]"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), values=torch.ones(3, 10)),
         "values: expected 10 rows, one a key, got shape (3, 10)"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), heads=2, head_weights=torch.ones(3)),
         "head_weights: expected 2 numbers, got 3"),
        (lambda: best_queries(TEN.noisy_keys(), TEN.target(), sink=-1.0, starts=1),
         "sink: expected a finite number, 0 or more, got -1"),
        (lambda: best_queries(noisy_keys(torch.eye(100), isotropic=0.1), torch.ones(100)),
         "keys: 10000 sources of noise on 100 keys of dim 100 are too many to search with; "
         "expected at most 5e+07 numbers in all"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(ArgumentError) as error:
        call()
    assert str(error.value) == message
