"""Counterexamples: the smallest instance on which an answer fails, in plain numbers."""

import contextlib
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from attnlab.answers.parsing.nodes import Node
from attnlab.answers.parsing.shapes import NoValueError, shape_of
from attnlab.answers.questions.instances import Instance, number
from attnlab.answers.questions.questions import Question
from attnlab.answers.questions.regimes import Growth
from attnlab.answers.questions.trials import PERCENT, Trial, attempt, constants_at, given_values, standard_draws
from attnlab.answers.ruling.limits import exact_constants, exact_draws, exact_trial, in_numbers, limits, right_draws
from attnlab.answers.values.effort import SpentError, UndecidedError
from attnlab.answers.values.evaluation import Value, evaluate
from attnlab.answers.values.exact import Exact, is_zero
from attnlab.answers.values.plain import as_json, combination, plain, plain_matrix

SHOWN_RUNGS = (1_000, 10_000, 1_000_000, 100, 30, 10**9, 10**15, 10**30, 10)
"""Sizes of a constant in a counterexample: the first of these at which the answer fails is shown."""
IDENTITIES = ("I",)
"""Symbols whose numbers are not shown."""
NOT_SHOWN = "it fails, but the lab cannot show where in numbers: they are too large, or have no value"
TELLING_DRAWS = (0.5, -0.5, -1.5, 1.5, 0.1, -0.1, 0.0)


@dataclass(frozen=True)
class Counterexample:
    """The numbers of all symbols in an answer, the result, and the wanted result."""

    numbers: dict[str, Any]
    words: str
    difference: str = ""


def counterexample(question: Question, instance: Instance, growth: Growth) -> Counterexample:
    """The numbers of an answer that fails on this instance with this growth of the constants."""
    if instance.written:  # no vectors were made for a size this large, so there are no numbers to show
        at = ", ".join(f"{name} = {size:,}" for name, size in instance.written.items())
        return Counterexample(dict(instance.written), at, f"it fails for {at}")
    draws = _telling(question, instance, growth)
    trial = _failing(question, instance, growth, draws)
    shown = {size: value for size, value in instance.sizes.items() if len(size) == 1}
    values = {name: trial.values[name] for name in (*question.constants, *draws) if _is_number(trial.values[name])}
    values |= {name: value for node in question.answered.values() for name, value in _named(node, trial)}
    values |= {name: trial.values[name] for name in question.unknowns if name in question.answered}
    place, (left, right) = _worst(question, trial)
    wanted = question.wanted[place]
    values |= dict(_named(wanted.left, trial)) | dict(_named(wanted.right, trial))
    numbers: dict[str, Any] = shown | {name: as_json(_only(value)) for name, value in values.items()}
    numbers |= {"got": as_json(_only(left)), "wanted": as_json(_only(right))}
    words = [f"{name} = {plain(value)}" for name, value in shown.items()]
    words += [f"{name} = {plain_matrix(_only(value))}" for name, value in values.items()]
    difference = _in_the_limit(question, instance, growth, draws, place) or _difference(
        question, instance, trial, place
    )
    return Counterexample(numbers, ", ".join(words), difference)


def ill_shaped(question: Question, instance: Instance) -> Counterexample:
    """The numbers of the symbols in an answer that has no value, and of the answer if only its shape is wrong."""
    constants = constants_at(question, number(float(SHOWN_RUNGS[0])))
    _, values = given_values(question, instance, constants, standard_draws(question, 1))
    table = question.problem.table(question.declared, random=question.prediction)
    trial = Trial(table, values, (), ())
    shown = {size: value for size, value in instance.sizes.items() if len(size) == 1}
    found = {name: value for node in question.answered.values() for name, value in _named(node, trial)}
    for left, formula in question.answered.items():
        with contextlib.suppress(NoValueError, ValueError):
            shape_of(formula, table)
            found[left] = evaluate(formula, values, table)
    words = [f"{name} = {plain(value)}" for name, value in shown.items()]
    words += [f"{name} = {plain_matrix(_only(value))}" for name, value in found.items()]
    return Counterexample(shown | {name: as_json(_only(value)) for name, value in found.items()}, ", ".join(words))


def _failing(question: Question, instance: Instance, growth: Growth, draws: dict[str, Value]) -> Trial:
    """The trial, in exact numbers, with the constants at the first size at which the answer fails."""
    largest: tuple[float, Trial] | None = None
    for rung in SHOWN_RUNGS if question.constants else SHOWN_RUNGS[:1]:
        try:
            trial = in_numbers(
                attempt(question, instance, *_numbers(question, instance, growth, rung, draws), exact=True)
            )
        except SpentError:
            break
        except (UndecidedError, NoValueError):  # a constant too large or too small for the formula
            continue
        error = float(trial.error[0, 0])
        if error > PERCENT:
            return trial
        if largest is None or error > largest[0]:
            largest = error, trial
    if largest is None:
        raise NoValueError(NOT_SHOWN)
    return largest[1]


def _numbers(
    question: Question, instance: Instance, growth: Growth, rung: int, draws: dict[str, Value]
) -> tuple[dict[str, Value], dict[str, Value]]:
    """The constants and the draws in exact numbers; vanishing variances at their number to show."""
    small = {name: Fraction(value).limit_denominator(10**12) for name, value in question.problem.small().items()}
    values = growth.on({"r": Exact.of(rung)}).values
    shown = {name: Exact.of(small[name]) for name in small if name in question.vanishing}
    constants = exact_constants(question, replace(growth, values={**values, **shown}))
    found = exact_draws(question, instance, draws, constants)
    return constants, {name: each[:, :1] for name, each in found.items()}


