"""The roots of a value in a size: the numbers of keys, for example, at which a part of an answer vanishes.

A value is a sum of terms. Those that grow alike with the constants make a group, and a group of powers of n, of ln n or
of √n is a polynomial, whose roots are found. A group of any other form is tried at many sizes; then there may be roots
that were not found.
"""

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from attnlab.answers.values.effort import Effort, UndecidedError
from attnlab.answers.values.exact import ZERO, Exact, Factor, Powers, Term, logarithm
from attnlab.answers.values.growth import constant_sign, interval, is_constant

SCANNED = 5_000
"""A group of any other form is tried at each size up to this one."""
MOST_DEGREE = 200
"""Roots are found of polynomials in a size up to this degree."""
MOST_PAIRS = 200
"""Of a value with more pairs of terms than this, it is not asked at which size two terms grow alike."""
DERIVATIVES = 3
"""A polynomial has a double root where its derivative has a single one, which floating point finds precisely."""
NEAR = 1e-9
"""A sum is taken for 0 if it is this far below its largest term."""


def size_roots(value: Exact, size: str) -> Iterator[float | None]:
    """The roots of a value, and of all sums inside it; None where there may be roots that are not found."""
    if not _names(value, size):
        return
    for exponent, powers in value.terms:
        yield from size_roots(exponent, size)
        for factor, _ in powers:
            if isinstance(factor[-1], Exact):
                yield from size_roots(factor[-1], size)
    yield from _crossings(value, size)
    for group in _groups(value).values():
        if _names(group, size):
            yield from _group_roots(group, size)


def mixes_sizes(value: Exact, sizes: frozenset[str]) -> bool:
    """Whether two sizes stand in one sum whose terms have different signs: d − n − 3 vanishes on a whole line."""
    for exponent, powers in value.terms:
        inner = [factor[-1] for factor, _ in powers if isinstance(factor[-1], Exact)]
        if any(mixes_sizes(each, sizes) for each in [exponent, *inner] if each):
            return True
    return any(
        sum(_names(group, size) for size in sizes) > 1 and not _of_one_sign(group) for group in _groups(value).values()
    )


def _names(value: Exact, size: str) -> bool:
    return any(
        _names(exponent, size) or any(_factor_names(factor, size) for factor, _ in powers)
        for exponent, powers in value.terms
    )


def _factor_names(factor: Factor, size: str) -> bool:
    inner = factor[-1]
    return inner == size if factor[0] == "size" else isinstance(inner, Exact) and _names(inner, size)


def _crossings(value: Exact, size: str) -> Iterator[float | None]:
    """The sizes at which two terms grow alike: C^n and C^37 for n = 37."""
    terms = [*value.terms]
    pairs = [(left, right) for place, left in enumerate(terms) for right in terms[:place]]
    pairs = [each for each in pairs if any(_names(exponent, size) for exponent, _ in each)]
    if len(pairs) > MOST_PAIRS:
        yield None
        return
    for left, right in pairs:
        yield from size_roots(_term_logarithm(left) - _term_logarithm(right), size)


def _term_logarithm(term: Term) -> Exact:
    """The logarithm of a term, if its factors are positive."""
    exponent, powers = term
    plain = frozenset((factor, power) for factor, power in powers if factor[0] != "sum")
    return exponent + logarithm(Exact({(ZERO, plain): Fraction(1)}))


def _groups(value: Exact) -> dict[Term, Exact]:
    """The terms that grow alike with the constants, without what grows."""
    groups: dict[Term, Exact] = {}
    for (exponent, powers), share in value.terms.items():
        grown = Exact({term: each for term, each in exponent.terms.items() if _grows(term)})
        moving = frozenset(each for each in powers if _grows((ZERO, frozenset([each]))))
        part = Exact({(exponent - grown, powers - moving): share})
        groups[grown, moving] = groups.get((grown, moving), ZERO) + part
    return groups


def _grows(term: Term) -> bool:
    return not is_constant(Exact({term: Fraction(1)}))


def _group_roots(group: Exact, size: str) -> Iterator[float | None]:
    """The roots of a sum without constants that grow."""
    if len(group.terms) < 2 or _of_one_sign(group):
        return
    polynomial = _polynomial(group, size)
    if polynomial is None:
        yield from _scanned(group)
        yield None
        return
    factor, step, coefficients = polynomial
    for root in _polynomial_roots(coefficients, size):
        with np.errstate(all="ignore"):
            found = float(np.exp(root**step) if factor[0] == "ln" else np.float64(root) ** step)
        if math.isfinite(found):
            yield found


