"""What is found of an answer: whether it holds, under what condition, and where it first fails."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr

from attnlab.answers.instances import Instance, instances, number
from attnlab.answers.plain import plain
from attnlab.answers.questions import Question, check_shapes
from attnlab.answers.trials import (
    EXACT,
    PERCENT,
    attempt,
    constants_at,
    limit,
    standard_draws,
    within,
)

Word = Literal["holds", "holds if", "fails"]
MOSTLY = 0.5
"""An answer that is right for more than this share of draws holds if the draw is such."""


@dataclass(frozen=True)
class Ruling:
    """The verdict, its condition, and the instance that it fails on (with the draws, where there are several)."""

    word: Word
    condition: str = ""
    instance: Instance | None = None


def rule(question: Question) -> Ruling:
    """Decide by working the question out on every instance; raises `NoValueError` where there is no value."""
    check_shapes(question)
    if question.prediction and _is_exact(question):
        return Ruling("holds")
    fewest: tuple[float, Instance, np.ndarray] | None = None
    for instance in instances(question.problem):
        found, _ = limit(question, instance)
        right = found.error[0] <= within(question)
        share = float(right.mean())
        if share <= MOSTLY:
            return Ruling("fails", instance=instance)
        if share < (fewest[0] if fewest else 1.0):
            fewest = share, instance, right
    if fewest:
        return Ruling("holds if", _right_draws(question, *fewest[1:]))
    if question.prediction:
        return Ruling("holds if", f"{' and '.join(question.constants)} is large: it is a limit, not an equality")
    if question.problem.small() and question.constants:
        return Ruling("holds if", _not_too_large(question))
    return Ruling("holds")


def holds(question: Question) -> bool:
    """Whether an answer holds, with or without a condition."""
    return rule(question).word != "fails"


def large_enough(question: Question, instance: Instance) -> float | None:
    """How large the constants must be for an error of 1 %, without noise; None where no constant is in play."""
    if not question.constants or all(wanted.exact for wanted in question.wanted):
        return None
    draws = {each: number(0.0) * value[:, :1] for each, value in standard_draws(question, 1).items()}

    def error(values: np.ndarray) -> np.ndarray:
        at = constants_at(question, values.reshape(-1, 1, 1, 1))
        return np.broadcast_to(attempt(question, instance, at, draws).error[:, 0], values.shape)

    return _crossing(error, np.geomspace(1e-3, 1e4, 141))


def _is_exact(question: Question) -> bool:
    """Whether a prediction is an equality, for constants of any size."""
    values = number(1.0) * np.array([0.5, 1.0, 3.0, 8.0]).reshape(-1, 1, 1, 1)
    return all(
        bool((attempt(question, each, constants_at(question, values), standard_draws(question)).error < EXACT).all())
        for each in instances(question.problem)
    )


def _right_draws(question: Question, instance: Instance, right: np.ndarray) -> str:
    """Which draws an answer is right for: a range of the one random number, or the share of several."""
    normals = {each: s for each, s in question.problem.draws().items() if s.kind == "normal"}
    if len(normals) != 1:
        return f"the draw is one of the {right.mean():.0%} that suit it"
    ((name, symbol),) = normals.items()
    values = standard_draws(question)[name][0, :, 0, 0]
    edges = [
        _edge(question, instance, name, values[place], values[place + 1])
        for place in np.flatnonzero(right[1:] != right[:-1])
    ]
    ends = [-np.inf, *edges, np.inf] if right[0] else edges if not right[-1] else [*edges, np.inf]
    sd = float(symbol.variance) ** 0.5
    share = sum(ndtr(high / sd) - ndtr(low / sd) for low, high in zip(ends[::2], ends[1::2], strict=True))
    ranges = [_range(name, low, high) for low, high in zip(ends[::2], ends[1::2], strict=True)]
    return f"{' or '.join(ranges)}, that is in {100 * share:.1f} % of draws"


def _edge(question: Question, instance: Instance, name: str, low: float, high: float) -> float:
    """Where between two draws an answer turns from right to wrong, by halving."""

    def right(value: float) -> bool:
        return bool(limit(question, instance, {name: number(value)})[0].error.item() <= within(question))

    below = right(low)
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if right(middle) == below else (low, middle)
    return (low + high) / 2


def _range(name: str, low: float, high: float) -> str:
    if np.isinf(low):
        return f"{name} < {plain(high)}"
    return f"{name} > {plain(low)}" if np.isinf(high) else f"{plain(low)} < {name} < {plain(high)}"


def _not_too_large(question: Question) -> str:
    """How large constants may be before they make noise large: at the variance that stands for a vanishing one."""
    instance = instances(question.problem)[len(question.problem.sizes) - 1]
    draws = standard_draws(question, noise=True)

    def error(values: np.ndarray) -> np.ndarray:
        at = constants_at(question, values.reshape(-1, 1, 1, 1), small=True)
        return np.sqrt((attempt(question, instance, at, draws).error ** 2).mean(axis=1))

    least = large_enough(question, instance) or 0.0
    most = _crossing(lambda values: -error(values), np.geomspace(max(least, 1e-3) * 1.01, 1e9, 121), -PERCENT)
    ((small, shown), *_) = question.problem.small().items()
    names = " and ".join(question.constants)
    if most is None:
        return f"{small} is small"
    return f"{names} is large but not too large: at {small} = {plain(shown)}, from {plain(least)} to {most:.2g}"


def _crossing(error, grid: np.ndarray, level: float = PERCENT) -> float | None:
    """The point past which the error stays at or below the level: sought on a grid, then by halving."""
    values = error(grid)
    above = np.flatnonzero(values > level)  # where it overflows nothing is known, and the limit is looked at elsewhere
    if len(above) == 0:
        return float(grid[0])
    if above[-1] == len(grid) - 1:
        return None
    low, high = float(grid[above[-1]]), float(grid[above[-1] + 1])
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if error(np.array([middle]))[0] <= level else (middle, high)
    return high
