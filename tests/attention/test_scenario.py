"""The averaging question: its keys, its queries, its target, and bad input named."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnlab.attention import AveragingQuestion
from attnlab.errors import ArgumentError


def test_the_default_is_that_of_the_coursework():
    setting = AveragingQuestion()
    assert (setting.keys, setting.noisy, setting.norm_variance, setting.isotropic) == (10, ("a",), 0.5, 0.0)


def test_the_means_are_orthonormal_and_so_is_what_the_target_weighs():
    setting = AveragingQuestion(5)
    assert torch.equal(setting.noisy_keys().means, torch.eye(5, dtype=torch.float64))
    assert setting.target().tolist() == [0.5, 0.5, 0, 0, 0]


@pytest.mark.parametrize("noisy", [(), ("a",), ("b",), ("a", "b"), ("b", "a")])
@pytest.mark.parametrize("isotropic", [0.0, 0.04])
def test_the_covariance_is_the_one_in_the_question(noisy, isotropic):
    """Σ_i = αI, and v μ_i μ_iᵀ more for a noisy key; no two keys are correlated."""
    n, variance = 4, 0.5
    found = AveragingQuestion(n, noisy, variance, isotropic).noisy_keys().covariance()
    expected = torch.zeros(n, n, n, n, dtype=torch.float64)
    for i in range(n):
        expected[i, :, i, :] = isotropic * torch.eye(n, dtype=torch.float64)
    for name in noisy:
        i = "ab".index(name)
        expected[i, i, i, i] += variance
    torch.testing.assert_close(found, expected, atol=1e-15, rtol=0)


def test_directions():
    setting = AveragingQuestion(3)
    assert setting.directions(1).tolist() == [[1, 1, 0]]
    assert setting.directions(2).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert setting.directions(5).tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]]


def test_head_weights():
    setting = AveragingQuestion(3)
    assert setting.head_weights(1).tolist() == [1]
    assert setting.head_weights(2).tolist() == [0.5, 0.5]
    assert setting.head_weights(3).tolist() == [0.25, 0.5, 0.25]


@given(st.integers(2, 100))
def test_a_and_b_have_half_the_output_each_whatever_the_heads(heads):
    setting = AveragingQuestion(4)
    shares = setting.head_weights(heads)
    assert float(shares.sum()) == pytest.approx(1)
    torch.testing.assert_close(shares @ setting.directions(heads), setting.target())


KEYS = "keys: expected 2 to 5000 keys, of which a and b are two, got"


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: AveragingQuestion(1), f"{KEYS} 1"),
        (lambda: AveragingQuestion(0), f"{KEYS} 0"),
        (lambda: AveragingQuestion(-1), f"{KEYS} -1"),
        (lambda: AveragingQuestion(5001), f"{KEYS} 5001"),
        (lambda: AveragingQuestion(norm_variance=-0.5), "norm_variance: expected a finite number, 0 or more, got -0.5"),
        (
            lambda: AveragingQuestion(norm_variance=float("nan")),
            "norm_variance: expected a finite number, 0 or more, got nan",
        ),
        (lambda: AveragingQuestion(isotropic=float("inf")), "isotropic: expected a finite number, 0 or more, got inf"),
        (lambda: AveragingQuestion(noisy=("a", "other")), "noisy: expected a, b or a,b, got other"),  # pyright: ignore
        (lambda: AveragingQuestion(noisy=("d", "c")), "noisy: expected a, b or a,b, got c,d"),  # pyright: ignore
        (lambda: AveragingQuestion().directions(0), "heads: expected a finite number, 1 or more, got 0"),
        (lambda: AveragingQuestion().head_weights(-1), "heads: expected a finite number, 1 or more, got -1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ArgumentError) as error:
        call()
    assert str(error.value) == message
