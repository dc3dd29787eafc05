"""The sizes at which an answer must be tested beside the usual ones.

An answer may name a size: C(n − 5)²(k_a + k_b) is right for every n but 5. Each number in its value is a polynomial in
n, with other factors; the answer is tested at the whole numbers around every root.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from attnlab.answers.effort import Effort, UndecidedError
from attnlab.answers.evaluation import evaluate
from attnlab.answers.exact import Exact, Powers
from attnlab.answers.instances import Instance, exact_number, instances, values_of
from attnlab.answers.limits import exact_constants, exact_draws
from attnlab.answers.questions import Question
from attnlab.answers.shapes import NoValueError
from attnlab.answers.trials import given_values, growths, standard_draws

USUAL = range(1, 13)
"""An answer that names a size, or multiplies sums, is tested at each of these sizes."""
MOST_MADE = 24
"""Up to this size, vectors are made; beyond it only the number in the formula changes."""
SCANNED = 5_000
"""Logarithms and roots of a size are tried at each size up to this one."""
MOST_DEGREE = 200
"""Roots are found of polynomials in a size up to this degree."""


def tested_instances(question: Question) -> list[Instance]:
    """All instances that an answer is tested on, the simplest first."""
    usual = instances(question.problem)
    named = {name for formula in question.answered.values() for name in formula.names()}
    sums = sum(
        node.op in ("each", "product") or node.leaf == "norm"
        for formula in question.answered.values()
        for _, node in formula.walk()
    )
    found: list[Instance] = []
    for size in question.problem.sizes[0]:
        least = min(each[size] for each in question.problem.sizes)
        usual_sizes = {each[size] for each in question.problem.sizes}
        if size in named:
            wanted = {*USUAL, *_roots(question, size)}
        elif sums > 1 and size in question.problem.members:
            wanted = {*USUAL}
        else:
            continue
        found += [_sized(question, size, each) for each in sorted(wanted - usual_sizes) if each >= least]
    return [*usual, *(each for each in found if not (question.prediction and each.written))]


def _sized(question: Question, size: str, value: int) -> Instance:
    """An instance with that size; if no vectors can be made for it, one where only the number in formulas changes."""
    bases = sorted(question.problem.sizes, key=lambda each: sum(each.values()))
    if value <= MOST_MADE:
        for base in bases:
            for more in (0, value):
                sizes = {name: each + more * (name not in question.problem.members) for name, each in base.items()}
                made = Instance({**sizes, size: value}, 0)
                try:
                    values_of(question.problem, made, *_plain(question, made), exact=True)
                    return made
                except NoValueError:
                    continue
    return replace(Instance(bases[-1], 0), written={size: value})


def _plain(question: Question, instance: Instance):
    """Growing constants, and draws."""
    return exact_constants(question, growths(question)[0]), exact_draws(question, instance, standard_draws(question, 1))


def _roots(question: Question, size: str) -> set[int]:
    """The whole numbers around each root, in that size, of each number in the answer's value."""
    instance = instances(question.problem)[0]
    _, values = given_values(question, instance, *_plain(question, instance), exact=True)
    values[size] = exact_number(Exact.factor("size", size))
    table = question.problem.table(question.declared, random=question.prediction)
    found: set[int] = set()
    for formula in question.answered.values():
        try:
            entries = set(evaluate(formula, values, table).ravel().tolist())
        except NoValueError:
            continue
        for root in (root for entry in entries for root in _entry_roots(entry, size)):
            found |= {math.floor(root), math.ceil(root), math.floor(root) + 1}
    return found


def _entry_roots(entry: Exact, size: str) -> Iterator[float]:
    """The roots of a value in a size, and of all sums inside it."""
    groups: dict[tuple[Exact, Powers], Exact] = {}
    for (exponent, powers), share in entry.terms.items():
        yield from _entry_roots(exponent, size)
        own = frozenset((factor, power) for factor, power in powers if _names_size(factor, size))
        for factor, _ in powers:
            if isinstance(factor[-1], Exact):
                yield from _entry_roots(factor[-1], size)
        rest = (exponent, powers - own)
        groups[rest] = groups.get(rest, Exact({})) + Exact({(Exact({}), own): share})
    for each in groups.values():
        yield from _sum_roots(each, size)


def _names_size(factor: tuple, size: str) -> bool:
    inner = factor[-1]
    if factor[0] == "size":
        return inner == size
    return isinstance(inner, Exact) and any(_names_size(f, size) for _, powers in inner.terms for f, _ in powers)


def _sum_roots(value: Exact, size: str) -> Iterator[float]:
    """The roots of a sum of powers of a size: of a polynomial, or by trying every size."""
    polynomial: dict[int, Fraction] = {}
    for (_, powers), share in value.terms.items():
        power = next(iter(powers))[1] if powers else Fraction(0)
        whole = len(powers) <= 1 and power.denominator == 1 and all(factor == ("size", size) for factor, _ in powers)
        if not whole:
            yield from _scanned(value, size)
            return
        polynomial[int(power)] = share
    if len(polynomial) > 1:
        low = min(polynomial)
        degree = max(polynomial) - low
        if degree > MOST_DEGREE:
            raise UndecidedError(f"it has the size {size} to the power {max(polynomial)}")
        Effort.spend(degree * degree // 10)
        largest = max(abs(share) for share in polynomial.values())  # a number may be too long for floating point
        roots = np.roots([float(polynomial.get(low + degree - place, 0) / largest) for place in range(degree + 1)])
        yield from (float(root.real) for root in roots if abs(root.imag) < 1e-6 * max(1.0, abs(root)))


def _scanned(value: Exact, size: str) -> Iterator[float]:
    """The sizes at which a value changes its sign."""
    sizes = np.arange(1.0, SCANNED)
    Effort.spend(10 * len(value.terms))
    try:
        with np.errstate(all="ignore"):
            found = np.broadcast_to(_floats(value, sizes), sizes.shape)
    except OverflowError:
        raise UndecidedError(f"it has numbers too large for a search for its roots in {size}") from None
    change = np.flatnonzero((found[1:] > 0) != (found[:-1] > 0))
    yield from sizes[change].tolist()


def _floats(value: Exact, sizes: np.ndarray) -> np.ndarray:
    """The value at each size, in floating point; other variables are 1."""
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
