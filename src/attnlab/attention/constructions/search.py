"""Finds Q, K and V with which self-attention gives wanted outputs, or the proof that there are none.

As β → ∞ row i attends equally to a set S_i of inputs, so all that Q, K and V can do is choose such sets: a pattern.
With m_i the mean of the x_j over S_i, a pattern gives the wants w_i if and only if

    V m_i = w_i                            for every wanted row i, and
    x_iᵀQᵀK x_j is the same for all j in S_i, and larger than for every j not in S_i.

The first is linear in V, the second, with K fixed, in Q; Q can be scaled, so "larger" may be "larger by 1". With K = I
nothing is lost: only QᵀK counts, and Q can be any matrix. There are finitely many patterns, so trying all of them is a
proof; `obstacles` has the shorter ones. Among answers that attend to the fewest inputs, the one with the smallest V,
then Q, in sum of absolute values wins, because it has few entries and looks like a solution by hand.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from attnlab.attention.argument_checks import check_between
from attnlab.attention.constructions.evaluation import SelfAttention, error_bounds, evaluate, limit, margins
from attnlab.attention.constructions.matrices import (
    Attended,
    Pattern,
    has_values,
    is_best,
    smallest_queries,
    smallest_values,
    values_cost,
)
from attnlab.attention.constructions.obstacles import Obstacle, exhausted, find_obstacle
from attnlab.attention.constructions.sums import Inputs
from attnlab.attention.constructions.task import ROUNDING, ConstructionTask, state
from attnlab.attention.impossible import Impossible
from attnlab.errors import ArgumentError

MOST_DIFFERENT_KEYS = 10  # all sets of inputs are listed: 1,023 sets for 10
MOST_STEPS, PROGRAMME_STEPS = 20_000, 20  # of the search; a linear programme counts as 20
MOST_COMPARED = 40  # answers to compare for the smallest


@dataclass(frozen=True)
class Construction:
    """Matrices that give the wanted outputs as β → ∞, in part coordinates, checked there and at `beta`.

    `attends` says for each wanted row which inputs share its weight; `margin` is by how much, in the worst wanted row,
    their score is above all others (∞ if there are none). `error` is the largest distance of a wanted output from its
    want at `beta`, and `error_bound` its bound in exact arithmetic, of the order of e^{−β² margin}.
    """

    Q: Float[Tensor, "parts parts"]
    K: Float[Tensor, "parts parts"]
    V: Float[Tensor, "parts parts"]
    attends: dict[int, Attended]
    limit: SelfAttention
    margin: float
    beta: float
    error: float
    error_bound: float


def solve(
    inputs: Inputs,
    wants: Mapping[int, Float[Tensor, "parts"]],
    *,
    V: Float[Tensor, "parts parts"] | None = None,
    K: Float[Tensor, "parts parts"] | None = None,
    beta: float = 10.0,
) -> Construction | Impossible[Obstacle]:
    """Q, K and V with which output i is `wants[i]` as β → ∞, for each wanted row i (from 0 on), or a proof.

    If `V` or `K` is given, the answer or the proof is for the given one; else V is found, and K = I.

    >>> from attnlab.attention.constructions import format_matrix, parse_inputs, parse_wants
    >>> inputs = parse_inputs("x1 = d + b; x2 = a; x3 = c + b")
    >>> found = solve(inputs, parse_wants("c2 = b; c1 = b - c", inputs))
    >>> [format_matrix(M, inputs.parts) for M in (found.Q, found.K, found.V)]
    ['(u_d u_aᵀ + u_c u_dᵀ)/β²', 'I', '(u_b u_bᵀ − u_c u_cᵀ)/β²']
    """
    check_between("beta", beta, 0.0, 1e100)
    problem = state(inputs, wants, V, K)
    impossible = find_obstacle(problem)
    if impossible is not None:
        return impossible
    search = _Search(problem)
    unsure = 0
    for answers in search.answers_by_size():
        for pattern, found_Q, found_V in answers:
            found = _checked(inputs, problem, pattern, (found_Q, K, found_V), beta)
            if found is not None:
                return found
            unsure += 1
    if unsure:
        raise ArgumentError("inputs", f"{unsure} possible answers cannot be decided in float64")
    return exhausted(problem, patterns=search.patterns, without_scores=search.without_scores)


class _Search:
    """The patterns of one problem, those with few attended inputs first, and their matrices."""

    def __init__(self, problem: ConstructionTask):
        self.problem = problem
        sets = _attended_sets(problem)
        self.sets = [_candidates(problem, sets, want) for want in problem.wants]
        self.patterns = len(sets) ** len(problem.rows)
        self.without_scores = 0
        self._steps = 0
        self._is_best: dict[Attended, bool] = {}  # whether some query scores exactly these best
        self._sizes: list[set[int]] = [{0}]  # possible totals of attended inputs from this row to the last
        for sets in reversed(self.sets):
            self._sizes.insert(0, {len(s) + rest for s in sets for rest in self._sizes[0]})

    def answers_by_size(self) -> Iterator[list[tuple[Pattern, NDArray, NDArray]]]:
        """Yields, for each total number of attended inputs, the patterns that work, with Q and V, smallest first."""
        for size in sorted(self._sizes[0]):
            answers = list(itertools.islice(self._answers(size), MOST_COMPARED))
            yield [answer for _, answer in sorted(answers, key=lambda costed: costed[0])]
            if self._steps > MOST_STEPS:
                raise ArgumentError(
                    "wants",
                    f"no answer among the simplest of {self.patterns:.4g} ways to attend, and the others are too many "
                    "to try; use fewer inputs or wants",
                )

    def _answers(self, size: int) -> Iterator[tuple[tuple[float, float], tuple[Pattern, NDArray, NDArray]]]:
        """Yields the patterns of one size that work, with Q and V, and the cost of V and Q."""
        for pattern in self._with_values((), size):
            Q = self._queries(pattern)
            if Q is None:
                self.without_scores += 1
                continue
            V = smallest_values(self.problem, pattern)
            yield (round((values_cost(self.problem) * abs(V)).sum(), 6), round(abs(Q).sum(), 6)), (pattern, Q, V)

    def _with_values(self, pattern: Pattern, size: int) -> Iterator[Pattern]:
        """Yields the patterns with this beginning, `size` more attended inputs and a V; prunes the others."""
        row = len(pattern)
        if row == len(self.sets):
            yield pattern
            return
        for attended in self.sets[row]:
            if size - len(attended) not in self._sizes[row + 1]:
                continue
            self._steps += 1
            if self._steps > MOST_STEPS:
                return
            if has_values(self.problem, (*pattern, attended)):
                yield from self._with_values((*pattern, attended), size - len(attended))

    def _queries(self, pattern: Pattern) -> NDArray | None:
        """The smallest Q with which every wanted row attends as in the pattern, or None."""
        for i, attended in zip(self.problem.rows, pattern, strict=True):
            everything = len(attended) == len(self.problem.X)
            # An input of 0 has query 0 and attends to everything.
            if not everything and (not self.problem.X[i].any() or not self._scored_best(attended)):
                return None
        self._steps += PROGRAMME_STEPS
        return smallest_queries(self.problem, pattern)

    def _scored_best(self, attended: Attended) -> bool:
        """Whether a row can attend to exactly these inputs; quick, and cached for all patterns."""
        if attended not in self._is_best:
            self._steps += PROGRAMME_STEPS
            self._is_best[attended] = is_best(self.problem, attended)
        return self._is_best[attended]


def _attended_sets(problem: ConstructionTask) -> list[Attended]:
    """All sets of inputs that a row may attend to; inputs with the same key always go together."""
    groups: list[list[int]] = []
    for j, key in enumerate(problem.keys):
        for group in groups:
            if problem.near(problem.keys[group[0]], key):
                group.append(j)
                break
        else:
            groups.append([j])
    if len(groups) > MOST_DIFFERENT_KEYS:
        raise ArgumentError("inputs", f"expected at most {MOST_DIFFERENT_KEYS} different keys, got {len(groups)}")
    chosen = (c for size in range(1, len(groups) + 1) for c in itertools.combinations(groups, size))
    return [tuple(sorted(itertools.chain(*groups))) for groups in chosen]


def _candidates(problem: ConstructionTask, sets: list[Attended], want: NDArray) -> list[Attended]:
    """The sets that V, if given, maps to the want; small sets first, then those whose mean is near the want.

    If the mean is near the want, V has little to do, so the answers that read well come early.
    """
    means = {attended: problem.X[list(attended)].mean(0) for attended in sets}
    V = problem.V
    if V is not None:
        means = {attended: mean for attended, mean in means.items() if problem.near(V @ mean, want)}
    return sorted(means, key=lambda attended: (len(attended), round(float(abs(means[attended] - want).sum()), 9)))


def _checked(
    inputs: Inputs,
    problem: ConstructionTask,
    pattern: Pattern,
    matrices: tuple[NDArray, Tensor | None, NDArray],
    beta: float,
) -> Construction | None:
    """The answer, if the matrices give the wants in the limit, and at `beta` up to the bound; else None."""
    device, size, rows = inputs.coefficients.device, len(inputs.parts), list(problem.rows)
    Q, V = (torch.from_numpy(M.copy()).to(device) for M in (matrices[0], matrices[2]))
    K = torch.eye(size, dtype=torch.float64, device=device) if matrices[1] is None else matrices[1].double().to(device)
    wants = torch.from_numpy(problem.wants).to(device)
    end, near = limit(inputs, Q, K, V), evaluate(inputs, Q, K, V, beta=beta)
    attends = {i: tuple(torch.nonzero(end.weights[i])[:, 0].tolist()) for i in rows}
    error = float((near.outputs[rows] - wants).norm(dim=-1).max())
    bound = float(error_bounds(inputs, Q, K, V, beta=beta)[rows].max())
    rounding = ROUNDING * (1.0 + float(wants.abs().max()) + float(near.outputs.abs().max()))
    exact = problem.near(end.outputs[rows].cpu().numpy(), problem.wants)
    if not exact or attends != dict(zip(rows, pattern, strict=True)) or error > bound + rounding:
        return None
    margin = float(margins(inputs, Q, K)[rows].min())
    return Construction(Q, K, V, attends, end, margin, beta, error, bound)
