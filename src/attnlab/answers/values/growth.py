"""How exact values grow: their limits, signs and orders, as their variables grow without bound, on every path.

A value is expanded into a series: growths (C², e^C, t ln t, …), each with a constant in front, and a bound on the rest.
The fastest growth that does not cancel decides. One growth is faster than another if their ratio goes to infinity on
every path of the variables: C t is faster than C, but neither of C and t is faster than the other. So a series may have
several leading growths. They decide if all have the same sign: C + t − 7 goes to infinity, and C − t is undecided.
Constants are compared with rigorous intervals. Where nothing decides, `UndecidedError` is raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from attnlab.answers.values.effort import Effort, SpentError, UndecidedError
from attnlab.answers.values.exact import NONE, ONE, ZERO, Exact, Factor, Term, exponential, is_zero, logarithm

Growth = Term
"""A term of factors that grow or vanish, without constants."""
LEVEL: Growth = (ZERO, NONE)
"""The growth of a constant."""
ORDERS = (1, 3, 8, 20)
"""The numbers of terms of a series that are tried one after the other."""
PRECISIONS = (64, 256, 1024, 4096)
MOST_EXPONENT = 10**1000
MOST_PARTS = 80

Limit = Exact | Literal["∞", "−∞"]


@lru_cache(maxsize=16384)
def limit(value: Exact) -> Limit:
    """The limit of a value on every path; `UndecidedError` if the lab cannot find it, or if it depends on the path."""
    if is_zero(value):
        return ZERO
    found = Series({})
    for found in _expansions(value):
        if any(compare(each, LEVEL) != -1 for each in found.doubtful()):
            continue
        leading = found.leading()
        orders = {compare(each, LEVEL) for each in leading}
        if orders <= {-1}:
            return ZERO
        if orders == {0}:
            return sum((found.parts[each] for each in leading), ZERO)
        signs = found.signs()
        if 1 in orders and len(signs) == 1:
            return "∞" if signs == {1} else "−∞"
    raise _unknown(found)


def eventual_sign(value: Exact) -> int:
    """−1, 0 or 1: the sign of a value once its variables are large, on every path."""
    if is_zero(value):
        return 0
    found = Series({})
    for found in _expansions(value):
        signs = found.signs()
        if len(signs) == 1 and not found.doubtful():
            return signs.pop()
    raise _unknown(found)


class PathError(UndecidedError):
    """It depends on the path: on some, the ratio grows without bound, and on others it does not."""

    def __init__(self, ratio: Growth):
        super().__init__("it depends on which of its constants grows faster")
        self.ratio = ratio


def _unknown(series: Series) -> UndecidedError:
    """Why nothing decides about a series: two of its leading growths, or one and 1, whose ratio depends on the path."""
    leading = series.leading()
    above, below = ([each for each in leading if constant_sign(series.parts[each]) == sign] for sign in (1, -1))
    if above and below:
        return PathError(_decisive(_times(above[0], below[0], -1)))
    open_ended = [each for each in leading if compare(each, LEVEL) is None]
    if open_ended:
        return PathError(_decisive(open_ended[0]))
    return UndecidedError("its terms cancel further than the lab can follow")


def _decisive(ratio: Growth) -> Growth:
    """The ratio, or for one with powers of e the ratio of their exponents: C/t for e^C/e^t."""
    if not ratio[0]:
        return ratio
    parts = {growth: each for growth, each in _grouped(_growth_logarithm(ratio)).items() if constant_sign(each)}
    leading = Series(parts).leading()
    above, below = ([each for each in leading if constant_sign(parts[each]) == sign] for sign in (1, -1))
    return _decisive(_times(above[0], below[0], -1)) if above and below else ratio


def largest_term(value: Exact) -> Exact | None:
    """The term of a sum that grows faster than all others; None if there is none."""
    terms = [Exact({term: share}) for term, share in value.terms.items()]
    growths = {_leading_growth(each): each for each in reversed(terms)}
    leading = _leading(growths)
    return growths[leading[0]] if len(leading) == 1 else None


def _leading_growth(term: Exact) -> Growth:
    return next(iter(next(_expansions(term)).leading()), LEVEL)


def _expansions(value: Exact) -> Iterator[Series]:
    """The series of a value with more and more terms: e^(C² ln(1 + 1/C)) needs more of them than e^C."""
    for order in ORDERS:
        try:
            found = _series(value, order).shortened()
        except SpentError:
            raise
        except UndecidedError:
            if order == ORDERS[-1]:
                raise
            continue
        yield found


def _leading(growths: Iterable[Growth]) -> list[Growth]:
    """The growths that no other is faster than."""
    found: list[Growth] = []
    for growth in dict.fromkeys(growths):
        orders = [compare(each, growth) for each in found]
        if 1 not in orders:
            found = [*(each for each, order in zip(found, orders, strict=True) if order != -1), growth]
    return found


@lru_cache(maxsize=65536)
def compare(left: Growth, right: Growth) -> int | None:
    """1 if `left` grows faster than `right` on every path, −1 if slower, 0 if both are the same; None if that depends
    on the path."""
    if left == right:
        return 0
    if not left[0] and not right[0]:  # r beats every power of ln r, which beats every power of ln ln r, …
        decisive: dict[str, tuple[int, Fraction]] = {}
        for (_, variable, depth), power in _times(left, right, -1)[1]:
            decisive[variable] = min(decisive.get(variable, (depth, power)), (depth, power))
        signs = {1 if power > 0 else -1 for _, power in decisive.values()}
    else:
        ratio = _growth_logarithm(left) - _growth_logarithm(right)
        parts = {growth: each for growth, each in _grouped(ratio).items() if constant_sign(each)}
        signs = Series(parts).signs()
    return signs.pop() if len(signs) == 1 else None if signs else 0


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
    """Constants by growth, and the growths that together bound the rest; without errors, there is no rest."""

    parts: dict[Growth, Exact]
    errors: tuple[Growth, ...] = ()

    def leading(self) -> list[Growth]:
        """The growths that no other is faster than."""
        return _leading(self.parts)

    def signs(self) -> set[int]:
        """The signs of the leading growths."""
        return {constant_sign(self.parts[growth]) for growth in self.leading()}

    def doubtful(self) -> list[Growth]:
        """The errors that no part is faster than."""
        return [error for error in self.errors if all(compare(part, error) != 1 for part in self.leading())]

    def bounds(self) -> list[Growth]:
        """The growths that together bound the whole series."""
        return _leading([*self.parts, *self.errors])

    def shortened(self) -> Series:
        """Without constants that are 0, parts below the errors, and more parts than can be carried along."""
        parts = {
            growth: each
            for growth, each in self.parts.items()
            if constant_sign(each) and all(compare(growth, error) not in (-1, 0) for error in self.errors)
        }
        if len(parts) <= MOST_PARTS:
            return Series(parts, self.errors)
        ranked = sorted(parts, key=lambda growth: sum(compare(each, growth) == 1 for each in parts))
        errors = tuple(_leading([*ranked[MOST_PARTS:], *self.errors]))
        return Series({growth: parts[growth] for growth in ranked[:MOST_PARTS]}, errors)

    def __add__(self, other: Series) -> Series:
        parts = dict(self.parts)
        for growth, each in other.parts.items():
            parts[growth] = parts.get(growth, ZERO) + each
        return Series(parts, tuple(_leading([*self.errors, *other.errors])))

    def __mul__(self, other: Series) -> Series:
        Effort.spend(len(self.parts) * len(other.parts))
        parts: dict[Growth, Exact] = {}
        for left, one in self.parts.items():
            for right, two in other.parts.items():
                both = _times(left, right)
                parts[both] = parts.get(both, ZERO) + one * two
        errors = [_times(a, b) for a in self.errors for b in other.bounds()]
        errors += [_times(a, b) for a in self.bounds() for b in other.errors]
        return Series(parts, tuple(_leading(errors))).shortened()


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
    """The fastest growth, its constant, and the rest divided by both, which vanishes."""
    series = series.shortened()
    leading = series.leading()
    if len(leading) > 1:
        raise PathError(_decisive(_times(leading[0], leading[1], -1)))
    if not leading or series.doubtful():
        raise UndecidedError("its terms cancel further than the lab can follow")
    (fastest,), front = leading, series.parts[leading[0]]
    rest = {_times(growth, fastest, -1): each / front for growth, each in series.parts.items() if growth != fastest}
    return fastest, front, Series(rest, tuple(_times(error, fastest, -1) for error in series.errors))


def _taylor(small: Series, weights: list[Fraction]) -> Series:
    """Σ_j weights[j] x^j for a series x that vanishes, and a bound on what comes after."""
    total, power = _constant(Exact.of(weights[0])), _constant(ONE)
    for weight in weights[1:]:
        power = power * small
        total += Series({growth: each.scaled(weight) for growth, each in power.parts.items() if weight}, power.errors)
    if not any(weights[1:]):
        return total
    after = [_times(LEVEL, size, len(weights)) for size in small.bounds()]  # (Σ x)^k is at most a multiple of Σ x^k
    return Series(total.parts, tuple(_leading([*total.errors, *after]))).shortened()


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
    if any(compare(error, LEVEL) != -1 for error in series.errors):
        raise UndecidedError("its terms cancel further than the lab can follow")
    grown, small, front = ZERO, {}, ZERO
    for growth, each in series.parts.items():
        how = compare(growth, LEVEL)
        if how is None:
            raise PathError(_decisive(growth))
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
    return raised * _taylor(Series(small, series.errors), weights) if small or series.errors else raised
