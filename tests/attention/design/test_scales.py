"""Scales: the closed forms through attention itself, and the general scale against a dense scan."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.attention.design.scales import Limit, average_scale, copy_scale, scale_for
from attnlab.attention.functional import attend
from attnlab.attention.impossible import Impossible
from attnlab.errors import ArgumentError

quick = settings(max_examples=50, deadline=None)


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def weights(keys: torch.Tensor, query: torch.Tensor) -> torch.Tensor:
    return attend(query, keys, keys).weights


def error(keys: torch.Tensor, query: torch.Tensor, target: dict[int, float]) -> float:
    wanted = torch.zeros(len(keys), dtype=torch.float64)
    for index, weight in target.items():
        wanted[index] = weight
    return float((weights(keys, query) - wanted).abs().max())


@pytest.mark.parametrize("n", [2, 3, 4, 10, 100, 1000])
@pytest.mark.parametrize("tolerance", [0.3, 0.1, 1e-3, 1e-9])
def test_orthonormal_keys(n, tolerance):
    keys = torch.eye(n, dtype=torch.float64)
    copied = weights(keys, copy_scale(n, tolerance) * keys[1])
    assert float(1 - copied[1]) == pytest.approx(min(tolerance, 1 - 1 / n), abs=1e-12)
    averaged = weights(keys, average_scale(n, tolerance) * (keys[0] + keys[1]))
    assert float(0.5 - averaged[0]) == pytest.approx(min(tolerance, 0.5 - 1 / n), abs=1e-12)
    assert averaged[0] == averaged[1]


@pytest.mark.parametrize("n", [4, 10, 100])
def test_the_general_scale_has_the_closed_forms(n):
    keys = torch.eye(n, dtype=torch.float64)
    assert scale_for(keys, keys[1], {1: 1.0}, 1e-3) == pytest.approx(copy_scale(n, 1e-3), abs=1e-12)
    average = scale_for(keys, keys[0] + keys[1], {0: 0.5, 1: 0.5}, 1e-3)
    assert average == pytest.approx(average_scale(n, 1e-3), abs=1e-12)


def test_with_three_keys_the_third_has_all_that_is_left():
    keys = torch.eye(3, dtype=torch.float64)
    scale = scale_for(keys, keys[0] + keys[1], {0: 0.5, 1: 0.5}, 0.01)
    assert scale == pytest.approx(average_scale(3, 0.005), abs=1e-12)


def test_scales_of_nothing():
    assert copy_scale(1, 0.1) == average_scale(2, 0.1) == average_scale(9, 0.6) == copy_scale(2, 0.5) == 0.0
    keys = torch.ones(2, 3)
    assert scale_for(keys, torch.ones(3), {0: 0.5, 1: 0.5}, 0.1) == 0.0
    assert isinstance(scale_for(keys, torch.ones(3), {0: 1.0}, 0.1), Impossible)
    assert scale_for(keys, torch.zeros(3), {0: 0.75, 1: 0.25}, 0.25) == 0.0
    assert scale_for(torch.ones(1, 1), torch.ones(1), {0: 1.0}, 0.1) == 0.0


@quick
@given(st.integers(0, 10**6), st.integers(2, 6), st.sampled_from([0.4, 0.2, 0.05, 1e-3]))
def test_it_is_the_last_crossing(seed, n, tolerance):
    keys, direction = random(n, 3, seed=seed), random(3, seed=seed + 1)
    best = int((keys @ direction).argmax())
    scale = scale_for(keys, direction, {best: 1.0}, tolerance)
    assert isinstance(scale, float)
    check_last_crossing(keys, direction, {best: 1.0}, tolerance, scale)


@quick
@given(st.lists(st.floats(-20, 0), min_size=2, max_size=4), st.sampled_from([0.45, 0.3, 0.1, 0.02]), st.booleans())
def test_it_is_the_last_crossing_of_an_average(slopes, tolerance, steep):
    """Here another key may be above the tolerance while the leak is small enough, or rise on the way."""
    keys = torch.tensor([[0.0], [0.0], *([s - 0.1] for s in slopes)], dtype=torch.float64)
    keys[2:3] *= 100 if steep else 1
    scale = scale_for(keys, torch.ones(1, dtype=torch.float64), {0: 0.5, 1: 0.5}, tolerance)
    assert isinstance(scale, float)
    check_last_crossing(keys, torch.ones(1, dtype=torch.float64), {0: 0.5, 1: 0.5}, tolerance, scale)


def check_last_crossing(keys, direction, target, tolerance, scale):
    for factor in (1.0, 1.0001, 1.01, 1.1, 1.5, 3.0, 10.0):
        assert error(keys, factor * scale * direction, target) <= tolerance + 1e-12
    if scale > 1e-9:
        assert error(keys, scale * (1 - 1e-6) * direction, target) > tolerance


def test_a_weight_that_rises_before_it_falls():
    """As the nine far keys go, key 2 gains what they had: within tolerance, out of it, and in again for good."""
    keys = torch.tensor([[0.0], [0.0], [-1.0], *[[-30.0]] * 9], dtype=torch.float64)
    direction, target = torch.ones(1, dtype=torch.float64), {0: 0.5, 1: 0.5}
    assert [error(keys, c * direction, target) <= 0.25 for c in (0.06, 0.072, 0.1, 0.4, 0.41)] == [0, 1, 0, 0, 1]
    scale = scale_for(keys, direction, target, 0.25)
    assert isinstance(scale, float)
    check_last_crossing(keys, direction, target, 0.25, scale)


def test_a_direction_that_never_gets_there():
    keys = torch.eye(3)
    answer = scale_for(keys, torch.tensor([1.0, 0.5, 0.0]), {0: 0.75, 1: 0.25}, 0.1)
    assert isinstance(answer, Impossible)
    assert isinstance(answer.certificate, Limit)
    assert answer.certificate.weights.tolist() == [1.0, 0.0, 0.0]
    assert answer.certificate.error == 0.25
    assert answer.reason == "along this direction the weights tend to key 0 alone, 0.25 away from the target"
    answer = scale_for(keys, torch.tensor([1.0, 1.0, 0.0]), {0: 0.75, 1: 0.25}, 0.1)
    assert isinstance(answer, Impossible)
    assert answer.reason == "along this direction the weights tend to 2 keys equally, 0.25 away from the target"


@pytest.mark.parametrize(("tolerance", "possible"), [(0.25 - 1e-9, False), (0.25, False), (0.25 + 1e-9, True)])
def test_the_limit_must_be_inside_the_tolerance(tolerance, possible):
    answer = scale_for(torch.eye(3), torch.tensor([1.0, 1.0, 0.0]), {0: 0.75, 1: 0.25}, tolerance)
    assert isinstance(answer, float) == possible


def test_ties_within_rounding_are_ties():
    keys = torch.tensor([[1.0, 0.0], [1.0 + 1e-15, 0.0], [0.0, 1.0]], dtype=torch.float64)
    scale = scale_for(keys, torch.tensor([1.0, 0.0], dtype=torch.float64), {0: 0.5, 1: 0.5}, 0.01)
    assert scale == pytest.approx(math.log(0.99 / 0.02), abs=1e-9)


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: copy_scale(0, 0.1), "keys: expected at least 1 keys, got 0"),
        (lambda: average_scale(1, 0.1), "keys: expected at least 2 keys, got 1"),
        (lambda: copy_scale(3, 0.0), "tolerance: expected a number above 0 and below 1, got 0"),
        (lambda: average_scale(3, 1.0), "tolerance: expected a number above 0 and below 1, got 1"),
        (lambda: scale_for(torch.eye(2), torch.ones(3), {0: 1.0}, 0.1), "direction: expected 2 numbers, got 3"),
        (lambda: scale_for(torch.eye(2), torch.ones(2), {0: 1.0}, math.nan),
         "tolerance: expected a number above 0 and below 1, got nan"),
        (lambda: scale_for(torch.ones(3), torch.ones(3), {0: 1.0}, 0.1),
         "keys: expected two axes (keys, dim), got shape (3,)"),
        (lambda: copy_scale("3", 0.1), "keys: expected a whole number, got '3'"),  # pyright: ignore[reportArgumentType]
        (lambda: average_scale(3, None), "tolerance: expected a number, got None"),  # pyright: ignore[reportArgumentType]
        (lambda: scale_for(None, torch.ones(2), {0: 1.0}, 0.1),  # pyright: ignore[reportArgumentType]
         "keys: expected a torch tensor, got NoneType"),
        (lambda: scale_for(torch.eye(2), [1.0, 0.0], {0: 1.0}, 0.1),  # pyright: ignore[reportArgumentType]
         "direction: expected a torch tensor, got list"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value) == message
