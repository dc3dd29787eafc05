"""Decides whether an answer holds, under which condition, and on which instance it first fails."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from attnlab.answers.parsing.nodes import name, times
from attnlab.answers.parsing.shapes import NoValueError
from attnlab.answers.questions.instances import Instance, exact_number, instances
from attnlab.answers.questions.problem import Problem, Wanted
from attnlab.answers.questions.questions import IN_THE_LIMIT, Question, check_shapes
from attnlab.answers.questions.regimes import Growth, every_path, orders, paths, told_by
from attnlab.answers.questions.trials import (
    DRAWS,
    FEW,
    NORMAL,
    PERCENT,
    attempt,
    constants_at,
    draws_on,
    standard_draws,
)
from attnlab.answers.ruling.counted import counted
from attnlab.answers.ruling.everywhere import check_everywhere
from attnlab.answers.ruling.limits import exact_draws, exact_trial, in_numbers, limits, right_draws
from attnlab.answers.ruling.sizes import tested_instances
from attnlab.answers.values.effort import EFFORT, Effort, SpentError, UndecidedError
from attnlab.answers.values.evaluation import Value
from attnlab.answers.values.exact import Exact, is_zero
from attnlab.answers.values.growth import PathError
from attnlab.answers.values.plain import plain
from attnlab.numbers import percent, whole_percent

Word = Literal["holds", "holds if", "fails", "undecided"]
MOSTLY = 0.5
"""An answer that is right for more than this share of the draws has the verdict `holds if`."""
NOISE_DRAWS = 65
"""The draws of noise from which the error is estimated."""
MOST_SHOWN = 1e12
"""Constants up to this size are tried when the lab looks for one that is large enough."""


@dataclass(frozen=True)
class Ruling:
    """The verdict, its condition, and the instance and the growth of constants on which the answer fails."""

    word: Word
    condition: str = ""
    instance: Instance | None = None
    growth: Growth | None = None
    wanted: tuple[Wanted, ...] = ()
    """The wanted equations that the answer makes true, if they are not the first ones of the problem."""


def rule(question: Question, effort: int = EFFORT) -> Ruling:
    """Decide on every instance, exactly; raises `NoValueError` if the answer has no value, and `UndecidedError` if the
    lab cannot decide with that many products of terms."""
    check_shapes(question)
    Effort.begin(effort)
    question = counted(question)
    ruled = _ruled(question)
    for wanted in question.problem.otherwise if ruled.word == "fails" and not question.prediction else ():
        other = _ruled(replace(question, wanted=wanted))
        if other.word != "fails":
            return replace(other, wanted=wanted)
    return ruled


def _ruled(question: Question) -> Ruling:
    """The ruling for one set of wanted equations."""
    if question.prediction and _is_equality(question):
        check_everywhere(question, every_path(question))
        return Ruling("holds")
    growth = every_path(question)
    try:
        ruled = _rule_on(question, growth)
    except SpentError:
        raise
    except UndecidedError as unknown:
        ruled = _ruled_by_path(question, growth, unknown)
    if ruled.word == "fails" and not _is_large_enough_in_numbers(question, growth):
        return replace(ruled, growth=ruled.growth or next(paths(growth)))
    if ruled.word == "fails":
        ruled = Ruling("holds if", _within_1_percent(question))
    check_everywhere(question, ruled.growth or growth)
    return ruled if ruled.growth else _narrowed(question, ruled)


def _ruled_by_path(question: Question, growth: Growth, unknown: UndecidedError) -> Ruling:
    """The ruling where no proof covers every path of the constants: `holds if` one is far above another, `fails` on
    one path; raises `unknown` if neither is shown."""
    told = told_by(question, unknown.ratio) if isinstance(unknown, PathError) else ()
    for order in (*orders(question), *told):
        with suppress(NoValueError, UndecidedError):
            if _rule_on(question, order).word == "holds":
                return Ruling("holds if", order.words, growth=order)
    for path in paths(growth):
        with suppress(UndecidedError):
            ruled = _rule_on(question, path)
            if ruled.word == "fails":
                return replace(ruled, growth=path)
    raise unknown


def _rule_on(question: Question, growth: Growth) -> Ruling:
    """The ruling for one way in which the constants may grow."""
    fewest: tuple[float, Instance, dict[str, Value], np.ndarray] | None = None
    for place, instance in enumerate(tested_instances(question)):
        draws = draws_on(question, instance, FEW if place else DRAWS)
        right = right_draws(question, instance, growth, draws)
        share = float(right.mean())
        if share <= MOSTLY:
            return Ruling("fails", instance=instance)
        if share < (fewest[0] if fewest else 1.0):
            fewest = share, instance, draws, right
    if fewest:
        return Ruling("holds if", _draws_in_words(question, growth, *fewest[1:]))
    return Ruling("holds")


def _narrowed(question: Question, ruling: Ruling) -> Ruling:
    """The ruling `holds`, with the condition that it may still need."""
    if ruling.word == "holds if" or question.vanishing:
        return ruling
    grown = " and ".join(question.constants)
    if question.small:
        return ruling
    if question.prediction and grown:
        are = "is" if len(question.constants) == 1 else "are"
        return Ruling("holds if", f"{grown} {are} large: {IN_THE_LIMIT}")
    if question.problem.small():
        return _with_noise(question)
    if not grown and not question.exact:
        return Ruling("holds if", _within_1_percent(question))
    return ruling


def _within_1_percent(question: Question) -> str:
    """The condition of an answer with a fixed number in place of a large constant."""
    sizes = ", ".join(f"{name} ≤ {size}" for name, size in largest(question.problem).sizes.items() if name == "n")
    return f"{sizes or 'the sizes are as small as here'}: the error is within 1 %, but no constant makes it smaller"


def _is_large_enough_in_numbers(question: Question, growth: Growth) -> bool:
    """Whether only lengths of vectors grow in an answer, its error stays within 1 %, and a large constant in front of
    one of its formulas would make it right: then it has a fixed number in place of that constant."""
    norms = {symbol.norm for symbol in question.problem.symbols.values()}
    large = [each for each in question.problem.large() if each not in norms]
    if question.prediction or question.exact or not question.constants or {*question.constants} - norms:
        return False
    with suppress(NoValueError, UndecidedError):
        trials = (
            exact_trial(question, each, growth, draws_on(question, each, FEW)) for each in tested_instances(question)
        )
        if all(np.abs(limits(each)).max() <= PERCENT for trial in trials for each in trial.differences):
            scaled = [question.with_answers({at: times(name(large[0]), it)}) for at, it in question.answered.items()]
            return any(_rule_on(each, every_path(each)).word == "holds" for each in scaled)
    return False


def large_enough(question: Question, instance: Instance) -> float | None:
    """How large the only constant must be for an error of 1 %, without noise; None if there are none or several, and
    infinite if 10¹² is not enough. Raises `UndecidedError` if the error cannot be computed."""
    if len(question.constants) != 1 or question.exact or question.vanishing or question.small:
        return None
    draws = {each: 0.0 * value[:, :1] for each, value in standard_draws(question, 1).items()}

    def error(values: np.ndarray) -> np.ndarray:
        at = constants_at(question, values.reshape(-1, 1, 1, 1))
        return np.broadcast_to(attempt(question, instance, at, draws).error[:, 0], values.shape)

    def exact_error(values: np.ndarray) -> np.ndarray:
        return np.array(
            [_exact_error(question, instance, Fraction(each).limit_denominator(10**6), draws) for each in values]
        )

    with suppress(NoValueError):  # too large for floating point
        found = _crossing(error, np.geomspace(1e-3, MOST_SHOWN, 301))
        if found is not None and _confirmed(exact_error, found):
            return found
    try:
        found = _crossing(exact_error, np.geomspace(1e-3, MOST_SHOWN, 46))  # rounding misled the quick search
    except NoValueError as nowhere:
        raise UndecidedError(str(nowhere)) from None
    return float("inf") if found is None else found


def _confirmed(error: Callable[[np.ndarray], np.ndarray], value: float) -> bool:
    """Whether the error falls below 1 % about there."""
    below, above = error(np.array([value / 1.01, value * 1.01]))
    return bool(above <= PERCENT and (below > PERCENT or value <= 1e-3))


def _exact_error(question: Question, instance: Instance, value: Fraction, draws: dict[str, Value]) -> float:
    constants = {name: exact_number(Exact.of(value)) for name in question.constants}
    constants |= {name: exact_number(Exact.of(0)) for name in question.problem.small()}
    try:
        trial = attempt(question, instance, constants, exact_draws(question, instance, draws, constants), exact=True)
        return float(in_numbers(trial).error[0, 0])
    except SpentError:
        raise
    except (NoValueError, UndecidedError):  # C is too small for ln(ln C), or too large for e^(e^C)
        return float("nan")


def _is_equality(question: Question) -> bool:
    """Whether a prediction is an equality, for constants of any size."""
    growth = every_path(question)
    return all(
        is_zero(entry)
        for instance in tested_instances(question)
        for difference in exact_trial(question, instance, growth, draws_on(question, instance, FEW)).differences
        for entry in set(difference.ravel().tolist())
    )


def _draws_in_words(
    question: Question, growth: Growth, instance: Instance, draws: dict[str, Value], right: np.ndarray
) -> str:
    """The draws for which an answer is right: a range of the random number, or a share if there are several."""
    normals = {each: s for each, s in question.problem.draws().items() if s.kind == "normal"}
    if len(normals) != 1:
        return f"the draw is one of the {whole_percent(right.mean())} for which it is right"
    ((name, symbol),) = normals.items()
    values = draws[name][0, :, 0, 0]
    edges = [
        _edge(question, growth, instance, name, values[place], values[place + 1])
        for place in np.flatnonzero(right[1:] != right[:-1])
    ]
    ends = _ends(right, edges)
    sd = float(symbol.variance) ** 0.5
    share = sum(NORMAL.cdf(high / sd) - NORMAL.cdf(low / sd) for low, high in zip(ends[::2], ends[1::2], strict=True))
    ranges = [_range(name, low, high) for low, high in zip(ends[::2], ends[1::2], strict=True)]
    return f"{' or '.join(ranges)}, which is so in {percent(share)} of the draws"


def _ends(right: np.ndarray, edges: list[float]) -> list[float]:
    """The ends of the ranges in which draws are right, two for each; draws are in order, with edges where they turn.

    >>> _ends(np.array([True, False]), [0.5]), _ends(np.array([True, False, True]), [0.0, 0.5])
    ([-inf, 0.5], [-inf, 0.0, 0.5, inf])
    """
    return [*([-math.inf] if right[0] else []), *edges, *([math.inf] if right[-1] else [])]


def _edge(question: Question, growth: Growth, instance: Instance, name: str, low: float, high: float) -> float:
    """The value between two draws at which an answer turns from right to wrong: the simplest fraction, if it is one."""

    def right(value: Fraction) -> bool:
        drawn = np.full((1, 1, 1, 1), value, dtype=object)
        return bool(right_draws(question, instance, growth, {name: drawn}).item())

    left, other = Fraction(low), Fraction(high)
    below = right(left)
    for _ in range(24):
        middle = (left + other) / 2
        left, other = (middle, other) if right(middle) == below else (left, middle)
    simple = ((left + other) / 2).limit_denominator(100)
    return float(simple if left <= simple <= other else (left + other) / 2)


def _range(name: str, low: float, high: float) -> str:
    if np.isinf(low):
        return f"{name} < {plain(high)}" if np.isfinite(high) else f"any {name}"
    return f"{name} > {plain(low)}" if np.isinf(high) else f"{plain(low)} < {name} < {plain(high)}"


def _with_noise(question: Question) -> Ruling:
    """The condition under small noise: constants that are not too large, or a variance that is small enough."""
    ((small, variance), *_) = question.problem.small().items()
    instance = largest(question.problem)

    def error(values: np.ndarray, of: float = variance) -> np.ndarray:
        at = constants_at(question, values.reshape(-1, 1, 1, 1), small=of)
        found = attempt(question, instance, at, standard_draws(question, NOISE_DRAWS, of)).error
        return np.broadcast_to(np.sqrt((found**2).mean(axis=1)), values.shape)

    least = large_enough(question, instance)
    if least == float("inf"):
        return Ruling("holds if", f"{' and '.join(question.constants)} is large, and {small} far smaller still")
    if least is None and question.constants:
        return Ruling("holds if", f"{' and '.join(question.constants)} are large, and {small} far smaller still")
    if least is None:
        most = _last_within(
            lambda values: np.concatenate([error(np.ones(1), float(v)) for v in values]), np.geomspace(1e-24, 1, 97)
        )
        return Ruling("holds if", f"{small} ≤ {most:.1g}, as {small} vanishes") if most < variance else Ruling("holds")
    most = _last_within(error, np.geomspace(least, 1e15 * least, 481))
    if most <= least:
        return Ruling("holds if", f"{small} is far below {plain(variance)}")
    names = " and ".join(question.constants)
    span = f"at {small} = {plain(variance)}, from {plain(least)} to {most:.2g}"
    return Ruling("holds if", f"{names} is large but not too large: {span}")


def largest(problem: Problem) -> Instance:
    """The instance with the largest sizes, in its simplest form."""
    plainest = [each for each in instances(problem) if each.seed == 0]
    return max(plainest, key=lambda each: sum(each.sizes.values()))


def _last_within(error, grid: np.ndarray) -> float:
    """The end of the first range with an error within 1 %: on a grid, then by bisection; the start if there is none."""
    inside = error(grid) <= PERCENT
    if not inside.any():
        return float(grid[0])
    first = int(np.argmax(inside))
    after = np.flatnonzero(~inside[first:])
    if len(after) == 0:
        return float(grid[-1])
    low, high = float(grid[first + after[0] - 1]), float(grid[first + after[0]])
    for _ in range(20):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if error(np.array([middle]))[0] <= PERCENT else (low, middle)
    return low


def _crossing(error, grid: np.ndarray) -> float | None:
    """The point from which the error stays within 1 %: on a grid, then by bisection; None if there is no such point.
    Raises `NoValueError` if the error is NaN on the whole grid."""
    values = error(grid)
    if np.isnan(values).all():
        raise NoValueError("its error cannot be computed for any size of the constants")
    above = np.flatnonzero(values > PERCENT)  # NaN from overflow does not count: `limit` tests large constants
    if len(above) == 0:
        return float(grid[0])
    if above[-1] == len(grid) - 1:
        return None
    low, high = float(grid[above[-1]]), float(grid[above[-1] + 1])
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if error(np.array([middle]))[0] <= PERCENT else (middle, high)
    return high
