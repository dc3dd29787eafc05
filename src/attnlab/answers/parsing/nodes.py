"""A formula as a tree, and as text again.

Every node is an operation on other nodes, so that an edit can walk the tree without special cases:

number  leaf: a Fraction         name   leaf: the symbol, k_a       call  leaf: the function; one argument
add, times, hadamard  two or more    over, power  two               negate, transpose  one
each, product  leaf: (index, members left out); one argument, the body of a sum or a product: Σ_{i≠a} k_i
same    leaf: two indices; δ_ij, which is 1 if they are equal and 0 otherwise
entries leaf: (index, size) of the rows and of the columns; one argument, the entry at these indices
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Node:
    """An operation on other nodes; a leaf has a value instead of arguments."""

    op: str
    args: tuple["Node", ...] = ()
    leaf: Any = None

    def walk(self, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], "Node"]]:
        """Every node with its path, the outermost first."""
        yield path, self
        for place, arg in enumerate(self.args):
            yield from arg.walk((*path, place))

    def put(self, path: tuple[int, ...], node: "Node") -> "Node":
        """The tree with another node at that path."""
        if not path:
            return node
        args = list(self.args)
        args[path[0]] = args[path[0]].put(path[1:], node)
        tidy = _TIDY.get(self.op)
        return tidy(*args) if tidy else replace(self, args=tuple(args))

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset([self.leaf] if self.op == "name" else ()).union(*(arg._names for arg in self.args))

    def names(self) -> frozenset[str]:
        """The names in the formula."""
        return self._names

    def size(self) -> int:
        """The number of nodes."""
        return sum(1 for _ in self.walk())

    def __str__(self) -> str:
        from attnlab.answers.parsing.writing import text  # it needs the nodes

        return text(self)


def number(value: Fraction | float) -> Node:
    """A number, exactly; a float is the shortest decimal that reads as it, so number(0.1) is 1/10."""
    return Node("number", leaf=Fraction(repr(value)) if isinstance(value, float) else Fraction(value))


def name(symbol: str) -> Node:
    """A symbol."""
    return Node("name", leaf=symbol)


def times(*factors: Node) -> Node:
    """A product, with nested products flattened and factors 1 left out."""
    kept: list[Node] = []
    for factor in factors:
        kept += factor.args if factor.op == "times" else [factor] if factor != ONE else []
    return kept[0] if len(kept) == 1 else Node("times", tuple(kept)) if kept else ONE


def add(*terms: Node) -> Node:
    """A sum, with nested sums flattened."""
    flat = [each for term in terms for each in (term.args if term.op == "add" else (term,))]
    return flat[0] if len(flat) == 1 else Node("add", tuple(flat))


def negate(term: Node) -> Node:
    """The negative; −(−x) becomes x."""
    return term.args[0] if term.op == "negate" else Node("negate", (term,))


def transpose(node: Node) -> Node:
    """The transpose; (xᵀ)ᵀ becomes x."""
    return node.args[0] if node.op == "transpose" else Node("transpose", (node,))


def power(base: Node, exponent: Node) -> Node:
    """A power; x¹ becomes x."""
    return base if exponent == ONE else Node("power", (base, exponent))


def over(top: Node, bottom: Node) -> Node:
    """A fraction."""
    return Node("over", (top, bottom))


def hadamard(*factors: Node) -> Node:
    """An elementwise product, with nested ones flattened."""
    flat = [each for factor in factors for each in (factor.args if factor.op == "hadamard" else (factor,))]
    return flat[0] if len(flat) == 1 else Node("hadamard", tuple(flat))


def call(function: str, argument: Node) -> Node:
    """A function of one argument."""
    return Node("call", (argument,), function)


ONE = number(1)
_TIDY = {"add": add, "times": times, "hadamard": hadamard, "negate": negate, "transpose": transpose, "power": power}
