"""A question for `solve` as plain arrays: the inputs, the wants, and V and K if they are given."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from numpy.typing import NDArray
from torch import Tensor

from attnlab.attention.argument_checks import exact_matrix, exact_vector, shape_of
from attnlab.attention.constructions.sums import Inputs, format_rows
from attnlab.errors import ArgumentError

MOST_SOLVED_PARTS = 26
LARGEST_COEFFICIENT = 1e4  # with its inverse: the range in which linear programmes are accurate to 1e-9
ROUNDING = 1e-9  # numbers that differ by less, relative to the largest around, are equal


@dataclass(frozen=True)
class ConstructionTask:
    """The inputs X (one row each), the keys K x_j, the wanted rows with their wants, and V if it is given."""

    parts: tuple[str, ...]
    X: NDArray
    keys: NDArray
    rows: tuple[int, ...]
    wants: NDArray
    V: NDArray | None
    K_is_given: bool

    @property
    def wanted(self) -> str:
        """The wants in the usual notation: `c1 = u_b − u_c; c2 = u_b`."""
        return format_rows("c", dict(zip(self.rows, torch.from_numpy(self.wants), strict=True)), self.parts)

    def near(self, first: NDArray, second: NDArray) -> bool:
        """Whether two arrays are equal up to rounding."""
        size = 1.0 + max(abs(first).max(initial=0.0), abs(second).max(initial=0.0))
        return bool(abs(first - second).max(initial=0.0) <= ROUNDING * size)


def state(inputs: Inputs, wants: Mapping[int, Tensor], V: Tensor | None, K: Tensor | None) -> ConstructionTask:
    """The checked question."""
    count, size = inputs.coefficients.shape
    if size > MOST_SOLVED_PARTS:
        raise ArgumentError("inputs", f"expected at most {MOST_SOLVED_PARTS} parts to solve for, got {size}")
    if not wants:
        raise ArgumentError("wants", "expected at least one wanted output, got no outputs")
    for i in wants:
        if not 0 <= i < count:
            raise ArgumentError("wants", f"expected the number of an input, from 0 to {count - 1}, got {i}")
    rows = tuple(sorted(wants))
    W = torch.stack([exact_vector(f"wants[{i}]", wants[i], size).cpu() for i in rows])
    X = inputs.coefficients.cpu()
    for name, numbers in (("inputs", X), ("wants", W)):
        _check_sizes(name, numbers)
    keys = X if K is None else X @ _square("K", K, size).mT
    values = None if V is None else _square("V", V, size).numpy()
    return ConstructionTask(inputs.parts, X.numpy(), keys.numpy(), rows, W.numpy(), values, K is not None)


def _square(name: str, matrix: Tensor, size: int) -> Tensor:
    """The checked matrix in float64, one row and one column per part."""
    exact = exact_matrix(name, matrix, "parts", "parts").cpu()
    if exact.shape != (size, size):
        raise ArgumentError(name, f"expected {size} × {size}, one row and column per part, got shape {shape_of(exact)}")
    _check_sizes(name, exact)
    return exact


def _check_sizes(name: str, numbers: Tensor) -> None:
    """Raise if a number is too large or too small, compared with 1, for a linear programme in float64."""
    sizes = numbers[numbers != 0].abs()
    odd = sizes[(sizes > LARGEST_COEFFICIENT) | (sizes < 1 / LARGEST_COEFFICIENT)]
    if len(odd):
        sizes = f"{1 / LARGEST_COEFFICIENT:g} to {LARGEST_COEFFICIENT:g}"
        raise ArgumentError(name, f"expected 0 or numbers of size {sizes}, got {float(odd[0]):g}")