def _in_the_limit(
    question: Question, instance: Instance, growth: Growth, draws: dict[str, Value], place: int
) -> str | None:
    """The result and the wanted result as the constants grow, in words; None if there are no constants, if a limit is
    not finite or not found, or if both limits are alike."""
    if not question.constants:
        return None
    try:
        trial = exact_trial(question, instance, growth, draws)
        got, aim = (_limit_in_words(question, trial, side[0, 0]) for side in trial.sides[place])
    except (UndecidedError, NoValueError):
        return None
    small = [f"{each} vanishes" for each in question.small]
    large = [each for each in question.constants if each not in question.small]
    grow = [f"{' and '.join(large)} grow{'s' * (len(large) == 1)}"] * bool(large)
    drawn = {name: float(each.item()) for name, each in draws.items() if each.size == 1}
    ending = f", as {' and '.join([*grow, *small])}{_place(instance, drawn)}"
    return _said(question, place, got, aim) + ending if got != aim else None


def _limit_in_words(question: Question, trial: Trial, value: np.ndarray) -> str:
    """The limit of a matrix, or of its parts along the vectors that results are shown in; raises if it has none."""
    names = _family_names(question, trial, value)
    if names:
        family = trial.values[question.problem.shown_in][0, 0]
        parts = (family.T @ value) / (family * family).sum(axis=0).reshape(-1, 1)
        if all(is_zero(each) for each in (value - family @ parts).ravel()):
            return combination(limits(parts), np.eye(len(names)), names) or ""
    return plain_matrix(limits(value))


def _difference(question: Question, instance: Instance, trial: Trial, place: int) -> str:
    """The result, the wanted result, and the numbers that they belong to, in words."""
    left, right = trial.sides[place]
    got, aim = _value_in_words(question, trial, _only(left)), _value_in_words(question, trial, _only(right))
    gap = float(np.abs(trial.differences[place]).max())
    apart = f": they are {gap:.1g} apart".replace("-", "−") if got == aim else ""
    shown = [*question.problem.draws(), *question.constants]
    numbers = {name: trial.values[name].item() for name in shown if trial.values[name].size == 1}
    return _said(question, place, got, aim) + apart + _place(instance, numbers)


def _said(question: Question, place: int, got: str, aim: str) -> str:
    left = question.wanted[place].left
    return f"{left} is {got}, not {aim}" if question.prediction else f"{left} is {got}, where {aim} is wanted"


def _place(instance: Instance, numbers: dict[str, float]) -> str:
    """The instance and further numbers in brackets."""
    sizes = {name: size for name, size in instance.sizes.items() if name in _telling_sizes(instance)}
    at = ", ".join(f"{name} = {plain(value)}" for name, value in {**sizes, **numbers}.items())
    return f" ({at})" if at else ""


def _telling_sizes(instance: Instance) -> list[str]:
    """The sizes to show: the number of keys alone, if the problem has keys."""
    return ["n"] if "n" in instance.sizes else [name for name in instance.sizes if len(name) == 1]


def _value_in_words(question: Question, trial: Trial, value: np.ndarray) -> str:
    names = _family_names(question, trial, value)
    found = combination(value, _only(trial.values[question.problem.shown_in]), names) if names else None
    return found or plain_matrix(value)


def _family_names(question: Question, trial: Trial, value: np.ndarray) -> list[str]:
    """The names of the vectors that a result is shown in; none if it is no such vector."""
    family = question.problem.shown_in
    if not family or value.shape[1] != 1 or value.shape[0] != trial.values[family].shape[-2]:
        return []
    members = trial.table.members.get(trial.table.shapes[family][1], ())
    count = trial.values[family].shape[-1]
    return [f"{family}_{members[n] if n < len(members) else n + 1}" for n in range(count)]


def _telling(question: Question, instance: Instance, growth: Growth) -> dict[str, Value]:
    """Draws in plain numbers on which the answer fails; if there are none, the first draw that it fails on."""
    draws = standard_draws(question)
    if not draws:
        return {}
    for value in TELLING_DRAWS:
        candidate = {name: np.full_like(each[:, :1], value) * (each[:, :1].size == 1) for name, each in draws.items()}
        if not right_draws(question, instance, growth, candidate).all():
            return candidate
    wrong = int(np.argmin(right_draws(question, instance, growth)))
    return {name: each[:, wrong : wrong + 1] if each.shape[1] > 1 else each for name, each in draws.items()}


def _worst(question: Question, trial: Trial) -> tuple[int, tuple[Value, Value]]:
    """The wanted equation with the largest error, and its two sides."""
    apart = [float(np.abs(each).max()) for each in trial.differences]
    place = int(np.argmax(apart))
    return place, trial.sides[place]


def _named(node: Node, trial: Trial) -> list[tuple[str, Value]]:
    """The vectors and matrices in a formula, each once, without constants and sizes."""
    found: dict[str, Value] = {}
    for name in sorted(node.names()):
        try:
            symbol, column = trial.table.find(name, {})
        except Exception:  # the index of a sum: its members are not shown one by one
            continue
        value = trial.values[symbol]
        if column is not None:
            place = trial.table.place(symbol, column, {})
            value = value[..., place : place + 1]
        if not _is_number(value) and symbol not in IDENTITIES:
            found[name] = value
    return list(found.items())


def _is_number(value: Value) -> bool:
    return value.shape[-2:] == (1, 1)


def _only(value: Value) -> np.ndarray:
    """The matrix of a value that holds a single matrix."""
    return value.reshape(value.shape[-2:])
