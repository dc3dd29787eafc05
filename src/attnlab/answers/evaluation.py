"""The value of a formula, for many constants and draws at once.

Every value is an array of shape (constants, draws, rows, columns). Each of the first two sizes is the count or 1, so
numpy's broadcasting does the loops. Numbers are 1×1, vectors d×1.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attnlab.answers.nodes import Node
from attnlab.answers.shapes import NoValueError, Table, indexed_size, whole_power

Value = NDArray[np.float64]


def evaluate(node: Node, values: Mapping[str, Value], table: Table, bound: Mapping[str, int] | None = None) -> Value:
    """The value of a formula; check its shape before (`shape_of`)."""
    with np.errstate(all="ignore"):  # callers check whether the value is finite
        return _value(node, values, table, bound or {})


def softmax(logits: Value) -> Value:
    """exp(x_i) / Σ_j exp(x_j) down each column; subtracts the largest x first, so that nothing overflows."""
    raised = np.exp(logits - logits.max(axis=-2, keepdims=True))
    return raised / raised.sum(axis=-2, keepdims=True)


def _value(node: Node, values: Mapping[str, Value], table: Table, bound: Mapping[str, int]) -> Value:
    if node.op == "number":
        return np.full((1, 1, 1, 1), float(node.leaf))
    if node.op == "name":
        return _symbol(node.leaf, values, table, bound)
    if node.op == "each":
        return _each(node, values, table, bound)
    args = [_value(arg, values, table, bound) for arg in node.args]
    if node.op == "power":
        return _power(node, *args)
    return _FUNCTIONS[node.leaf](args[0]) if node.op == "call" else _OPERATIONS[node.op](args)


_FUNCTIONS = {
    "exp": np.exp,
    "ln": np.log,
    "sqrt": np.sqrt,
    "softmax": softmax,
    "norm": lambda value: np.linalg.norm(value, axis=(-2, -1), keepdims=True),
}


def _symbol(name: str, values: Mapping[str, Value], table: Table, bound: Mapping[str, int]) -> Value:
    symbol, column = table.find(name, {each: "" for each in bound})
    if column is None:
        return values[symbol]
    place = bound[column] if column in bound else table.members[table.shapes[symbol][1]].index(column)
    return values[symbol][..., place : place + 1]


def _each(node: Node, values: Mapping[str, Value], table: Table, bound: Mapping[str, int]) -> Value:
    index, left_out = node.leaf
    size = indexed_size(node, table)
    count = int(values[size].item())
    skip = {table.members[size].index(each) for each in left_out}
    terms = [
        _value(node.args[0], values, table, {**bound, index: place}) for place in range(count) if place not in skip
    ]
    return _fold(np.add, terms) if terms else 0 * _value(node.args[0], values, table, {**bound, index: 0})


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
    if base.shape[-2:] == (1, 1):
        return base**exponent
    try:
        return np.linalg.matrix_power(base, whole_power(node))
    except np.linalg.LinAlgError:
        raise NoValueError(f"{node}: {node.args[0]} has no inverse") from None


_OPERATIONS = {
    "add": lambda args: _fold(np.add, args),
    "negate": lambda args: -args[0],
    "times": lambda args: _fold(_multiply, args),
    "over": lambda args: args[0] / args[1],
    "transpose": lambda args: np.swapaxes(args[0], -1, -2),
}
