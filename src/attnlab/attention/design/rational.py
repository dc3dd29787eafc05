"""Small systems of equations and inequalities in exact fractions: what they answer is proven for the numbers given."""

from collections.abc import Sequence
from fractions import Fraction

Rows = list[list[Fraction]]

MOST_PIVOTS = 500


def fractions(rows: Sequence[Sequence[float]]) -> Rows:
    """The numbers as they are: a float is a fraction whose denominator is a power of 2."""
    return [[Fraction(number) for number in row] for row in rows]


def nearby_solution(matrix: Rows, right: Sequence[Fraction], near: Sequence[Fraction]) -> list[Fraction] | None:
    """An exact solution of matrix·x = right that differs from `near` in few and large places; None if there is none.

    Gauss–Jordan elimination. The places of the largest numbers are taken first, so that a small correction leaves
    their signs.
    """
    rows = [
        [*row, value - sum(a * x for a, x in zip(row, near, strict=True))]
        for row, value in zip(matrix, right, strict=True)
    ]
    pivots: list[int] = []
    for column in sorted(range(len(near)), key=lambda place: -abs(near[place])):
        if _eliminate(rows, len(pivots), column):
            pivots.append(column)
    if any(row[-1] for row in rows[len(pivots) :]):
        return None
    solution = list(near)
    for row, column in enumerate(pivots):
        solution[column] += rows[row][-1]
    return solution


def ahead_or_around(points: Rows, level: Rows) -> tuple[list[Fraction] | None, list[Fraction] | None]:
    """Either z with level·z = 0 and p_i·z > 0 for all points, or λ ≥ 0 of sum 1 with Σ λ_i p_i in the span of `level`.

    The one that exists comes with None for the other (Gordan); both are None if deciding takes too many steps.
    """
    level = [list(row) for row in level]
    dim = len(points[0])
    pivots: list[int] = []
    for column in range(dim):
        if _eliminate(level, len(pivots), column):
            pivots.append(column)
    free = [column for column in range(dim) if column not in pivots]
    basis = level[: len(pivots)]
    # Without their part along `level`, the points have zeros at the pivots.
    rest = [[p[c] - sum(p[at] * row[c] for at, row in zip(pivots, basis, strict=True)) for c in free] for p in points]
    direction, mixture = _simplex(rest)
    if direction is None:
        return None, mixture
    whole = dict(zip(free, direction, strict=True))
    whole |= {at: -sum((row[c] * whole[c] for c in free), Fraction(0)) for at, row in zip(pivots, basis, strict=True)}
    return [whole[column] for column in range(dim)], None


def _eliminate(rows: Rows, done: int, column: int) -> bool:
    """Make `column` a unit vector whose 1 is in row `done`, unless it is 0 from that row on."""
    chosen = next((row for row in range(done, len(rows)) if rows[row][column]), None)
    if chosen is None:
        return False
    rows[done], rows[chosen] = rows[chosen], rows[done]
    _pivot(rows, done, column)
    return True


def _pivot(rows: Rows, at: int, column: int) -> None:
    """Divide row `at` by its number in `column`, and subtract it from the others until they have 0 there."""
    divisor = rows[at][column]
    rows[at] = [number / divisor if number else number for number in rows[at]]
    for other, row in enumerate(rows):
        if other != at and (factor := row[column]):
            rows[other] = [x - factor * y if y else x for x, y in zip(row, rows[at], strict=True)]


def _simplex(points: Rows) -> tuple[list[Fraction] | None, list[Fraction] | None]:
    """z with every p_i·z > 0, or λ ≥ 0 of sum 1 with Σ λ_i p_i = 0.

    The first phase of the simplex method: minimise the sum of a ≥ 0 in Σ λ_i p_i + a = 0, Σ λ_i + a' = 1. Its dual is
    z where that sum stays above 0. Bland's rule (1977) keeps it from going round in circles.
    """
    count, size = len(points), len(points[0]) + 1
    rows = []
    for row in range(size):
        numbers = [point[row] if row < size - 1 else Fraction(1) for point in points]
        unit = [Fraction(row == other) for other in range(size)]
        rows.append([*numbers, *unit, Fraction(row == size - 1)])
    cost = [-sum((row[column] for row in rows), Fraction(0)) for column in range(count)]
    rows.append([*cost, *[Fraction(0)] * size, Fraction(-1)])
    basis = list(range(count, count + size))
    for _ in range(MOST_PIVOTS):
        column = next((place for place in range(count) if rows[-1][place] < 0), None)
        if column is None:
            break
        falling = [row for row in range(size) if rows[row][column] > 0]
        leaving = min(falling, key=lambda row: (rows[row][-1] / rows[row][column], basis[row]))
        _pivot(rows, leaving, column)
        basis[leaving] = column
    else:
        return None, None
    if rows[-1][-1] < 0:
        return [rows[-1][count + row] - 1 for row in range(size - 1)], None
    mixture = [Fraction(0)] * count
    for row, place in enumerate(basis):
        if place < count:
            mixture[place] = rows[row][-1]
    return None, mixture
