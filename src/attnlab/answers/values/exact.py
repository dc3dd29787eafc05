"""Exact numbers, and exact functions of variables that grow without bound: C², e^C + ln t, 1/(2e^C + 8).

A value is a sum of terms. A term is a fraction, times e to the power of another such sum, times powers of factors:

("log", r, k) the variable r for k = 0, ln r for k = 1, ln ln r for k = 2, …
("ln", x)     the logarithm of a prime number, of π, or of a sum that has no simpler logarithm
("sum", x)    a sum, to a power that is not a whole number above 0: 1/(2e^C + 8)
("prime", p)  a prime number, to a power between 0 and 1: √2
("π",)        π
("size", n)   a size, such as the number of keys

Sums and products are multiplied out, so that most equal values look alike; `is_zero` decides about the others. Nothing
is ever rounded. `growth.py` finds limits and signs.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any

from attnlab.answers.parsing.shapes import NoValueError
from attnlab.answers.values.effort import LONG_NUMBER, Effort, UndecidedError
from attnlab.answers.values.primes import prime_factors

Factor = tuple[Any, ...]
Powers = frozenset[tuple[Factor, Fraction]]
Term = tuple["Exact", Powers]
"""The exponent of e, and the factors with their powers."""
MOST_TERMS, MOST_POWER, MOST_BITS = 2_000, 24, 4_000


class Exact:
    """An exact value: terms, and the fraction that each is multiplied by. It never changes."""

    __slots__ = ("__dict__", "terms")

    def __init__(self, terms: dict[Term, Fraction]):
        self.terms = terms
        if len(terms) > MOST_TERMS:
            raise UndecidedError("it has too many terms")

    @staticmethod
    def of(value: Exact | Fraction | int) -> Exact:
        """A whole number or a fraction as an exact value."""
        if isinstance(value, Exact):
            return value
        return Exact({(ZERO, NONE): Fraction(value)} if value else {})

    @staticmethod
    def factor(*factor: Any, power: Fraction | int = 1) -> Exact:
        """A factor to a power."""
        return Exact({(ZERO, frozenset([(factor, Fraction(power))])): Fraction(1)})

    @cached_property
    def _hash(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Whether two values look alike. Values that look different may be equal: `is_zero` decides."""
        return isinstance(other, Exact) and (self is other or (self._hash == other._hash and self.terms == other.terms))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __repr__(self) -> str:
        return " + ".join(f"{share}{_words(*term)}" for term, share in self.terms.items()) or "0"

    def substituted(self, values: Mapping[str, Exact]) -> Exact:
        """The value with functions of other variables, or numbers, in place of some variables."""
        total = ZERO
        for (exponent, powers), share in self.terms.items():
            term = exponential(exponent.substituted(values)).scaled(share)
            for factor, power in powers:
                term *= _factor_substituted(factor, values) ** power
            total += term
        return total

    def variables(self) -> frozenset[str]:
        """The variables in the value."""
        found: set[str] = set()
        for exponent, powers in self.terms:
            found |= exponent.variables()
            for factor, _ in powers:
                found |= {factor[1]} if factor[0] == "log" else set()
                found |= factor[-1].variables() if isinstance(factor[-1], Exact) else set()
        return frozenset(found)

    @property
    def rational(self) -> Fraction | None:
        """The value as a fraction, if it is one."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get((ZERO, NONE)) if len(self.terms) == 1 else None

    def scaled(self, share: Fraction) -> Exact:
        """The value times a fraction."""
        if share == 1:
            return self
        if not share or not self.terms:
            return ZERO
        Effort.spend(1 + len(self.terms) // 4)
        return Exact({term: _small(share * each) for term, each in self.terms.items()})

    def __add__(self, other: Exact | Fraction | int) -> Exact:
        other = Exact.of(other)
        if not self.terms or not other.terms:
            return self if self.terms else other
        Effort.spend(1 + len(other.terms) // 4 + len(self.terms) // 64)
        return Exact(_added(dict(self.terms), other.terms, Fraction(1)))

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return self.scaled(Fraction(-1))

    def __sub__(self, other: Exact | Fraction | int) -> Exact:
        return self + -Exact.of(other)

    def __rsub__(self, other: Exact | Fraction | int) -> Exact:
        return Exact.of(other) - self

    def __mul__(self, other: Exact | Fraction | int) -> Exact:
        other = Exact.of(other)
        for left, right in ((self, other), (other, self)):
            if (share := left.rational) is not None:
                return right.scaled(share)
        if len(self.terms) * len(other.terms) > MOST_TERMS:
            raise UndecidedError("it has too many terms")
        Effort.spend(len(self.terms) * len(other.terms))
        total: dict[Term, Fraction] = {}
        for term, share in self.terms.items():
            for another, part in other.terms.items():
                _added(total, _product(term, another).terms, share * part)
        return Exact(total)

    __rmul__ = __mul__

    def __truediv__(self, other: Exact | Fraction | int) -> Exact:
        return self * Exact.of(other) ** -1

    def __rtruediv__(self, other: Exact | Fraction | int) -> Exact:
        return Exact.of(other) / self

    def __pow__(self, power: Exact | Fraction | int) -> Exact:
        power = Exact.of(power)
        share = power.rational
        if share is None:
            return exponential(power * logarithm(self))
        return _raised(self, share)

    # NumPy calls these three for arrays of exact values.
    def exp(self) -> Exact:
        """e to the power of the value."""
        return exponential(self)

    def log(self) -> Exact:
        """The natural logarithm."""
        return logarithm(self)

    def sqrt(self) -> Exact:
        """The square root."""
        return self ** Fraction(1, 2)


NONE: Powers = frozenset()
ZERO = Exact({})
ONE = Exact.of(1)
PI = Exact.factor("π")


def growing(variable: str) -> Exact:
    """A variable that grows without bound, whatever the others do."""
    return Exact.factor("log", variable, 0)


GROWING = growing("r")
"""The variable r."""


def _factor_substituted(factor: Factor, values: Mapping[str, Exact]) -> Exact:
    match factor:
        case ("log", variable, depth) if variable in values:
            found = values[variable]
            for _ in range(depth):
                found = logarithm(found)
            return found
        case ("ln", Exact() as inner):
            return logarithm(inner.substituted(values))
        case ("sum", inner):
            return inner.substituted(values)
    return Exact.factor(*factor)


def _words(exponent: Exact, powers: Powers) -> str:
    factors = "".join(f"·{factor}^{power}" for factor, power in powers)
    return f"·exp({exponent})" * bool(exponent) + factors


def _product(left: Term, right: Term) -> Exact:
    """The product of two terms. Powers of primes and of sums that became whole are multiplied out."""
    powers = dict(left[1])
    for factor, power in right[1]:
        powers[factor] = powers.get(factor, Fraction(0)) + power
    outside = ONE
    for factor, power in list(powers.items()):
        whole = floor(power) if factor[0] == "prime" or (factor[0] == "sum" and power >= 1) else 0
        if whole:
            outside *= _whole_power(Exact.of(factor[1]), whole)
            powers[factor] -= whole
    kept = frozenset((factor, power) for factor, power in powers.items() if power)
    inside = Exact({(left[0] + right[0], kept): Fraction(1)})
    return inside if outside is ONE else outside * inside


def _whole_power(base: Exact, power: int) -> Exact:
    if (share := base.rational) is not None:
        return Exact.of(_fraction_power(share, power))
    if power > MOST_POWER:
        raise UndecidedError(f"it has a sum to the power {power}")
    total = ONE
    for _ in range(power):
        total *= base
    return total


def _added(total: dict[Term, Fraction], terms: dict[Term, Fraction], share: Fraction) -> dict[Term, Fraction]:
    """Add terms, times a fraction, to a total in its place, and return it. Terms that cancel go."""
    for term, each in terms.items():
        part = each if share == 1 else share * each
        found = _small(total.pop(term, 0) + part)
        if found:
            total[term] = found
    return total


def _small(share: Fraction) -> Fraction:
    """The fraction. Counts its length as work, and raises if it has too many digits to go on with."""
    bits = max(share.numerator.bit_length(), share.denominator.bit_length())
    if bits > LONG_NUMBER:
        if bits > MOST_BITS:
            raise UndecidedError("it has numbers with more than a thousand digits")
        Effort.spend(bits // LONG_NUMBER)
    return share


def _fraction_power(share: Fraction, power: int) -> Fraction:
    """A fraction to a whole power. Its length is known before it is computed."""
    bits = max(share.numerator.bit_length(), share.denominator.bit_length()) - 1
    if abs(power) * bits > MOST_BITS:
        raise UndecidedError("it has numbers with more than a thousand digits")
    return _small(share**power)


def _raised(base: Exact, power: Fraction) -> Exact:
    """A value to a rational power."""
    if power == 0 or power == 1:
        return base if power else ONE
    if is_zero(base):
        if power < 0:
            raise NoValueError("the answer divides by 0")
        return ZERO
    if len(base.terms) == 1:
        ((exponent, powers), share) = next(iter(base.terms.items()))
        if power.denominator != 1 and not _all_positive(share, powers):
            _check_positive(base)
            return Exact.factor("sum", base, power=power)
        inside = frozenset((factor, each * power) for factor, each in powers)
        rest = _product((exponent.scaled(power), inside), (ZERO, NONE))
        return _rational_power(share, power) * rest
    if power.denominator == 1 and 0 < power <= MOST_POWER:
        return _whole_power(base, int(power))
    front, inside = _normalised(base, positive=power.denominator != 1)
    return _raised(front, power) * Exact.factor("sum", inside, power=power)


def _rational_power(share: Fraction, power: Fraction) -> Exact:
    if power.denominator == 1:
        return Exact.of(_fraction_power(share, int(power)))
    total = ONE
    for prime, count in prime_factors(share).items():
        total *= _product((ZERO, frozenset([(("prime", prime), count * power)])), (ZERO, NONE))
    return total


def exponential(value: Exact) -> Exact:
    """e to the power of a value. e^(2 ln x) becomes x²."""
    outside, exponent = ONE, ZERO
    for (inner, powers), share in value.terms.items():
        match [*powers] if not inner else []:
            case [(("log", variable, depth), 1)] if depth:
                outside *= Exact.factor("log", variable, depth - 1, power=share)
            case [(("ln", "π"), 1)]:
                outside *= _raised(PI, share)
            case [(("ln", inside), 1)]:
                outside *= _raised(Exact.of(inside), share)
            case _:
                exponent += Exact({(inner, powers): share})
    return outside * Exact({(exponent, NONE): Fraction(1)}) if exponent else outside


def logarithm(value: Exact) -> Exact:
    """The natural logarithm of a value above 0."""
    if is_zero(value):
        raise NoValueError("the answer has the logarithm of 0")
    if len(value.terms) > 1:
        front, inside = _normalised(value, positive=True)
        return logarithm(front) + Exact.factor("ln", inside)
    ((exponent, powers), share) = next(iter(value.terms.items()))
    if not _all_positive(share, powers):
        _check_positive(value)
        return Exact.factor("ln", value)
    total = exponent
    for prime, count in prime_factors(share).items():
        total += Exact.factor("ln", prime).scaled(Fraction(count))
    for factor, power in powers:
        total += _factor_logarithm(factor).scaled(power)
    return total


def _factor_logarithm(factor: Factor) -> Exact:
    match factor:
        case ("log", variable, depth):
            return Exact.factor("log", variable, depth + 1)
        case ("π",):
            return Exact.factor("ln", "π")
        case ("size", _):
            return Exact.factor("ln", Exact.factor(*factor))
        case ("ln", _):  # the logarithm of a logarithm
            return Exact.factor("ln", Exact.factor(*factor))
    return Exact.factor("ln", factor[1])  # a prime or a sum


def _normalised(value: Exact, *, positive: bool) -> tuple[Exact, Exact]:
    """A sum as its largest term times another sum, so that 1/(2x + 2) and ½/(x + 1) look alike. C + t has none."""
    from attnlab.answers.values.growth import largest_term

    if positive:
        _check_positive(value)
    front = largest_term(value)
    if front is None:
        return ONE, value
    if positive and not all(_all_positive(share, powers) for (_, powers), share in front.terms.items()):
        return ONE, value
    return front, value * _raised(front, Fraction(-1))


def _all_positive(share: Fraction, powers: Powers) -> bool:
    """Whether a fraction and all factors of a term are above 0."""
    from attnlab.answers.values.growth import eventual_sign

    doubtful = (Exact.factor(*factor) for factor, _ in powers if isinstance(factor[-1], Exact))
    return share > 0 and all(eventual_sign(each) > 0 for each in doubtful)


def _check_positive(value: Exact) -> None:
    """Raise if a value is not above 0 once its variables are large."""
    from attnlab.answers.values.growth import eventual_sign

    if eventual_sign(value) <= 0:
        raise NoValueError("the answer has a root or a logarithm of a number below 0")


def _same_exponents(value: Exact) -> Exact:
    """The value with equal exponents of e that look different made to look alike."""
    found: list[Exact] = []
    total = ZERO
    for (exponent, powers), share in value.terms.items():
        same = exponent
        if any(isinstance(factor[-1], Exact) for _, inner in exponent.terms for factor, _ in inner):
            same = next((each for each in found if each == exponent or is_zero(each - exponent)), exponent)
            if same is exponent:
                found.append(exponent)
        total += Exact({(same, powers): share})
    return total


def is_zero(value: Exact) -> bool:
    """Whether a value is shown to be 0, by bringing it over one denominator and multiplying out."""
    while value:
        lowest: dict[Factor, int] = {}
        for _, powers in value.terms:
            for factor, power in powers:
                if factor[0] == "sum":
                    lowest[factor] = min(lowest.get(factor, 0), floor(power))
        below = next((factor for factor, power in lowest.items() if power < 0), None)
        if below is None:
            alike = _same_exponents(value)
            if len(alike.terms) == len(value.terms):
                return _cancel(value)
            value = alike
            continue
        multiplier: Term = (ZERO, frozenset([(below, Fraction(-lowest[below]))]))
        Effort.spend(len(value.terms))
        total: dict[Term, Fraction] = {}
        for term, share in value.terms.items():
            _added(total, _product(term, multiplier).terms, share)
        value = Exact(total)
    return True


def _cancel(value: Exact) -> bool:
    """Whether two positive terms with quotients in an exponent have equal logarithms: 10^(x/(ln 2 + ln 5)) and e^x."""
    if len(value.terms) != 2 or not any(
        factor[0] == "sum" for exponent, _ in value.terms for _, inner in exponent.terms for factor, _ in inner
    ):
        return False
    (first, one), (second, other) = value.terms.items()
    if one * other > 0 or not (_all_positive(abs(one), first[1]) and _all_positive(abs(other), second[1])):
        return False
    return is_zero(logarithm(Exact({first: abs(one)})) - logarithm(Exact({second: abs(other)})))
