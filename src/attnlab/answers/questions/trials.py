"""Trials: the errors of an answer on one instance, for given constants or in their limit."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from attnlab.answers.parsing.shapes import NoValueError, Symbols, shape_of
from attnlab.answers.questions.instances import FINE, Instance, define, number, values_of
from attnlab.answers.questions.questions import Question
from attnlab.answers.questions.regimes import Growth
from attnlab.answers.values.evaluation import Value, evaluate

PERCENT = 1e-2
"""The largest error that counts as ≈ without a constant."""
QUICK = (10**4, 10**6)
"""The sizes of constants in a quick test."""
NORMAL = NormalDist()
DRAWS, FEW = 32, 8
"""The draws on the first instance, and on the others."""
SIMPLE = 997
"""Draws are multiples of 1/997: exact numbers at which nothing special happens."""
MOST_MADE = 200
"""Room for the noise of the largest instance."""


@dataclass(frozen=True)
class Trial:
    """The values of all symbols, and of both sides of each wanted equation."""

    table: Symbols
    values: dict[str, Value]
    sides: tuple[tuple[Value, Value], ...]
    differences: tuple[Value, ...]
    """Left minus right of each wanted equation, in the problem's unit."""

    @property
    def error(self) -> np.ndarray:
        """The error of each draw for each constant in floating point: the largest over all entries."""
        with np.errstate(all="ignore"):
            errors = [np.abs(each).max(axis=(-2, -1)) for each in self.differences]
        return np.maximum.reduce(np.broadcast_arrays(*errors))


def given_values(
    question: Question,
    instance: Instance,
    constants: Mapping[str, Value],
    draws: Mapping[str, Value],
    *,
    exact: bool = False,
) -> tuple[Symbols, dict[str, Value]]:
    """The values of all symbols that an answer may use, with their shapes."""
    problem = question.problem
    values = values_of(problem, instance, constants, draws, exact=exact)
    if not problem.known:
        return problem.whole_table(question.declared), values
    table = problem.defined(question.declared)
    return table, define(problem, table, values, only=problem.known)


def attempt(
    question: Question,
    instance: Instance,
    constants: Mapping[str, Value],
    draws: Mapping[str, Value],
    *,
    exact: bool = False,
) -> Trial:
    """Compute all values: in floating point, or exactly from exact constants and draws."""
    problem = question.problem
    table, values = given_values(question, instance, constants, draws, exact=exact)
    for unknown, formula in question.unknowns.items():
        values[unknown] = evaluate(formula, values, table)
    table = problem.defined(question.declared)
    values = define(problem, table, values)
    sides = []
    for wanted in question.wanted:
        if shape_of(wanted.left, table) != shape_of(wanted.right, table):
            raise NoValueError(f"{wanted.left} and {wanted.right} have different shapes")
        sides.append((evaluate(wanted.left, values, table), evaluate(wanted.right, values, table)))
    unit = evaluate(problem.unit, values, table)
    with np.errstate(all="ignore"):
        return Trial(table, values, tuple(sides), tuple((left - right) / unit for left, right in sides))


def seems_right(question: Question, instance: Instance, growth: Growth) -> float:
    """The share of the draws that an answer seems right for: a quick test in floating point."""
    constants = constants_at(question, number(1.0), names=()) | growth.at(QUICK, question.constants)
    error = attempt(question, instance, constants, standard_draws(question)).error
    return float((np.nan_to_num(error[-1], nan=0.0) <= PERCENT).mean())


def constants_at(
    question: Question, value: Value, *, small: float | None = None, names: tuple[str, ...] | None = None
) -> dict[str, Value]:
    """All large constants at one value, and the small ones at `small` (default: 0)."""
    large = {
        each: 1 / value if each in question.small else value
        for each in (question.constants if names is None else names)
    }
    return large | {each: number(small or 0.0) for each in question.problem.small()}


def standard_draws(question: Question, count: int = DRAWS, noise: float = 0.0) -> dict[str, Value]:
    """Draws of the random symbols: equally likely values of a number, and noise of the given variance."""
    random = np.random.default_rng(0)
    found: dict[str, Value] = {}
    for each, symbol in question.problem.draws().items():
        if symbol.kind == "normal":
            order = np.arange(count) if not found else random.permutation(count)
            drawn = np.array([NORMAL.inv_cdf((place + 0.5) / count) for place in order]) * float(symbol.variance) ** 0.5
            found[each] = (np.round(drawn * SIMPLE) / SIMPLE).reshape(1, count, 1, 1)
            continue
        if noise:
            rows, columns = (_size(question, size) for size in symbol.shape)
            found[each] = np.sqrt(noise) * random.standard_normal((1, count, rows, columns))
        else:
            found[each] = np.zeros((1, 1, MOST_MADE, MOST_MADE))
    return found


def draws_on(question: Question, instance: Instance, count: int = DRAWS) -> dict[str, Value]:
    """Draws of the random symbols; where families lie anyhow, one at random in each of equally likely ranges."""
    found = standard_draws(question, count)
    if instance.lie != "anyhow":
        return found
    random = np.random.default_rng(instance.seed)
    for each, symbol in question.problem.draws().items():
        if symbol.kind == "normal":
            order = np.arange(count) if each == next(iter(found)) else random.permutation(count)
            places = (order + random.uniform(0.01, 0.99, count)) / count
            spread = FINE * float(symbol.variance) ** 0.5
            drawn = np.empty(count, dtype=object)
            drawn[:] = [Fraction(round(NORMAL.inv_cdf(place) * spread), FINE) for place in places]
            found[each] = drawn.reshape(1, count, 1, 1)
    return found


def _size(question: Question, size: str) -> int:
    """The largest value of a size. Noise is drawn for it; smaller instances use a part."""
    return max(sizes.get(size, 1) for sizes in question.problem.sizes)
