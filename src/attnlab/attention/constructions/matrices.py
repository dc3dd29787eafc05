"""The smallest V and Q for one pattern: with the attended inputs of each row given, the problem is linear."""

import numpy
from numpy.typing import NDArray

from attnlab.attention.constructions.programme import smallest
from attnlab.attention.constructions.task import ROUNDING, ConstructionTask
from attnlab.errors import ArgumentError

Attended = tuple[int, ...]  # the inputs that one row attends to
Pattern = tuple[Attended, ...]  # the same for each wanted row, in order


def _means(problem: ConstructionTask, pattern: Pattern) -> NDArray:
    """The mean of the attended inputs, one row per wanted row."""
    return numpy.stack([problem.X[list(attended)].mean(0) for attended in pattern])


def has_values(problem: ConstructionTask, beginning: Pattern) -> bool:
    """Whether some V, or the given V, maps the means of these first rows to their wants."""
    means, wants = _means(problem, beginning), problem.wants[: len(beginning)]
    V = numpy.linalg.lstsq(means, wants, rcond=ROUNDING)[0] if problem.V is None else problem.V.T
    return problem.near(means @ V, wants)


def values_cost(problem: ConstructionTask) -> NDArray:
    """The cost of the entries of V: a little less on the diagonal, which leaves parts unchanged."""
    return 1.01 - 0.01 * numpy.eye(len(problem.parts))


def smallest_values(problem: ConstructionTask, pattern: Pattern) -> NDArray:
    """The smallest V that maps the means to the wants, or the given V."""
    if problem.V is not None:
        return problem.V
    size, cost = len(problem.parts), values_cost(problem)
    equal = numpy.kron(numpy.eye(size), _means(problem, pattern))
    found = smallest(
        cost.ravel(), equal=equal, to=problem.wants.T.ravel(), above=numpy.zeros((0, size**2)), by=numpy.zeros(0)
    )
    if found is None:  # although least squares found a solution
        raise ArgumentError("inputs", "the inputs are too nearly dependent to decide in float64")
    return found.reshape(size, size)


def smallest_queries(problem: ConstructionTask, pattern: Pattern) -> NDArray | None:
    """The smallest Q that scores the attended inputs of every wanted row equally and 1 above all others, or None."""
    size = len(problem.parts)
    # The score of j in row i is Σ_pq (K x_j)_p Q_pq (x_i)_q: a row of coefficients for the flattened Q.
    same, above = [], []
    for i, attended in zip(problem.rows, pattern, strict=True):
        rows_same, rows_above = _differences(problem.keys, attended)
        same.append(numpy.einsum("jp,q->jpq", rows_same, problem.X[i]).reshape(-1, size**2))
        above.append(numpy.einsum("jp,q->jpq", rows_above, problem.X[i]).reshape(-1, size**2))
    equal, higher = numpy.concatenate(same), numpy.concatenate(above)
    # Among equally good entries, prefer parts that few inputs hold, which tell inputs apart; then the diagonal.
    common = (problem.X != 0).mean(0)
    cost = 1.001 + 0.01 * (common[:, None] + common[None, :]) - 0.001 * numpy.eye(size)
    found = smallest(cost.ravel(), equal=equal, to=numpy.zeros(len(equal)), above=higher, by=numpy.ones(len(higher)))
    return None if found is None else found.reshape(size, size)


def is_best(problem: ConstructionTask, attended: Attended) -> bool:
    """Whether some query, of any input, has its best score on exactly these inputs."""
    same, above = _differences(problem.keys, attended)
    cost, nothing, one = numpy.ones(same.shape[1]), numpy.zeros(len(same)), numpy.ones(len(above))
    return smallest(cost, equal=same, to=nothing, above=above, by=one) is not None


def _differences(keys: NDArray, attended: Attended) -> tuple[NDArray, NDArray]:
    """The first attended key minus each other attended key, and minus each key that is not attended."""
    first, others = keys[attended[0]], [j for j in range(len(keys)) if j not in attended]
    return first - keys[list(attended[1:])], first - keys[others]
