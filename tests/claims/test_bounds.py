"""Every stated bound of the noise claims holds: the same numbers by mpmath, from closed forms, with 20 digits.

Ten orthonormal keys, k_a = (1 + γ)μ_a with γ ~ N(0, ½). Head 1 of two has the logits C(1 + γ), 0, …; one head for both
has C(1 + γ), C, 0, ….
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import mpmath
import pytest
from mpmath import exp, mpf, ncdf, npdf, sqrt, workdps

from attnlab.claims import Quantity

OTHERS, HALF = 8, mpf("0.5")
Number = Any
"""mpmath's number, which has no type."""
Weights = Callable[[Number, Number], tuple[Number, Number, Number]]
"""The weights of a, of b and of each other key, by C and 1 + γ."""


def softmax(a: Number, b: Number) -> tuple[Number, Number, Number]:
    top = max(a, b, mpf(0))
    powers = exp(a - top), exp(b - top), exp(-top)
    total = powers[0] + powers[1] + OTHERS * powers[2]
    return powers[0] / total, powers[1] / total, powers[2] / total


def one_head(C: Number, stretch: Number) -> tuple[Number, Number, Number]:
    return softmax(C * stretch, C)


def two_heads(C: Number, stretch: Number, share: Number = HALF) -> tuple[Number, Number, Number]:
    first, second = softmax(C * stretch, mpf(0)), softmax(mpf(0), C)
    a, b, other = (share * x + (1 - share) * y for x, y in zip(first, second, strict=True))
    return a, b, other


def mean(value: Callable[[Number], Number], C: Number) -> Number:
    """The mean over γ, with panels that end where the softmax turns: at 1 + γ = 0 and at γ = 0."""
    turns = {mpf(place) + sign * width / C for place in (0, 1) for width in (0, 1, 5, 20, 60) for sign in (-1, 1)}
    ends = [mpf(-7), *sorted(turn for turn in turns if -7 < turn < 9), mpf(9)]
    return mpmath.quad(lambda x: value(x) * npdf(x, 1, sqrt(mpf("0.5"))), ends)


def error(weights: Weights, C: float) -> Number:
    """E‖c − ½(v_a + v_b)‖²."""

    def squared(stretch: Number) -> Number:
        a, b, other = weights(mpf(C), stretch)
        return (a - mpf("0.5")) ** 2 + (b - mpf("0.5")) ** 2 + OTHERS * other**2

    return mean(squared, mpf(C))


def _first_head_above(level: str) -> Number:
    """P(α_a > level) in head 1 at C = 100: exp(C(1 + γ)) > (n − 1) level/(1 − level)."""
    edge = mpmath.log(9 * mpf(level) / (1 - mpf(level))) / 100
    return ncdf((1 - edge) * sqrt(mpf(2)))


def expected() -> Iterator[tuple[str, str, Callable[[], Number]]]:
    """The claim, the name of a number with a bound, and what computes its true value."""
    for C in (1, 10, 1000):
        yield "norm-noise-formula", f"error, n = 10, C = {C}", partial(error, one_head, C)
        a_alone = partial(mean, lambda x, C=C: one_head(mpf(C), x)[0], mpf(C))
        yield "norm-noise-formula", f"E[α_a], n = 10, C = {C}", a_alone
        yield "two-heads-noise-average", f"error, n = 10, C = {C}", partial(error, two_heads, C)
    for heads in (2, 8):
        yield "noise-remedies-more-heads", f"error of {heads} heads, C = 100", partial(error, two_heads, 100)
    for share in ("0.4", "0.55"):
        weighed = partial(two_heads, share=mpf(share))
        yield "noise-remedies-more-heads", f"error with a share of {share} for head 1", partial(error, weighed, 100)
    first = "two-heads-noise-first-head"
    yield first, "P(α_a > 0.9) in head 1, C = 100, n = 10", partial(_first_head_above, "0.9")
    yield first, "P(α_a < 0.1) in head 1", lambda: 1 - _first_head_above("0.1")


@pytest.mark.parametrize(
    ("claim", "name", "truth"), list(expected()), ids=lambda each: each if isinstance(each, str) else ""
)
def test_the_bound_contains_the_true_value(claim: str, name: str, truth: Callable[[], Number], findings):
    found: Quantity = next(each for each in findings[claim][1].measures if each.name == name)
    assert found.how == "bound"
    with workdps(20):
        assert abs(mpf(found.value) - truth()) <= mpf(found.within)
