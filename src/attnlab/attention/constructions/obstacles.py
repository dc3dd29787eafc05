"""Why no Q, K and V can give the wanted outputs: short proofs, each with a certificate that anyone can check."""

import itertools
from dataclasses import dataclass

import numpy
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from attnlab.attention.constructions.programme import smallest
from attnlab.attention.constructions.sums import format_sum
from attnlab.attention.constructions.task import ROUNDING, ConstructionTask
from attnlab.attention.impossible import Impossible


@dataclass(frozen=True)
class OutsideHull:
    """A direction y along which the want of `row` is beyond every value: y·want = reaches > at_most = max_j y·V x_j.

    Every output is an average of the values, at any β and for any Q and K, so no output gets there.
    """

    row: int
    direction: Float[Tensor, "parts"]
    reaches: float
    at_most: float


@dataclass(frozen=True)
class SameQuery:
    """Two inputs with different wants that attend to the same inputs: x_second = ratio · x_first, ratio > 0.

    The scores of one are `ratio` times those of the other, so the same inputs have the best score.
    """

    first: int
    second: int
    ratio: float


@dataclass(frozen=True)
class TooFewDirections:
    """The wants span more directions than the inputs do, but every output is V times an average of inputs."""

    in_inputs: int
    in_wants: int


@dataclass(frozen=True)
class Exhausted:
    """All `patterns` were tried: some fail because no V fits, the others because no Q and K give these scores."""

    patterns: int
    without_values: int
    without_scores: int


Obstacle = OutsideHull | SameQuery | TooFewDirections | Exhausted


def find_obstacle(problem: ConstructionTask) -> Impossible[Obstacle] | None:
    """The first short proof that applies, or None: then all patterns have to be tried."""
    checks = (_outside_hull,) if problem.V is not None else (_too_few_directions,)
    for check in (_same_query, *checks):
        found = check(problem)
        if found is not None:
            return found
    return None


def exhausted(problem: ConstructionTask, *, patterns: int, without_scores: int) -> Impossible[Obstacle]:
    """The proof by trying everything, in words."""
    counts = Exhausted(patterns, patterns - without_scores, without_scores)
    V = "no V takes" if problem.V is None else "this V does not take"
    K = "no Q with this K gives" if problem.K_is_given else "no Q and K give"
    causes = [
        (counts.without_values, f"{V} the averages of the attended inputs to the wants"),
        (counts.without_scores, f"{K} those inputs the best scores"),
    ]
    shown = "; ".join(f"for {count:,} {why}" if count < patterns else why for count, why in causes if count)
    ways = f"none of the {patterns:,} ways" if patterns > 1 else "not even the only way"
    return Impossible(
        f"as β grows each row attends equally to some of the inputs, and {ways} to do so gives {problem.wanted}: "
        f"{shown}",
        counts,
    )


def _same_query(problem: ConstructionTask) -> Impossible[Obstacle] | None:
    """The proof from two wanted rows whose inputs are positive multiples of each other, with different wants."""
    for (i, want), (j, other) in itertools.combinations(zip(problem.rows, problem.wants, strict=True), 2):
        ratio = _ratio(problem, problem.X[i], problem.X[j])
        if ratio is None or problem.near(want, other):
            continue
        first, second = f"x{i + 1}", f"x{j + 1}"
        if ratio == 1.0:
            reason = f"{first} = {second}, so they ask the same query and c{i + 1} = c{j + 1} for any Q, K and V"
        else:
            reason = (
                f"{second} = {ratio:g} {first}, so its scores are {ratio:g} times those of {first}, and as β grows "
                f"both attend to the same inputs: c{i + 1} = c{j + 1} for any Q, K and V"
            )
        return Impossible(f"{reason}; the wanted outputs are {problem.wanted}", SameQuery(i, j, ratio))
    return None


def _ratio(problem: ConstructionTask, first: NDArray, second: NDArray) -> float | None:
    """The positive number with second = ratio · first, or None."""
    if problem.near(first, second):
        return 1.0
    size = float(first @ first)
    ratio = float(first @ second) / size if size else 0.0
    return ratio if ratio > 0.0 and problem.near(ratio * first, second) else None


def _too_few_directions(problem: ConstructionTask) -> Impossible[Obstacle] | None:
    """The proof from more independent wants than independent inputs."""
    in_inputs, in_wants = (int(numpy.linalg.matrix_rank(M, rtol=ROUNDING)) for M in (problem.X, problem.wants))
    if in_wants <= in_inputs:
        return None
    return Impossible(
        f"the wants {problem.wanted} span {in_wants} directions, the inputs {in_inputs}, and every output is V times "
        "an average of inputs, for any Q and K",
        TooFewDirections(in_inputs, in_wants),
    )


def _outside_hull(problem: ConstructionTask) -> Impossible[Obstacle] | None:
    """The proof from a want outside the convex hull of the values, with the direction that separates it."""
    assert problem.V is not None
    values = problem.X @ problem.V.T
    for i, want in zip(problem.rows, problem.wants, strict=True):
        # By Farkas' lemma y·(want − v_j) ≥ 1 for all j has a solution exactly if want is not an average of the v_j.
        nothing, ones = numpy.zeros((0, len(want))), numpy.ones(len(values))
        y = smallest(numpy.ones(len(want)), equal=nothing, to=numpy.zeros(0), above=want - values, by=ones)
        # The distance to the hull is about 1 / |y|: a want that is outside only by rounding is not outside.
        if y is None or ROUNDING * abs(y).sum() * (1.0 + abs(values).max() + abs(want).max()) > 0.5:
            continue
        reaches, at_most = float(want @ y), float((values @ y).max())
        assert reaches > at_most
        shown = ", ".join(f"V x{j + 1} = {_sum(problem, v)}" for j, v in enumerate(values))
        return Impossible(
            f"with this V and any Q and K, c{i + 1} is an average of {shown}; along {_sum(problem, y)} each of those "
            f"reaches at most {at_most:g}, and the wanted {_sum(problem, want)} reaches {reaches:g}",
            OutsideHull(i, torch.from_numpy(y), reaches, at_most),
        )
    return None


def _sum(problem: ConstructionTask, coefficients: NDArray) -> str:
    """A row of part coordinates in the usual notation."""
    return format_sum(torch.from_numpy(coefficients), problem.parts)
