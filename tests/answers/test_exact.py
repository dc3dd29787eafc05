"""Exact values and their limits, beside SymPy's limits and mpmath's numbers."""

import contextlib
import functools
import operator
import time
from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st
from sympy.parsing.sympy_parser import parse_expr

from attnlab.answers.parsing.shapes import NoValueError
from attnlab.answers.values.effort import EFFORT, Effort, UndecidedError
from attnlab.answers.values.exact import GROWING, ONE, ZERO, Exact, exponential, is_zero, logarithm
from attnlab.answers.values.growth import constant_sign, eventual_sign, interval, limit

C, X = GROWING, sympy.Symbol("x", positive=True)

LIMITS = {
    "(x**2 + x)**(1/2) - x": (((C * C + C) ** Fraction(1, 2)) - C, sympy.Rational(1, 2)),
    "(1 + 1/x)**x": ((1 + 1 / C) ** C, sympy.E),
    "x*(log(x + 1) - log(x))": (C * (logarithm(C + 1) - logarithm(C)), 1),
    "log(log(x*exp(x)))/log(x)": (logarithm(logarithm(C * exponential(C))) / logarithm(C), 1),
    "exp(log(log(x))**2)/x": (exponential(logarithm(logarithm(C)) ** 2) / C, 0),
    "x**(1/1000)/log(x)**3": (C ** Fraction(1, 1000) / logarithm(C) ** 3, sympy.oo),
    "exp(x + 1/x) - exp(x)": (exponential(C + 1 / C) - exponential(C), sympy.oo),
    "1/(1 + exp(-log(x))) ": (1 / (1 + exponential(-logarithm(C))), 1),
    "1/(1 + exp(-1))": (1 / (1 + exponential(Exact.of(-1))), 1 / (1 + sympy.exp(-1))),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_are_sympys(name):
    value, expected = LIMITS[name]
    assert sympy.limit(parse_expr(name, {"x": X}), X, sympy.oo) == expected
    found = limit(value)
    if expected in (sympy.oo, -sympy.oo):
        assert found == ("∞" if expected == sympy.oo else "−∞")
    else:
        assert isinstance(found, Exact)
        assert float(interval(found, 200).mid) == pytest.approx(float(expected), rel=1e-15)


# Sums of growths with whole coefficients: which grows fastest is clear from the list's order.
LADDER = [
    exponential(exponential(C)), exponential(C * C), C * exponential(C), exponential(C), C**3, C * logarithm(C), C,
    C ** Fraction(1, 2), logarithm(C) ** 2, logarithm(C), logarithm(logarithm(C)), ONE, 1 / C, exponential(-C),
]  # fmt: skip


@given(st.lists(st.integers(-3, 3), min_size=len(LADDER), max_size=len(LADDER)))
def test_the_fastest_growth_decides(shares):
    value = sum((rung.scaled(Fraction(share)) for rung, share in zip(LADDER, shares, strict=True)), ZERO)
    place = next((n for n, share in enumerate(shares) if share), None)
    assert eventual_sign(value) == (0 if place is None else (1 if shares[place] > 0 else -1))
    if place is None or place > LADDER.index(ONE):
        assert limit(value) == ZERO
    elif LADDER[place] == ONE:
        assert limit(value) == Exact.of(shares[place])
    else:
        assert limit(value) == ("∞" if shares[place] > 0 else "−∞")


small = st.fractions(-3, 3, max_denominator=5)


@st.composite
def constants(draw, depth=2):
    """An exact constant, and its value by mpmath with 60 digits."""
    with mpmath.workdps(60):
        if depth == 0:
            share = draw(small)
            return Exact.of(share), mpmath.mpf(share.numerator) / share.denominator
        (left, a), (right, b) = draw(constants(depth - 1)), draw(constants(depth - 1))
        match draw(st.sampled_from(["+", "*", "exp", "ln", "√", "/"])):
            case "+":
                return left + right, a + b
            case "*":
                return left * right, a * b
            case "exp":
                assume(abs(a) < 50)
                return left.exp(), mpmath.exp(a)
            case "ln":
                assume(a > 1e-20)
                return left.log(), mpmath.log(a)
            case "√":
                assume(a > 1e-20)
                return left.sqrt(), mpmath.sqrt(a)
            case _:
                assume(abs(b) > 1e-20)
                return left / right, a / b


@given(constants())
def test_a_constant_has_the_value_and_the_sign_of_mpmath(both):
    value, expected = both
    with mpmath.workdps(60):
        found = interval(value, 300)
        assert mpmath.mpf(found.a) - 1e-40 <= expected <= mpmath.mpf(found.b) + 1e-40
        if abs(expected) > 1e-40:
            assert constant_sign(value) == (1 if expected > 0 else -1)


@given(constants(), constants())
def test_equal_values_are_seen_to_be_equal(one, other):
    x, y = one[0] + C, other[0] + exponential(C)
    assert is_zero((x + y) ** 2 - x**2 - 2 * x * y - y**2)
    assert is_zero(1 / x - 1 / (x + y) - y / (x * (x + y)))
    assert is_zero(exponential(x + y) - exponential(x) * exponential(y))
    assert not is_zero(1 / x - 1 / (x + Fraction(1, 10**30)))


def test_what_has_no_value_is_refused():
    for wrong in (
        lambda: 1 / ZERO,
        lambda: 1 / (C - C),
        lambda: logarithm(-C),
        lambda: (1 - C).sqrt(),
        lambda: logarithm(ZERO),
    ):
        with pytest.raises(NoValueError):
            wrong()


@pytest.fixture(autouse=True)
def effort():
    Effort.begin()


def test_what_is_too_long_is_undecided_and_not_waited_for():
    long = (1 + C) ** 20
    for _ in range(6):
        long = long + exponential(long)
    with pytest.raises(UndecidedError):
        is_zero((long * long) ** 24)


def spent_seconds(work) -> float:
    """The processor time until a tenth of the budget is spent, or the work is done."""
    Effort.begin(EFFORT // 10)
    began = time.process_time()
    with contextlib.suppress(UndecidedError):
        work()
    return time.process_time() - began


SUM = sum((exponential(C * k * k) * C**k * Fraction(1, 10**k + 7) for k in range(1, 40)), ZERO)
LONG = {
    "a power known to be long": lambda: Exact.of(Fraction(5, 2)) ** 10**9,
    "a root that became whole": lambda: Exact.of(Fraction(5, 2)) ** (10**9 + Fraction(1, 2)),
    "products": lambda: [SUM * SUM for _ in range(10**6)],
    "sums": lambda: [SUM + C for _ in range(10**9)],
    "multiples": lambda: [SUM.scaled(Fraction(k + 2)) for k in range(10**9)],
    "long fractions": lambda: functools.reduce(operator.add, (Fraction(1, k) * C for k in range(2, 10**6))),
    "intervals": lambda: [interval(logarithm(Exact.of(3)) - k, 4096) for k in range(10**6)],
    "prime factors": lambda: [logarithm(Exact.of(10**22 + 9 + 2 * k)) for k in range(10**6)],
}


@pytest.mark.parametrize("name", LONG)
def test_all_exact_work_is_counted(name):
    """Each of these would take from minutes to years; the budget is spent in seconds."""
    assert spent_seconds(LONG[name]) < 2


def test_a_fraction_is_never_longer_than_the_limit():
    with pytest.raises(UndecidedError, match="more than a thousand digits"):
        functools.reduce(operator.mul, (C + Fraction(1, 10**50 + k) for k in range(25)))
