"""A^t for Aᵀ: the exponent t is a transpose wherever its base is a vector or a matrix, which has no such power."""

from dataclasses import replace

from attnlab.answers.complaints import FormulaError
from attnlab.answers.nodes import Node, name, transpose
from attnlab.answers.shapes import SCALAR, NoValueError, Shape, Symbols, shape_of

SMALL_T = name("t")


def with_transposes(node: Node, table: Symbols, indices: frozenset[str] = frozenset()) -> Node:
    """The formula with Aᵀ for A^t, if A is not a number; `indices` are those of sums and conditions around it."""
    if node.op in ("each", "product"):
        indices |= {node.leaf[0]}
    node = replace(node, args=tuple(with_transposes(each, table, indices) for each in node.args))
    if node.op == "power" and node.args[1] == SMALL_T and _shape(node.args[0], table, indices) not in (None, SCALAR):
        return transpose(node.args[0])
    return node


def _shape(node: Node, table: Symbols, indices: frozenset[str]) -> Shape | None:
    """The shape of a formula; None if it has none, which the check of the answer explains."""
    try:
        return shape_of(node, table, dict.fromkeys(indices, ""))
    except (FormulaError, NoValueError):
        return None
