"""Trials: the errors of an answer on one instance, for given constants or in their limit."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from attnlab.answers.evaluation import Value, evaluate
from attnlab.answers.instances import Instance, define, number, values_of
from attnlab.answers.questions import Question
from attnlab.answers.shapes import NoValueError, Table, shape_of

EXACT, LIMIT, PERCENT = 1e-12, 1e-6, 1e-2
"""Largest errors that count as equal: for =; for ≈ as constants grow; and for ≈ without a constant."""
RUNGS = np.array([10.0, 30.0, 100.0, 300.0, 1e4, 1e6, 1e9, 1e15, 1e30, 1e60])
QUICK = np.array([1e4, 1e6])
"""The sizes of constants on the way to the limit. Sizes at which a value overflows do not count."""
FIRM = 1e9
"""Up to this constant, rounding keeps terms of size 1. Larger constants are tried only if the error still changes, as
for C^0.1."""
SETTLED = 1e-7
NEAR = 1 + 0.0137 * np.arange(1, 9)
APART = (1.0, 1.2537, 0.8143, 1.1171, 0.9371, 1.3719, 0.7433)
"""Factors that keep constants of different names apart: C k_a + t k_b is not C(k_a + k_b)."""
DRAWS = 65


@dataclass(frozen=True)
class Trial:
    """The values of all symbols, and the error of each draw for each constant: the largest over all entries, in the
    problem's unit."""

    table: Table
    values: dict[str, Value]
    sides: tuple[tuple[Value, Value], ...]
    error: np.ndarray


def attempt(
    question: Question,
    instance: Instance,
    constants: Mapping[str, Value],
    draws: Mapping[str, Value],
) -> Trial:
    """Compute all values and errors."""
    problem = question.problem
    table = problem.whole_table(question.declared)
    values = values_of(problem, instance, constants, draws)
    for unknown, formula in question.unknowns.items():
        values[unknown] = evaluate(formula, values, table)
    table = problem.defined(question.declared)
    values = define(problem, table, values)
    errors, sides = [], []
    unit = evaluate(problem.unit, values, table)
    for wanted in question.wanted:
        if shape_of(wanted.left, table) != shape_of(wanted.right, table):
            raise NoValueError(f"{wanted.left} and {wanted.right} have different shapes")
        left, right = evaluate(wanted.left, values, table), evaluate(wanted.right, values, table)
        with np.errstate(all="ignore"):
            errors.append(np.abs((left - right) / unit).max(axis=(-2, -1)))
        sides.append((left, right))
    return Trial(table, values, tuple(sides), np.maximum.reduce(np.broadcast_arrays(*errors)))


@dataclass(frozen=True)
class Growth:
    """How constants grow: the i-th as factors[i] · r^powers[i]. `words`: "C ≫ t", or "" if they grow alike."""

    factors: tuple[float, ...]
    powers: tuple[float, ...]
    words: str = ""

    def at(self, constants: tuple[str, ...], rungs: np.ndarray) -> dict[str, Value]:
        """The constants at each rung."""
        rows = rungs.reshape(-1, 1, 1, 1)
        return {name: f * rows**p for name, f, p in zip(constants, self.factors, self.powers, strict=True)}


def growths(question: Question) -> list[Growth]:
    """The ways in which the constants may grow: alike, the first faster, or the last faster."""
    names = question.constants
    alike = Growth(tuple(APART[n % len(APART)] for n in range(len(names))), (1.0,) * len(names))
    if len(names) < 2:
        return [Growth((1.0,) * len(names), (1.0,) * len(names))]
    slower = tuple(0.5**n for n in range(len(names)))
    return [
        alike,
        Growth(alike.factors, slower, " ≫ ".join(names)),
        Growth(alike.factors, slower[::-1], " ≫ ".join(names[::-1])),
    ]


def limit(
    question: Question,
    instance: Instance,
    growth: Growth,
    draws: Mapping[str, Value] | None = None,
    rungs: np.ndarray = RUNGS,
) -> np.ndarray:
    """For each draw, whether the error goes to 0 as the constants grow; for =, whether it is always 0."""
    draws = standard_draws(question) if draws is None else draws
    rungs = rungs if question.constants else np.ones(1)
    error = errors_at(question, instance, growth, rungs, draws)
    finite = np.asarray(np.isfinite(error).all(axis=1))
    if not finite[0]:
        raise NoValueError("the answer has no finite value")
    count = len(finite) if finite.all() else int(np.argmin(finite))
    error, rungs = error[:count], rungs[:count]
    if question.exact:
        return error.max(axis=0) <= EXACT
    if not question.constants:
        return error[-1] <= PERCENT
    firm = int(np.sum(rungs <= FIRM))
    moving = firm > 1 and bool((np.abs(error[firm - 1] - error[firm - 2]) > SETTLED).any())
    last = len(rungs) - 1 if moving else firm - 1
    right = error[last] <= (LIMIT if rungs[last] >= 1e6 else 2 / rungs[last])
    once_right = (error[:last] <= LIMIT).any(axis=0)
    if not right.all() and once_right.any():
        right |= once_right & _is_rounding(errors_at(question, instance, growth, rungs[last] * NEAR, draws))
    return right


def _is_rounding(errors: np.ndarray) -> np.ndarray:
    """Whether errors at neighbouring constants differ so much that they must be rounding errors."""
    return (np.ptp(errors, axis=0) > 0.1) | (errors.min(axis=0) <= LIMIT)


def errors_at(
    question: Question, instance: Instance, growth: Growth, rungs: np.ndarray, draws: Mapping[str, Value]
) -> np.ndarray:
    """The error at each rung, for each draw."""
    constants = growth.at(question.constants, rungs) | constants_at(question, number(1.0), names=())
    error = attempt(question, instance, constants, draws).error
    return np.broadcast_to(error, (len(rungs), error.shape[1]))


def constants_at(
    question: Question, value: Value, *, small: float | None = None, names: tuple[str, ...] | None = None
) -> dict[str, Value]:
    """All large constants at one value, and the small ones at `small` (default: 0)."""
    large = {each: value for each in (question.constants if names is None else names)}
    return large | {each: number(small or 0.0) for each in question.problem.small()}


def standard_draws(question: Question, count: int = DRAWS, noise: float = 0.0) -> dict[str, Value]:
    """Draws of the random symbols: equally likely values of a number, and noise of the given variance."""
    random = np.random.default_rng(0)
    found: dict[str, Value] = {}
    for each, symbol in question.problem.draws().items():
        if symbol.kind == "normal":
            order = np.arange(count) if not found else random.permutation(count)
            found[each] = np.sqrt(float(symbol.variance)) * ndtri((order + 0.5) / count).reshape(1, count, 1, 1)
            continue
        rows, columns = (_size(question, size) for size in symbol.shape)
        found[each] = np.sqrt(noise) * random.standard_normal((1, count if noise else 1, rows, columns))
    return found


def _size(question: Question, size: str) -> int:
    """The largest value of a size. Noise is drawn for it; smaller instances use a part."""
    return max(sizes.get(size, 1) for sizes in question.problem.sizes)
