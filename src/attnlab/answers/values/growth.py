"""How exact values grow: their limits, signs and orders, as the variable r grows without bound.

A value is expanded into a series: growths (r², e^r, r ln r, …, from the fastest down), each with a constant in front,
and a bound on the rest. The first growth that does not cancel decides. Constants are compared with rigorous intervals.
Where neither decides, `UndecidedError` is raised.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from typing import Any, Literal

from attnlab.answers.values.effort import Effort, UndecidedError
from attnlab.answers.values.exact import NONE, ONE, ZERO, Exact, Factor, Term, exponential, is_zero, logarithm

Growth = Term
"""A term of factors that grow or vanish, without constants."""
LEVEL: Growth = (ZERO, NONE)
"""The growth of a constant."""
ORDERS = (3, 8, 20)
"""The numbers of terms of a series that are tried one after the other."""
PRECISIONS = (64, 256, 1024, 4096)
MOST_EXPONENT = 10**1000
MOST_PARTS = 80

Limit = Exact | Literal["∞", "−∞"]


@lru_cache(maxsize=16384)
def limit(value: Exact) -> Limit:
    """The limit of a value; `UndecidedError` if the lab cannot find it."""
    if is_zero(value):
        return ZERO
    for order in ORDERS:
        found = _series(value, order).shortened()
        fastest = found.fastest()
        if found.error is not None and compare(found.error, LEVEL) >= 0 and fastest is None:
            continue  # every part that is left is faster than the error, so one of them decides
        if fastest is None or compare(fastest, LEVEL) < 0:
            return ZERO
        if compare(fastest, LEVEL) > 0:
            return "∞" if constant_sign(found.parts[fastest]) > 0 else "−∞"
        return found.parts[fastest]
    raise UndecidedError("its terms cancel further than the lab can follow")


def eventual_sign(value: Exact) -> int:
    """−1, 0 or 1: the sign of a value once r is large."""
    if is_zero(value):
        return 0
    for order in ORDERS:
        found = _series(value, order).shortened()
        fastest = found.fastest()
        if fastest is not None and (found.error is None or compare(found.error, fastest) < 0):
            return constant_sign(found.parts[fastest])
    raise UndecidedError("its terms cancel further than the lab can follow")


def largest_term(value: Exact) -> Exact:
    """The term of a sum that grows fastest."""
    best: tuple[Growth, Exact] | None = None
    for term, share in value.terms.items():
        alone = Exact({term: share})
        own = _series(alone, 1).fastest() or LEVEL
        if best is None or compare(own, best[0]) > 0:
            best = own, alone
    assert best is not None
    return best[1]


@lru_cache(maxsize=65536)
def compare(left: Growth, right: Growth) -> int:
    """1 if `left` grows faster than `right`, −1 if slower, 0 if both are the same."""
    if left == right:
        return 0
    if not left[0] and not right[0]:  # r beats every power of ln r, which beats every power of ln ln r, …
        powers = dict(_times(left, right, -1)[1])
        decisive = powers[min(powers, key=lambda factor: factor[1])]
        return 1 if decisive > 0 else -1
    ratio = _growth_logarithm(left) - _growth_logarithm(right)
    parts = {growth: each for growth, each in _grouped(ratio).items() if constant_sign(each)}
    if not parts:
        return 0
    return constant_sign(parts[max(parts, key=cmp_to_key(compare))])


def _growth_logarithm(growth: Growth) -> Exact:
    return logarithm(Exact({growth: Fraction(1)}))


def _grouped(value: Exact) -> dict[Growth, Exact]:
    """The constants of a value by growth. Its exponents must hold nothing that vanishes."""
    groups: dict[Growth, Exact] = {}
    for (exponent, powers), share in value.terms.items():
        moving = frozenset((factor, power) for factor, power in powers if factor[0] == "log")
        fixed = Exact({(ZERO, powers - moving): share})
        grown = Exact({term: each for term, each in exponent.terms.items() if not _constant_term(term)})
        fixed *= exponential(exponent - grown)
        groups[grown, moving] = groups.get((grown, moving), ZERO) + fixed
    return groups


@lru_cache(maxsize=16384)
def _constant_term(term: Term) -> bool:
    exponent, powers = term
    return is_constant(exponent) and all(_constant_factor(factor) for factor, _ in powers)


def is_constant(value: Exact) -> bool:
    """Whether a value does not depend on r."""
    return all(map(_constant_term, value.terms))


def _constant_factor(factor: Factor) -> bool:
    return factor[0] != "log" and (not isinstance(factor[-1], Exact) or is_constant(factor[-1]))


@lru_cache(maxsize=16384)
def constant_sign(value: Exact) -> int:
    """The sign of a constant, by intervals of growing precision."""
    share = value.rational
    if share is not None:
        return (share > 0) - (share < 0)
    if len(value.terms) == 1:
        ((_, powers), share) = next(iter(value.terms.items()))
        if all(factor[0] in ("prime", "π") for factor, _ in powers):
            return 1 if share > 0 else -1
    if is_zero(value):
        return 0
    for bits in PRECISIONS:
        found = interval(value, bits)
        if found.a > 0 or found.b < 0:
            return 1 if found.a > 0 else -1
    raise UndecidedError("two of its numbers are too close to tell apart")


def interval(value: Exact, bits: int) -> Any:
    """An interval that surely holds a constant, computed with that many bits."""
    from mpmath import iv

    before, iv.prec = iv.prec, bits
    try:
        return _interval(value, iv)
    finally:
        iv.prec = before


def _interval(value: Exact, iv: Any) -> Any:
    total = iv.mpf(0)
    for (exponent, powers), share in value.terms.items():
        Effort.spend((1 + bool(exponent) + 2 * len(powers)) * (2 + iv.prec // 64))
        term = iv.mpf(share.numerator) / share.denominator
        if exponent:
            inner = _interval(exponent, iv)
            if max(abs(inner.a), abs(inner.b)) > MOST_EXPONENT:
                raise UndecidedError("it has e to a power of more than a thousand digits")
            term *= iv.exp(inner)
        for factor, power in powers:
            base = _factor_interval(factor, iv)
            ratio = iv.mpf(power.numerator) / power.denominator
            term *= base**power.numerator if power.denominator == 1 else iv.exp(ratio * iv.log(base))
        total += term
    return total


def _factor_interval(factor: Factor, iv: Any) -> Any:
    match factor:
        case ("size", _):  # any number: only the roots in a size are asked for
            return iv.mpf("7.3891")
        case ("π",):
            return iv.pi
        case ("prime", prime):
            return iv.mpf(prime)
        case ("ln", "π"):
            return iv.log(iv.pi)
        case ("ln", inner):
            return iv.log(_interval(Exact.of(inner), iv))
        case ("sum", inner):
            return _interval(inner, iv)
    raise AssertionError(factor)


@dataclass(frozen=True)
class Series:
    """Constants by growth, and the growth that bounds the rest; no rest if `error` is None."""

    parts: dict[Growth, Exact]
    error: Growth | None = None

    def fastest(self) -> Growth | None:
        """The fastest growth."""
        return max(self.parts, key=cmp_to_key(compare), default=None)

    def shortened(self) -> Series:
        """Without constants that are 0, parts below the error, and more parts than can be carried along."""
        parts = {growth: each for growth, each in self.parts.items() if constant_sign(each)}
        if self.error is not None:
            parts = {growth: each for growth, each in parts.items() if compare(growth, self.error) > 0}
        if len(parts) <= MOST_PARTS:
            return Series(parts, self.error)
        ranked = sorted(parts, key=cmp_to_key(compare), reverse=True)
        return Series({growth: parts[growth] for growth in ranked[:MOST_PARTS]}, ranked[MOST_PARTS])

    def __add__(self, other: Series) -> Series:
        parts = dict(self.parts)
        for growth, each in other.parts.items():
            parts[growth] = parts.get(growth, ZERO) + each
        return Series(parts, _faster(self.error, other.error))

    def __mul__(self, other: Series) -> Series:
        Effort.spend(len(self.parts) * len(other.parts))
        parts: dict[Growth, Exact] = {}
        for left, one in self.parts.items():
            for right, two in other.parts.items():
                both = _times(left, right)
                parts[both] = parts.get(both, ZERO) + one * two
        errors = [
            _times(a, b)
            for a, b in (
                (self.error, other.fastest() or other.error),
                (other.error, self.fastest() or self.error),
                (self.error, other.error),
            )
            if a is not None and b is not None
        ]
        return Series(parts, _faster(*errors)).shortened()


def _faster(*growths: Growth | None) -> Growth | None:
    return max((each for each in growths if each is not None), key=cmp_to_key(compare), default=None)


def _times(left: Growth, right: Growth, power: Fraction | int = 1) -> Growth:
    """The product of a growth and a power of another."""
    powers = dict(left[1])
    for factor, each in right[1]:
        powers[factor] = powers.get(factor, Fraction(0)) + each * power
    return left[0] + right[0].scaled(Fraction(power)), frozenset((f, p) for f, p in powers.items() if p)


def _constant(value: Exact) -> Series:
    return Series({LEVEL: value} if value else {})


@lru_cache(maxsize=16384)
def _series(value: Exact, order: int) -> Series:
    """The series of a value, with powers of small terms up to `order`."""
    total = Series({})
    for (exponent, powers), share in value.terms.items():
        term = _constant(Exact.of(share))
        for factor, power in powers:
            term *= _factor_series(factor, power, order)
        total += term * _exponential_series(exponent, order) if exponent else term
    return total.shortened()


def _factor_series(factor: Factor, power: Fraction, order: int) -> Series:
    if factor[0] == "log":
        return Series({(ZERO, frozenset([(factor, power)])): ONE})
    if _constant_factor(factor):
        return _constant(Exact.factor(*factor, power=power))
    if factor[0] == "sum":
        return _power_series(_series(factor[1], order), power, order)
    found = _logarithm_series(_series(factor[1], order), order)
    if power.denominator == 1 and power > 0:
        return _product(found for _ in range(int(power)))
    return _power_series(found, power, order)


def _product(series: Iterable[Series]) -> Series:
    total = _constant(ONE)
    for each in series:
        total *= each
    return total


def _led(series: Series) -> tuple[Growth, Exact, Series]:
    """The fastest growth, its constant, and the rest divided by both."""
    series = series.shortened()
    fastest = series.fastest()
    if fastest is None:
        raise UndecidedError("its terms cancel further than the lab can follow")
    front = series.parts[fastest]
    rest = {_times(growth, fastest, -1): each / front for growth, each in series.parts.items() if growth != fastest}
    return fastest, front, Series(rest, _times(series.error, fastest, -1) if series.error is not None else None)


def _taylor(small: Series, weights: list[Fraction]) -> Series:
    """Σ_j weights[j] x^j for a series x that vanishes, and a bound on what comes after."""
    total, power = _constant(Exact.of(weights[0])), _constant(ONE)
    for weight in weights[1:]:
        power = power * small
        total += Series({growth: each.scaled(weight) for growth, each in power.parts.items() if weight}, power.error)
    size = small.fastest() or small.error
    if size is None or not any(weights[1:]):
        return total
    after = _times(LEVEL, size, len(weights))
    return Series(total.parts, _faster(total.error, after)).shortened()


def _power_series(series: Series, power: Fraction, order: int) -> Series:
    growth, front, rest = _led(series)
    weights = [Fraction(1)]
    for j in range(1, order + 1):
        weights.append(weights[-1] * (power - j + 1) / j)
    return Series({_times(LEVEL, growth, power): front**power}) * _taylor(rest, weights)


def _logarithm_series(series: Series, order: int) -> Series:
    growth, front, rest = _led(series)
    weights = [Fraction(0), *(Fraction((-1) ** (j + 1), j) for j in range(1, order + 1))]
    return _constant(logarithm(front)) + Series(_grouped(_growth_logarithm(growth))) + _taylor(rest, weights)


def _exponential_series(exponent: Exact, order: int) -> Series:
    series = _series(exponent, order)
    if series.error is not None and compare(series.error, LEVEL) >= 0:
        raise UndecidedError("its terms cancel further than the lab can follow")
    grown, small, front = ZERO, {}, ZERO
    for growth, each in series.parts.items():
        how = compare(growth, LEVEL)
        if how > 0:
            grown += each * Exact({growth: Fraction(1)})
        elif how < 0:
            small[growth] = each
        else:
            front += each
    weights = [Fraction(1)]
    for j in range(1, order + 1):
        weights.append(weights[-1] / j)
    raised = Series(_grouped(exponential(grown))) * _constant(exponential(front))
    return raised * _taylor(Series(small, series.error), weights) if small or series.error else raised
