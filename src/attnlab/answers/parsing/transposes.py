"""Transposes that are written otherwise: A^t for Aᵀ, and k_j · q for k_jᵀ q.

The exponent t is a transpose wherever its base is a vector or a matrix, which has no such power."""

from dataclasses import replace

from attnlab.answers.parsing.complaints import FormulaError
from attnlab.answers.parsing.nodes import Node, name, transpose
from attnlab.answers.parsing.shapes import SCALAR, NoValueError, Shape, Symbols, shape_of

SMALL_T = name("t")


def with_transposes(node: Node, table: Symbols, indices: frozenset[str] = frozenset()) -> Node:
    """The formula with Aᵀ for A^t, if A is not a number; `indices` are those of sums and conditions around it."""
    if node.op in ("each", "product"):
        indices |= {node.leaf[0]}
    node = replace(node, args=tuple(with_transposes(each, table, indices) for each in node.args))
    if node.op == "power" and node.args[1] == SMALL_T and _shape(node.args[0], table, indices) not in (None, SCALAR):
        return transpose(node.args[0])
    return node


def with_inner_products(node: Node, table: Symbols) -> Node:
    """A side of a condition with k_jᵀ q for k_j q: two columns have no other product that is a number."""
    node = replace(node, args=tuple(with_inner_products(each, table) for each in node.args))
    if node.op == "times" and len(node.args) == 2 and all(map(_is_column, node.args, [table] * 2)):
        return replace(node, args=(transpose(node.args[0]), node.args[1]))
    return node


def _is_column(node: Node, table: Symbols) -> bool:
    """Whether a name is that of a vector; an index that is no member's name is that of the condition."""
    if node.op != "name" or not isinstance(node.leaf, str):
        return False
    below = node.leaf.partition("_")[2]
    try:
        rows, columns = shape_of(node, table, {below: ""} if below else {})
    except (FormulaError, NoValueError):
        return False
    return rows != "1" and columns == "1"


def _shape(node: Node, table: Symbols, indices: frozenset[str]) -> Shape | None:
    """The shape of a formula; None if it has none, which the check of the answer explains."""
    try:
        return shape_of(node, table, dict.fromkeys(indices, ""))
    except (FormulaError, NoValueError):
        return None
