"""A formula as a tree, and as text again.

Every node is an operation on other nodes, so that an edit can walk the tree without special cases:

number  leaf: a Fraction         name   leaf: the symbol, k_a       call  leaf: the function; one argument
add, times  two or more          over, power  two                   negate, transpose  one
each    leaf: (index, members left out); one argument, the body of a sum: Σ_{i≠a} k_i
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from functools import cached_property
from typing import Any

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# How tightly an operation binds: a looser operation inside a tighter one needs brackets.
BINDING = {"add": 0, "negate": 1, "each": 2, "times": 2, "over": 2, "power": 4, "transpose": 4}
ATOM = 5
VULGAR = {(1, 2): "½", (1, 3): "⅓", (2, 3): "⅔", (1, 4): "¼", (3, 4): "¾"}
EXACTLY = Context(prec=2_000, traps=[Inexact])
PLAIN_DIGITS = 10
"""Numbers with more zeros than this are written with an exponent: 1e-30."""


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
        return _text(self)


def number(value: Fraction | float) -> Node:
    """A number, exactly; a float is the shortest decimal that reads as it, so number(0.1) is 1/10."""
    return Node("number", leaf=Fraction(repr(value)) if isinstance(value, float) else Fraction(value))


def name(symbol: str) -> Node:
    """A symbol."""
    return Node("name", leaf=symbol)


def times(*factors: Node) -> Node:
    """A product, with nested products flattened and factors 1 left out."""
    flat = [each for factor in factors for each in (factor.args if factor.op == "times" else (factor,))]
    kept = [factor for factor in flat if factor != number(1)] or [number(1)]
    return kept[0] if len(kept) == 1 else Node("times", tuple(kept))


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
    return base if exponent == number(1) else Node("power", (base, exponent))


_TIDY = {"add": add, "times": times, "negate": negate, "transpose": transpose, "power": power}


def _text(node: Node) -> str:
    """The node as people write it."""
    return _WRITERS[node.op](node)


def _number(node: Node) -> str:
    """All digits of a number; a fraction if they never end."""
    value: Fraction = node.leaf
    try:
        decimal = EXACTLY.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(EXACTLY)
    except Inexact:
        return f"({value})"
    if abs(decimal.adjusted()) < PLAIN_DIGITS:
        return f"{decimal:f}"
    return f"{decimal:e}".replace("e+", "e")


def _sum(node: Node) -> str:
    first, *rest = node.args
    return _inside(first, 1) + "".join(
        f" − {_inside(each.args[0], 2)}" if each.op == "negate" else f" + {_inside(each, 1)}" for each in rest
    )


def _quotient(node: Node) -> str:
    if all(each.op == "number" for each in node.args):
        simple = VULGAR.get((node.args[0].leaf, node.args[1].leaf))
        if simple:
            return simple
    return f"{_inside(node.args[0], 3, top=True)}/{_inside(node.args[1], 3)}"


def _inside(node: Node, binding: int, top: bool = False) -> str:
    """The text of an argument, in brackets if it binds less tightly than `binding`."""
    text = _text(node)
    own = ATOM if text in VULGAR.values() else BINDING.get(node.op, ATOM)
    if node.op == "number" and node.leaf < 0:
        own = 1
    if top and node.op == "times" and not any(factor.op in ("over", "each") for factor in node.args):
        own = 3  # 2C/3 needs no brackets
    return text if own >= binding else f"({text})"


def _norm_or_call(node: Node) -> str:
    inner = _text(node.args[0])
    return f"‖{inner}‖" if node.leaf == "norm" else f"{node.leaf}({inner})"


def _product(node: Node) -> str:
    """Factors side by side, with a space only between letters or digits."""
    text = ""
    for place, factor in enumerate(node.args):
        last = place == len(node.args) - 1
        # Without brackets it would be unclear what a division in a product divides.
        fraction = factor.op == "over" and str(factor) not in VULGAR.values()
        loose = factor.op == "negate" or (factor.op == "each" and not last) or fraction
        piece = f"({_text(factor)})" if loose else _inside(factor, 2)
        digit = piece[:1].isdigit() and bool(text)
        text += "·" * digit + " " * (not digit and bool(text) and piece[0] != "(" and text[-1] != "(") + piece
    return _tight(text)


def _tight(text: str) -> str:
    """The text without the space between a number and the name after it: 2C."""
    head, space, tail = text.partition(" ")
    number_first = head.replace(".", "", 1).isdigit() and tail[:1].isalpha() and tail[:1] not in "eE"
    return head + tail if space and number_first else text


def _raised(node: Node) -> str:
    base, exponent = node.args
    plain = exponent.args[0] if exponent.op == "negate" else exponent
    whole = plain.op == "number" and plain.leaf >= 0 and plain.leaf.denominator == 1
    if whole:
        raised = f"{'-' * (exponent.op == 'negate')}{plain.leaf.numerator}".translate(SUPERSCRIPTS)
    else:
        raised = f"^{_text(exponent)}" if exponent.op == "name" else f"^{{{_text(exponent)}}}"
    return f"{_inside(base, ATOM)}{raised}"


def _sigma(node: Node) -> str:
    index, left_out = node.leaf
    under = f"{index}≠{','.join(left_out)}" if left_out else index
    return f"Σ_{{{under}}} {_inside(node.args[0], 2)}" if left_out else f"Σ_{under} {_inside(node.args[0], 2)}"


_WRITERS = {
    "number": _number,
    "name": lambda node: node.leaf,
    "call": _norm_or_call,
    "add": _sum,
    "negate": lambda node: f"−{_inside(node.args[0], 2)}",
    "times": _product,
    "over": _quotient,
    "transpose": lambda node: f"{_inside(node.args[0], ATOM)}ᵀ",
    "power": _raised,
    "each": _sigma,
}