def _of_one_sign(group: Exact) -> bool:
    """Whether all terms are above 0, or all below, for sizes above 1."""
    plain = all(
        not exponent and all(factor[0] in ("size", "prime", "π") or _is_logarithm(factor) for factor, _ in powers)
        for exponent, powers in group.terms
    )
    return plain and len({share > 0 for share in group.terms.values()}) == 1


def _is_logarithm(factor: Factor) -> bool:
    """Whether a factor is the logarithm of a prime number or of a size."""
    inner = factor[-1]
    return factor[0] == "ln" and (isinstance(inner, int) or _is_size(inner))


def _is_size(value: object) -> bool:
    """Whether a value is a size and nothing else."""
    if not isinstance(value, Exact) or len(value.terms) != 1:
        return False
    (((exponent, powers), share),) = value.terms.items()
    return not exponent and share == 1 and [(factor[0], power) for factor, power in powers] == [("size", 1)]


def _polynomial(group: Exact, size: str) -> tuple[Factor, int, dict[int, Exact]] | None:
    """A group as a polynomial in n^(1/step), or in (ln n)^(1/step); None if it has another form."""
    factors: set[Factor] = set()
    parts: list[tuple[Fraction, Exact]] = []
    for (exponent, powers), share in group.terms.items():
        own = [each for each in powers if _factor_names(each[0], size)]
        if _names(exponent, size) or len(own) > 1:
            return None
        factors |= {factor for factor, _ in own}
        rest: Powers = powers - frozenset(own)
        parts.append((own[0][1] if own else Fraction(0), Exact({(exponent, rest): share})))
    if len(factors) != 1:
        return None
    (factor,) = factors
    if factor[0] != "size" and not (factor[0] == "ln" and _is_size(factor[-1])):
        return None
    step = math.lcm(*(power.denominator for power, _ in parts))
    coefficients: dict[int, Exact] = {}
    for power, part in parts:
        coefficients[int(power * step)] = coefficients.get(int(power * step), ZERO) + part
    return factor, step, coefficients


def _polynomial_roots(coefficients: dict[int, Exact], size: str) -> Iterator[float]:
    """The real roots of a polynomial, and of its first derivatives."""
    low, high = min(coefficients), max(coefficients)
    if high - low > MOST_DEGREE:
        raise UndecidedError(f"it has the size {size} to the power {high}")
    Effort.spend((high - low) ** 2 // 10)
    numbers = [coefficients.get(power, ZERO) for power in range(high, low - 1, -1)]
    highest = max((_middle(each) for each in numbers), key=abs)  # a number may be too long for floating point
    if not highest:
        return
    polynomial = np.array([float(_middle(each) / highest) for each in numbers])
    for _ in range(DERIVATIVES):
        roots = np.roots(polynomial)
        yield from (float(root.real) for root in roots if abs(root.imag) < 1e-6 * max(1.0, abs(root)))
        polynomial = np.polyder(polynomial)


def _middle(value: Exact) -> Fraction:
    """A constant, with the precision of floating point if it is no fraction."""
    share = value.rational
    if share is not None:
        return share
    try:
        return Fraction(float(interval(value, 256).mid)) if constant_sign(value) else Fraction(0)
    except OverflowError:
        raise UndecidedError("it has numbers too large for a search for the sizes at which it vanishes") from None


def _scanned(group: Exact) -> Iterator[float]:
    """The sizes at which a sum changes its sign, or comes near 0."""
    sizes = np.arange(1.0, SCANNED)
    Effort.spend(10 * len(group.terms))
    try:
        with np.errstate(all="ignore"):
            parts = [
                np.broadcast_to(_floats(Exact({term: share}), sizes), sizes.shape)
                for term, share in group.terms.items()
            ]
            found, most = np.sum(parts, axis=0), np.max(np.abs(parts), axis=0)
    except OverflowError:
        raise UndecidedError("it has numbers too large for a search for the sizes at which it vanishes") from None
    yield from sizes[np.flatnonzero((found[1:] > 0) != (found[:-1] > 0))].tolist()
    yield from sizes[np.abs(found) < NEAR * most].tolist()


def _floats(value: Exact, sizes: np.ndarray) -> np.ndarray:
    """The value at each size, in floating point."""
    total = np.zeros_like(sizes)
    for (exponent, powers), share in value.terms.items():
        term = float(share) * (np.exp(_floats(exponent, sizes)) if exponent else np.ones_like(sizes))
        for factor, power in powers:
            inner = factor[-1]
            base = sizes if factor[0] == "size" else _floats(inner, sizes) if isinstance(inner, Exact) else np.ones(1)
            base = np.full(1, float(inner)) if isinstance(inner, int) and factor[0] != "log" else base
            term = term * (np.log(base) if factor[0] == "ln" else base) ** float(power)
        total = total + term
    return total
