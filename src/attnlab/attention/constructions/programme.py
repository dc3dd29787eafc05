"""The solution of linear equations and inequalities with the least sum of absolute values, rounded if possible."""

import numpy
from numpy.typing import NDArray
from scipy.optimize import linprog

from attnlab.errors import ArgumentError

TIDY = (1, 2, 3, 4, 5, 6, 8, 10, 12, 100)  # denominators of the fractions that a solution may be rounded to
SNAP = 1e-6  # how far from such a fraction a solution of the programme may be
_OPTIMAL, _INFEASIBLE = 0, 2


def smallest(cost: NDArray, *, equal: NDArray, to: NDArray, above: NDArray, by: NDArray) -> NDArray | None:
    """The z with `equal` z = `to` and `above` z ≥ `by` that has the least Σ cost |z|, or None if there is no such z.

    Such solutions have few nonzero entries. With z = p − m, p and m ≥ 0, this is a linear programme. A minus costs a
    little more than a plus, so that of two equally short answers the positive one wins.
    """
    found = linprog(
        numpy.concatenate([cost, cost * 1.0001]),
        A_ub=numpy.hstack([-above, above]) if len(above) else None,
        b_ub=-by if len(above) else None,
        A_eq=numpy.hstack([equal, -equal]) if len(equal) else None,
        b_eq=to if len(equal) else None,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status == _INFEASIBLE:
        return None
    if found.status != _OPTIMAL:
        raise ArgumentError("inputs", f"cannot be decided in float64 ({found.message.strip()})")
    plus, minus = numpy.split(found.x, 2)
    return _tidy(plus - minus, equal, to, above, by)


def _tidy(z: NDArray, equal: NDArray, to: NDArray, above: NDArray, by: NDArray) -> NDArray:
    """z rounded to simple fractions if these are a solution too; else z with the equations solved to the last digit."""
    for denominator in TIDY:
        round_z = numpy.round(z * denominator) / denominator
        if abs(round_z - z).max(initial=0.0) < SNAP and _solves(round_z, equal, to, above, by):
            return round_z + 0.0  # no −0
    z = numpy.where(abs(z) < 1e-9, 0.0, z)
    used = z != 0.0
    if len(equal) and used.any():
        z[used] += numpy.linalg.lstsq(equal[:, used], to - equal @ z, rcond=None)[0]
    return z


def _solves(z: NDArray, equal: NDArray, to: NDArray, above: NDArray, by: NDArray) -> bool:
    """Whether z is a solution up to the last digits."""
    off = abs(equal @ z - to).max(initial=0.0)
    return bool(off <= 1e-13 * (1.0 + abs(to).max(initial=0.0)) and (above @ z - by).min(initial=0.0) >= -1e-12)
