"""Trials: a question worked out on one instance, for given constants or in their limit."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from attnlab.answers.evaluation import Value, evaluate
from attnlab.answers.instances import Instance, define, number, values_of
from attnlab.answers.questions import Question
from attnlab.answers.shapes import NoValueError, Table, shape_of

EXACT, LIMIT, PERCENT = 1e-9, 1e-3, 1e-2
"""What counts as equal: where = is wanted; where ≈ is, once constants are as large as can be; and without any."""
TOPS = (1e6, 1e4, 300.0, 30.0)
"""What stands for a constant in its limit: the first that overflows nothing."""
APART = (1.0, 1.5, 0.75, 1.25, 0.9, 1.1, 1.35)
"""Large constants of different names are not equal, so that C k_a + t k_b is not taken for C(k_a + k_b)."""
DRAWS = 65


@dataclass(frozen=True)
class Trial:
    """Every value there is, and the error of each draw for each constant: the largest of all entries, in units of the
    problem."""

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
    """Work the question out."""
    problem = question.problem
    table = problem.whole_table(question.declared)
    values = values_of(problem, instance, constants, draws)
    for unknown, formula in question.unknowns.items():
        values[unknown] = evaluate(formula, values, table)
    table = problem.defined(table)
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
    return Trial(table, values, tuple(sides), _stacked(errors))


def limit(question: Question, instance: Instance, draws: Mapping[str, Value] | None = None) -> tuple[Trial, float]:
    """The trial with constants as large as can be computed, and how large that was."""
    draws = standard_draws(question) if draws is None else draws
    for top in TOPS if question.constants else (1.0,):
        found = attempt(question, instance, constants_at(question, number(top), apart=True), draws)
        if np.isfinite(found.error).all():
            return found, top
    raise NoValueError("it has no finite value")


def within(question: Question) -> float:
    """How close a limit must come."""
    if all(wanted.exact for wanted in question.wanted):
        return EXACT
    return LIMIT if question.constants else PERCENT


def constants_at(question: Question, value: Value, *, apart: bool = False, small: bool = False) -> dict[str, Value]:
    """The large constants at a value, and the small ones at 0, or where a number is needed at theirs."""
    scales = APART if apart and len(question.constants) > 1 else (1.0,) * len(APART)
    large = {each: value * scales[place % len(scales)] for place, each in enumerate(question.constants)}
    vanishing = {each: number(shown if small else 0.0) for each, shown in question.problem.small().items()}
    return large | vanishing


def standard_draws(question: Question, count: int = DRAWS, noise: bool = False) -> dict[str, Value]:
    """Draws of what is random: equally likely values of a number; noise only where it is not in its limit, 0."""
    random = np.random.default_rng(0)
    found: dict[str, Value] = {}
    for each, symbol in question.problem.draws().items():
        if symbol.kind == "normal":
            order = np.arange(count) if not found else random.permutation(count)
            found[each] = np.sqrt(float(symbol.variance)) * ndtri((order + 0.5) / count).reshape(1, count, 1, 1)
            continue
        rows, columns = (_size(question, size) for size in symbol.shape)
        sd = np.sqrt(question.problem.small()[str(symbol.variance)]) if noise else 0.0
        found[each] = sd * random.standard_normal((1, count if noise else 1, rows, columns))
    return found


def _size(question: Question, size: str) -> int:
    """The largest of a size, which noise is drawn for; smaller instances take a part."""
    return max(sizes.get(size, 1) for sizes in question.problem.sizes)


def _stacked(errors: list[np.ndarray]) -> np.ndarray:
    """The largest error of several wishes, draw by draw."""
    return np.maximum.reduce(np.broadcast_arrays(*errors))
