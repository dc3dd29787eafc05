"""The value of a formula, for many constants and draws at once: in floating point, or exactly.

Every value is an array of shape (constants, draws, rows, columns). Each of the first two sizes is the count or 1, so
numpy's broadcasting does the loops. Numbers are 1×1, vectors d×1. Arrays of `Exact` values are computed exactly, by the
same code: numpy then calls the methods of `Exact`.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnlab.answers.parsing.nodes import Node, number
from attnlab.answers.parsing.shapes import NoValueError, Symbols, indexed_size, whole_power
from attnlab.answers.values.exact import ZERO, Exact, is_zero

Value = NDArray[Any]


def evaluate(node: Node, values: Mapping[str, Value], table: Symbols, bound: Mapping[str, int] | None = None) -> Value:
    """The value of a formula; check its shape before (`shape_of`)."""
    with np.errstate(all="ignore"):  # callers check whether the value is finite
        return _value(node, values, table, bound or {})


def exactly(value: Value | float | Fraction) -> Value:
    """An array of whole numbers or fractions as an array of exact values."""
    given = np.asarray(value, dtype=object)
    made = np.empty(given.size, dtype=object)
    made[:] = [Exact.of(Fraction(each)) for each in given.ravel().tolist()]
    return made.reshape(given.shape or (1, 1, 1, 1))


def is_exact(value: Value) -> bool:
    """Whether a value is an array of exact values."""
    return value.dtype == object


def softmax(logits: Value) -> Value:
    """exp(x_i) / Σ_j exp(x_j) down each column, or along a row vector.

    Subtracts the largest x first, so that nothing overflows; exact values any x, so that equal differences look alike.
    """
    axis = -1 if logits.shape[-2] == 1 else -2
    first = np.take(logits, [0], axis) if is_exact(logits) else logits.max(axis=axis, keepdims=True)
    raised = np.exp(logits - first)
    return raised / raised.sum(axis=axis, keepdims=True)


def _value(node: Node, values: Mapping[str, Value], table: Symbols, bound: Mapping[str, int]) -> Value:
    if node.op == "number":
        exact = is_exact(next(iter(values.values())))
        return exactly(node.leaf) if exact else np.full((1, 1, 1, 1), _float(node.leaf))
    if node.op == "name" and table.is_one(node.leaf):
        return _value(number(1), values, table, bound)
    if node.op == "name":
        return _symbol(node.leaf, values, table, bound)
    if node.op == "same":
        first, second = node.leaf
        return _value(number(int(bound[first] == bound[second])), values, table, bound)
    if node.op == "entries":
        return _entries(node, values, table, bound)
    if node.op in ("each", "product"):
        return _each(node, values, table, bound)
    args = _with_identities(node, [_value(arg, values, table, bound) for arg in node.args], table)
    if node.op == "power":
        return _power(node, *args)
    if node.op != "call":
        return _OPERATIONS[node.op](args)
    try:
        return _FUNCTIONS[node.leaf](args[0])
    except (np.linalg.LinAlgError, ZeroDivisionError):
        raise NoValueError(f"{node}: neither the rows nor the columns of {node.args[0]} are independent") from None


def _float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf")


def _norm(value: Value) -> Value:
    return np.sqrt((value * value).sum(axis=(-2, -1), keepdims=True))


def _diagonal(value: Value) -> Value:
    """A vector as a diagonal matrix."""
    flat = value if value.shape[-2] == 1 else np.swapaxes(value, -1, -2)
    zeros = np.full((flat.shape[-1],) * 2, ZERO if is_exact(value) else 0.0)
    return np.where(np.eye(flat.shape[-1], dtype=bool), flat, zeros)


def _sigmoid(value: Value) -> Value:
    return 1 / (1 + np.exp(-value))


def _pseudo_inverse(value: Value) -> Value:
    """(AᵀA)⁻¹Aᵀ for a matrix with independent columns, Aᵀ(AAᵀ)⁻¹ for one with independent rows."""
    turned = np.swapaxes(value, -1, -2)
    if value.shape[-2] >= value.shape[-1]:
        return _inverse(turned @ value) @ turned
    return turned @ _inverse(value @ turned)


_FUNCTIONS: dict[str, Callable[[Value], Value]] = {
    "exp": np.exp,
    "ln": np.log,
    "sqrt": np.sqrt,
    "softmax": softmax,
    "norm": _norm,
    "sigmoid": _sigmoid,
    "sigmoid'": lambda value: _sigmoid(value) * (1 - _sigmoid(value)),
    "diag": _diagonal,
    "pinv": _pseudo_inverse,
}


def _symbol(name: str, values: Mapping[str, Value], table: Symbols, bound: Mapping[str, int]) -> Value:
    symbol, column = table.find(name, {each: "" for each in bound})
    if column is None:
        return values[symbol]
    place = table.place(symbol, column, bound)
    if place >= values[symbol].shape[-1]:
        raise NoValueError(f"{name}: there are only {values[symbol].shape[-1]} of these vectors")
    return values[symbol][..., place : place + 1]


def _each(node: Node, values: Mapping[str, Value], table: Symbols, bound: Mapping[str, int]) -> Value:
    """A sum or a product over all members of a family but those left out."""
    index, left_out = node.leaf
    size = indexed_size(node, table)
    count = _count(size, values, table)
    skip = {table.members[size].index(each) for each in left_out}
    terms = [
        _value(node.args[0], values, table, {**bound, index: place}) for place in range(count) if place not in skip
    ]
    if terms:
        return _fold(np.add if node.op == "each" else np.multiply, terms)
    empty = 0 * _value(node.args[0], values, table, {**bound, index: 0})
    return empty if node.op == "each" else empty + 1


def _entries(node: Node, values: Mapping[str, Value], table: Symbols, bound: Mapping[str, int]) -> Value:
    """A matrix that is given by its entry: ŷ_i(δ_ij − ŷ_j) at every i and j."""
    (row, rows), (column, columns) = node.leaf

    def entry(i: int, j: int) -> Value:
        return _value(node.args[0], values, table, {**bound, row: i, column: j})

    across, down = (_count(size, values, table) for size in (columns, rows))
    flat = np.broadcast_arrays(*(entry(i, j) for i in range(down) for j in range(across)))
    lines = [np.concatenate(flat[i * across : (i + 1) * across], axis=-1) for i in range(down)]
    return np.concatenate(lines, axis=-2)


def _count(size: str, values: Mapping[str, Value], table: Symbols) -> int:
    """The number that a size is for."""
    if size == "1":
        return 1
    return next(values[each].shape[-1] for each, shape in table.shapes.items() if shape[1] == size and each in values)


def _with_identities(node: Node, terms: list[Value], table: Symbols) -> list[Value]:
    """The terms of a sum, with the identity for I beside a square matrix: I − diag(h). Beside a vector it is 1."""
    if node.op != "add" or not table.elementwise:
        return terms
    rows, columns = np.broadcast_shapes(*(each.shape[-2:] for each in terms))
    if rows != columns:
        return terms
    plain = [each.args[0] if each.op == "negate" else each for each in node.args]
    return [
        term * _diagonal(exactly(np.ones((1, 1, rows, 1))) if is_exact(term) else np.ones((1, 1, rows, 1)))
        if each.op == "name" and table.is_one(each.leaf)
        else term
        for each, term in zip(plain, terms, strict=True)
    ]


def _fold(operation, args: list[Value]) -> Value:
    total = args[0]
    for arg in args[1:]:
        total = operation(total, arg)
    return total


def _multiply(left: Value, right: Value) -> Value:
    """A product of matrices, or of a number and a matrix."""
    numbers = left.shape[-2:] == (1, 1) or right.shape[-2:] == (1, 1)
    return left * right if numbers else left @ right


def _power(node: Node, base: Value, exponent: Value) -> Value:
    if 1 in base.shape[-2:]:  # a number, or in an elementwise problem a vector
        return base**exponent
    power = whole_power(node)
    try:
        factors = [base if power > 0 else _inverse(base)] * abs(power)
        return _fold(_multiply, factors) if factors else base @ _inverse(base)
    except (np.linalg.LinAlgError, ZeroDivisionError):
        raise NoValueError(f"{node}: {node.args[0]} has no inverse") from None


def _inverse(value: Value) -> Value:
    """The inverse of a square matrix; ZeroDivisionError or LinAlgError if there is none."""
    if not is_exact(value):
        return np.linalg.inv(value)
    flat = value.reshape(-1, *value.shape[-2:])
    made = np.empty_like(flat)
    for place, matrix in enumerate(flat):
        made[place] = _exact_inverse(matrix)
    return made.reshape(value.shape)


def _exact_inverse(matrix: NDArray[Any]) -> NDArray[Any]:
    """By elimination (Gauss and Jordan) with exact values."""
    size = len(matrix)
    rows = np.concatenate([matrix, exactly(np.eye(size))], axis=1)
    for place in range(size):
        pivot = next((row for row in range(place, size) if not is_zero(rows[row, place])), None)
        if pivot is None:
            raise ZeroDivisionError
        rows[[place, pivot]] = rows[[pivot, place]]
        rows[place] = rows[place] / rows[place, place]
        for row in range(size):
            if row != place and rows[row, place]:
                rows[row] = rows[row] - rows[row, place] * rows[place]
    return rows[:, size:]


_OPERATIONS: dict[str, Callable[[list[Value]], Value]] = {
    "add": lambda args: _fold(np.add, args),
    "negate": lambda args: -args[0],
    "times": lambda args: _fold(_multiply, args),
    "hadamard": lambda args: _fold(np.multiply, args),
    "over": lambda args: args[0] / args[1],
    "transpose": lambda args: np.swapaxes(args[0], -1, -2),
}
