"""Decides exactly whether an answer is right on an instance: for each draw, as the constants grow.

Constants become powers of a variable that grows without bound. The wanted equations are then computed with exact
values, and the limit of left minus right is 0 or not. No large number stands for infinity, and nothing is rounded.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from attnlab.answers.parsing.shapes import NoValueError
from attnlab.answers.questions.instances import Instance, exact_number
from attnlab.answers.questions.questions import Question
from attnlab.answers.questions.regimes import Growth
from attnlab.answers.questions.trials import SIMPLE, Trial, attempt, standard_draws
from attnlab.answers.values.effort import UndecidedError
from attnlab.answers.values.evaluation import Value, exactly
from attnlab.answers.values.exact import ZERO, Exact, is_zero
from attnlab.answers.values.growth import constant_sign, eventual_sign, interval, is_constant, limit

WITHIN = Fraction(1, 100)
NOISE_DRAWS = 6
"""Draws of noise in the keys that an answer in terms of a vanishing variance is tested on."""


def right_draws(
    question: Question, instance: Instance, growth: Growth, draws: Mapping[str, Value] | None = None
) -> np.ndarray:
    """For each draw, whether the answer is right; raises `UndecidedError` where that cannot be decided."""
    trial = exact_trial(question, instance, growth, draws)
    right: list[np.ndarray] = []
    for difference, wanted in zip(trial.differences, question.wanted, strict=True):
        decide = _is_zero if wanted.exact else _vanishes if question.growing else _within
        flat = difference.reshape(difference.shape[1], -1)
        right.append(np.array([all(decide(entry) for entry in row) for row in flat]))
    return np.logical_and.reduce(np.broadcast_arrays(*right))


def exact_trial(
    question: Question, instance: Instance, growth: Growth, draws: Mapping[str, Value] | None = None
) -> Trial:
    """The trial in exact values, with constants that grow."""
    constants = exact_constants(question, growth)
    given = standard_draws(question) if draws is None else draws
    return attempt(question, instance, constants, exact_draws(question, instance, given, constants), exact=True)


def exact_constants(question: Question, growth: Growth) -> dict[str, Value]:
    """The constants as exact functions; variances that vanish are 0 if the answer does not name them."""
    values = dict.fromkeys(question.problem.small(), ZERO) | dict(growth.values)
    return {name: exact_number(value) for name, value in values.items()}


def exact_draws(
    question: Question, instance: Instance, draws: Mapping[str, Value], constants: Mapping[str, Value]
) -> dict[str, Value]:
    """The draws as fractions; noise in the keys as its standard deviation times fractions."""
    found: dict[str, Value] = {}
    for name, symbol in question.problem.draws().items():
        if symbol.kind == "normal":
            found[name] = exactly(_fractions(draws[name]))
            continue
        rows, columns = (instance.sizes.get(size, 1) for size in symbol.shape)
        if symbol.variance not in question.vanishing:
            found[name] = exactly(np.zeros((1, 1, rows, columns)))
            continue
        drawn = np.random.default_rng(0).standard_normal((1, NOISE_DRAWS, rows, columns))
        found[name] = exactly(_fractions(drawn)) * np.sqrt(constants[str(symbol.variance)])
    return found


def _fractions(values: Value) -> Value:
    """Floating-point numbers as the nearest fractions with denominators up to 997; fractions as they are."""
    if values.dtype == object:
        return values
    made = np.empty(values.size, dtype=object)
    made[:] = [Fraction(each).limit_denominator(SIMPLE) for each in values.ravel().tolist()]
    return made.reshape(values.shape)


@lru_cache(maxsize=16384)
def _vanishes(entry: Exact) -> bool:
    """Whether the limit is 0."""
    found = limit(entry)
    return isinstance(found, Exact) and constant_sign(found) == 0


@lru_cache(maxsize=16384)
def _is_zero(entry: Exact) -> bool:
    """Whether an entry is 0, whatever the constants. A yes and a no are both proven."""
    if is_constant(entry) and not _may_be_zero(entry):
        return False  # seen at once from a number, where the algebra is long
    return is_zero(entry) or eventual_sign(entry) == 0


def _may_be_zero(entry: Exact) -> bool:
    try:
        found = interval(entry, 256)
    except UndecidedError:
        return True
    return bool(found.a <= 0 <= found.b)


@lru_cache(maxsize=16384)
def _within(entry: Exact) -> bool:
    """Whether a number is at most 1 % off."""
    return constant_sign(entry - WITHIN) <= 0 <= constant_sign(entry + WITHIN)


def in_numbers(trial: Trial) -> Trial:
    """An exact trial, whose constants are numbers, in floating point: each number correctly rounded."""
    return Trial(
        trial.table,
        {name: _floats(value) for name, value in trial.values.items()},
        tuple((_floats(left), _floats(right)) for left, right in trial.sides),
        tuple(map(_floats, trial.differences)),
    )


def limits(values: Value) -> np.ndarray:
    """The limits of exact values in floating point; raises `NoValueError` if one is infinite."""
    found = [limit(each) for each in values.ravel()]
    if any(isinstance(each, str) for each in found):
        raise NoValueError("it has no finite limit")
    return _floats(np.array([each for each in found if isinstance(each, Exact)])).reshape(values.shape)


def _floats(values: Any) -> np.ndarray:
    return np.array([_float(each) for each in values.ravel()]).reshape(values.shape)


@lru_cache(maxsize=16384)
def _float(value: Exact) -> float:
    share = value.rational
    try:
        return float(share) if share is not None else float(interval(value, 256).mid)
    except OverflowError:
        raise NoValueError("a number is too large to show") from None
