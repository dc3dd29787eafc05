"""Decides whether an answer holds, under which condition, and on which instance it first fails."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr

from attnlab.answers.instances import Instance, instances, number
from attnlab.answers.plain import plain
from attnlab.answers.problem import Problem
from attnlab.answers.questions import Question, check_shapes
from attnlab.answers.trials import PERCENT, Growth, attempt, constants_at, errors_at, growths, limit, standard_draws

Word = Literal["holds", "holds if", "fails"]
PREDICTED = 1e-9
"""A prediction with a smaller error is an equality."""
MOSTLY = 0.5
"""An answer that is right for more than this share of the draws has the verdict `holds if`."""


@dataclass(frozen=True)
class Ruling:
    """The verdict, its condition, and the instance and the growth of constants on which the answer fails."""

    word: Word
    condition: str = ""
    instance: Instance | None = None
    growth: Growth | None = None


def rule(question: Question) -> Ruling:
    """Decide by computing the error on every instance; raises `NoValueError` if the answer has no value."""
    check_shapes(question)
    if question.prediction and _is_exact(question):
        return Ruling("holds")
    ruled = [_rule_on(question, growth) for growth in growths(question)]
    if all(each.word != "fails" for each in ruled):
        return _narrowed(question, next((each for each in ruled if each.word == "holds if"), ruled[0]))
    faster = next((growths(question)[n] for n, each in enumerate(ruled) if n and each.word == "holds"), None)
    if faster:
        return Ruling("holds if", faster.words)
    return next(each for each in ruled if each.word == "fails")


def _rule_on(question: Question, growth: Growth) -> Ruling:
    """The ruling for one way in which the constants may grow."""
    fewest: tuple[float, Instance, np.ndarray] | None = None
    for instance in instances(question.problem):
        right = limit(question, instance, growth)
        share = float(right.mean())
        if share <= MOSTLY:
            return Ruling("fails", instance=instance, growth=growth)
        if share < (fewest[0] if fewest else 1.0):
            fewest = share, instance, right
    if fewest:
        return Ruling("holds if", _right_draws(question, growth, *fewest[1:]))
    return Ruling("holds")


def _narrowed(question: Question, ruling: Ruling) -> Ruling:
    """The ruling `holds`, with the condition that it may still need."""
    if ruling.word == "holds if":
        return ruling
    grown = " and ".join(question.constants)
    if question.prediction and grown:
        are = "is" if len(question.constants) == 1 else "are"
        return Ruling("holds if", f"{grown} {are} large: this is a limit, not an equality")
    if question.problem.small():
        return _with_noise(question)
    if not grown and not question.exact:
        sizes = ", ".join(f"{name} ≤ {size}" for name, size in largest(question.problem).sizes.items() if name == "n")
        sizes = sizes or "the sizes are as small as here"
        return Ruling("holds if", f"{sizes}: the error is within 1 %, but no constant makes it smaller")
    return ruling


def large_enough(question: Question, instance: Instance) -> float | None:
    """How large the constants must be for an error of 1 %, without noise; None if there are no constants."""
    if not question.constants or question.exact:
        return None
    draws = {each: 0.0 * value[:, :1] for each, value in standard_draws(question, 1).items()}

    def error(values: np.ndarray) -> np.ndarray:
        at = constants_at(question, values.reshape(-1, 1, 1, 1))
        return np.broadcast_to(attempt(question, instance, at, draws).error[:, 0], values.shape)

    return _crossing(error, np.geomspace(1e-3, 1e12, 301))


def _is_exact(question: Question) -> bool:
    """Whether a prediction is an equality, for constants of any size."""
    rungs = np.array([0.5, 1.0, 3.0, 8.0])
    return all(
        bool((errors_at(question, each, growth, rungs, standard_draws(question)) < PREDICTED).all())
        for each in instances(question.problem)
        for growth in growths(question)[:1]
    )


def _right_draws(question: Question, growth: Growth, instance: Instance, right: np.ndarray) -> str:
    """The draws for which an answer is right: a range of the random number, or a share if there are several."""
    normals = {each: s for each, s in question.problem.draws().items() if s.kind == "normal"}
    if len(normals) != 1:
        return f"the draw is one of the {right.mean():.0%} for which it is right"
    ((name, symbol),) = normals.items()
    values = standard_draws(question)[name][0, :, 0, 0]
    edges = [
        _edge(question, growth, instance, name, values[place], values[place + 1])
        for place in np.flatnonzero(right[1:] != right[:-1])
    ]
    ends = [-np.inf, *edges, np.inf] if right[0] else edges if not right[-1] else [*edges, np.inf]
    sd = float(symbol.variance) ** 0.5
    share = sum(ndtr(high / sd) - ndtr(low / sd) for low, high in zip(ends[::2], ends[1::2], strict=True))
    ranges = [_range(name, low, high) for low, high in zip(ends[::2], ends[1::2], strict=True)]
    return f"{' or '.join(ranges)}, which is so in {100 * share:.1f} % of the draws"


def _edge(question: Question, growth: Growth, instance: Instance, name: str, low: float, high: float) -> float:
    """The value between two draws at which an answer turns from right to wrong, by bisection."""

    def right(value: float) -> bool:
        return bool(limit(question, instance, growth, {name: number(value)}).item())

    below = right(low)
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if right(middle) == below else (low, middle)
    return (low + high) / 2


def _range(name: str, low: float, high: float) -> str:
    if np.isinf(low):
        return f"{name} < {plain(high)}"
    return f"{name} > {plain(low)}" if np.isinf(high) else f"{plain(low)} < {name} < {plain(high)}"


def _with_noise(question: Question) -> Ruling:
    """The condition under small noise: constants that are not too large, or a variance that is small enough."""
    ((small, variance), *_) = question.problem.small().items()
    instance = largest(question.problem)

    def error(values: np.ndarray, of: float = variance) -> np.ndarray:
        at = constants_at(question, values.reshape(-1, 1, 1, 1), small=of)
        found = attempt(question, instance, at, standard_draws(question, noise=of)).error
        return np.broadcast_to(np.sqrt((found**2).mean(axis=1)), values.shape)

    least = large_enough(question, instance)
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
    """The point from which the error stays within 1 %: on a grid, then by bisection."""
    values = error(grid)
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
