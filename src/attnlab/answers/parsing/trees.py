"""From what the parser finds to the parts of an answer: trees of nodes, and conditions."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from lark import Token, Transformer, v_args

from attnlab.answers.parsing.complaints import FormulaError, shown
from attnlab.answers.parsing.indices import Index, quantified_index, sum_index
from attnlab.answers.parsing.names import SMALL_DIGITS, derivative, symbol
from attnlab.answers.parsing.nodes import Node, add, call, hadamard, name, negate, number, over, power, times, transpose

MOST_DEPTH, MOST_WORK = 40, 1_000
MOST_NUMBER, LEAST_NUMBER = 1e15, 1e-300
SUM_OF = 10
"""A sum counts as this many times the work of its body: about as many terms as the instances have."""
HIGH_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
HYPERBOLIC = ("sinh", "cosh", "tanh")
FUNCTIONS = {"√": "sqrt", "log": "ln", "σ": "sigmoid", "sigma": "sigmoid"}


@dataclass(frozen=True)
class Equation:
    """left = right; the left side is "" if there is none. A chain, M = A Aᵀ = …, has more right sides."""

    left: str
    right: Node
    also: tuple[Node, ...] = ()
    least: bool = False
    """Whether it says left ≥ right."""


@dataclass(frozen=True)
class Declared:
    """A constant that goes to infinity, or to 0."""

    name: str
    large: bool


@dataclass(frozen=True)
class Condition:
    """left ≫ right, for all members of an index, if it has one, except those left out."""

    left: Node
    right: Node
    index: str = ""
    left_out: tuple[str, ...] = ()
    far: bool = True
    """Whether it says ≫; otherwise >."""

    def __str__(self) -> str:
        every = f" for all {self.index}" if self.index else ""
        but = f" ≠ {', '.join(self.left_out)}" if self.left_out else ""
        return f"{self.left} {'≫' if self.far else '>'} {self.right}{every}{but}"


@dataclass(frozen=True)
class Quantifier:
    """For all members of an index, except those left out: it belongs to the conditions before it."""

    index: Index


Part = Equation | Declared | Condition | Quantifier


def to_parts(read: Callable[[str], Node]) -> Transformer[Token, list[Part]]:
    """What turns the parser's findings into parts; `read` reads a formula inside of another."""
    return _ToParts(read)


@v_args(inline=True)
class _ToParts(Transformer[Token, list[Part]]):
    """Builds nodes as the parser finds them, and raises if a formula gets too large."""

    def __init__(self, read: Callable[[str], Node]):
        super().__init__()
        self._read = read

    def start(self, *parts: list[Part]) -> list[Part]:
        return [each for part in parts for each in part]

    def equation(self, *sides: Any) -> list[Part]:
        if sides[0].op != "name" and sides[-1].op == "name":  # A Aᵀ = M
            sides = sides[::-1]
        named = next((place for place, side in enumerate(sides) if side.op != "name"), len(sides) - 1)
        if not named:
            raise FormulaError(f"expected a name on the left of =, got {shown(str(sides[0]))}")
        right, *also = map(_bounded, sides[named:])
        return [Equation(side.leaf, right, tuple(also)) for side in sides[:named]]

    def at_least(self, left: Token, right: Node) -> list[Part]:
        return [Equation(symbol(left), _bounded(right), least=True)]

    def expression(self, right: Node) -> list[Part]:
        return [Equation("", _bounded(right))]

    def grows(self, constant: Token) -> list[Part]:
        return [Declared(symbol(constant), large=True)]

    def shrinks(self, constant: Token) -> list[Part]:
        return [Declared(symbol(constant), large=False)]

    def said(self) -> list[Part]:
        return []

    def nothing(self, _: Token) -> list[Part]:
        return []

    def far_above(self, *sides: Node) -> list[Part]:
        return [_compared(left, right, far=True) for left, right in pairwise(sides)]

    def far_below(self, *sides: Node) -> list[Part]:
        return self.far_above(*reversed(sides))

    def above(self, left: Node, right: Node) -> list[Part]:
        return [_compared(left, right, far=False)]

    def below(self, left: Node, right: Node) -> list[Part]:
        return self.above(right, left)

    def quantified(self, parts: list[Part], written: Token) -> list[Part]:
        return [*parts, Quantifier(quantified_index(written))]

    def quantifier(self, written: Token) -> list[Part]:
        return [Quantifier(quantified_index(written))]

    def number(self, token: Token) -> Node:
        return number(_exact(token))

    def negative_number(self, token: Token) -> Node:
        return negate(number(_exact(token)))

    def name(self, token: Token) -> Node:
        return name(_named(token))

    def negative_name(self, token: Token) -> Node:
        return negate(name(symbol(token)))

    def turned(self, token: Token) -> Node:
        base = re.split(r"\s*[\^ᵀ]", token, maxsplit=1)[0]
        index = re.search(r"_(.+)$|[(\[]\s*(\d+)", token)
        assert index is not None  # the grammar has seen it
        return transpose(name(symbol(f"{base}_{index[1] or index[2]}")))

    def same(self, token: Token) -> Node:
        plain = token.translate(SMALL_DIGITS)
        first, second = re.sub(r"delta|math(?:bb|bf)|[^a-z]", "", plain)
        return Node("same", leaf=(first, second))

    def fraction(self, token: Token) -> Node:
        if token[0] == "\\":
            top, bottom = re.findall(r"\d", token)
        else:
            top, _, bottom = unicodedata.normalize("NFKC", token).partition("⁄")
        return over(number(int(top)), number(int(bottom)))

    def superscript(self, base: Node, token: Token) -> Node:
        whole = int(_exact(token.translate(HIGH_DIGITS)))
        return power(base, number(whole) if whole >= 0 else negate(number(-whole)))

    def superscript_of_name(self, base: Token, token: Token) -> Node:
        return self.superscript(name(symbol(base)), token)

    def power_of_name(self, base: Token, exponent: Node) -> Node:
        return power(name(symbol(base)), exponent)

    def call(self, function: Token, argument: Node) -> Node:
        called = re.sub(r"\\(?:operatorname\*?|mathrm|text|mathsf|mathbf|prime)|[\\{}\s^]", "", function)
        if called == "transpose":
            return transpose(argument)
        if called == "inv":
            return power(argument, negate(number(1)))
        if called in HYPERBOLIC:
            up, down = (power(name("e"), each) for each in (argument, negate(argument)))
            sinh, cosh = (over(add(up, each), number(2)) for each in (negate(down), down))
            return {"sinh": sinh, "cosh": cosh, "tanh": over(sinh, cosh)}[called]
        if called.startswith(("σ", "sigma")):
            turned = "'" in function or "′" in function or "prime" in function
            return call("sigmoid'" if turned else "sigmoid", argument)
        return call(FUNCTIONS.get(called, called), argument)

    def root(self, sign: Token, argument: Node) -> Node:
        degree = {"∛": "3", "∜": "4"}.get(sign) or sign[sign.index("[") + 1 : -1]
        return power(argument, over(number(1), self._read(degree)))

    def log_of_base(self, sign: Token, argument: Node) -> Node:
        base = re.sub(r"\\?log|[_{}\s]", "", sign)
        return self.logarithm(self._read(base), argument)

    def logarithm(self, base: Node, argument: Node) -> Node:
        return over(call("ln", argument), call("ln", base))

    def inner(self, first: Node, second: Node) -> Node:
        return times(transpose(first), second)

    def norm(self, token: Token) -> Node:
        inside = re.sub(r"_\s*(2|\{2\})$", "", token).strip()
        inside = re.sub(r"^(‖|\\\||\|\||\||\\l?Vert|\\lvert)|(‖|\\\||\|\||\||\\r?Vert|\\rvert)$", "", inside)
        return call("norm", self._read(inside))

    def each(self, sign: Token, body: Node) -> Node:
        return Node("each", (body,), sum_index(sign, body))

    def each_factor(self, sign: Token, body: Node) -> Node:
        return Node("product", (body,), sum_index(sign, body))

    def largest(self, sign: Token, body: Node) -> Node:
        return Node("max", (body,), sum_index(sign, body))

    def negate(self, term: Node) -> Node:
        return negate(term)

    def add(self, *terms: Node) -> Node:
        return add(*terms)

    def subtract(self, first: Node, second: Node) -> Node:
        return add(first, negate(second))

    def hadamard(self, *factors: Node) -> Node:
        return hadamard(*factors)

    def times(self, *factors: Node) -> Node:
        return times(*factors)

    def times_minus(self, first: Node, second: Node) -> Node:
        return negate(times(first, second))

    def over(self, top: Node, bottom: Node) -> Node:
        return over(top, bottom)

    def over_minus(self, top: Node, bottom: Node) -> Node:
        return negate(over(top, bottom))

    def power(self, base: Node, exponent: Node) -> Node:
        return power(base, exponent)

    def transpose(self, base: Node, _: Token) -> Node:
        return transpose(base)

    def pseudoinverse(self, base: Node) -> Node:
        return call("pinv", base)


def _compared(left: Node, right: Node, *, far: bool) -> Part:
    """A constant that is large or small, or a condition."""
    if left.op == "name" and right.op == "number":
        return Declared(left.leaf, large=True)
    if far and left.op == "number" and right.op == "name":
        return Declared(right.leaf, large=False)
    index, left_out = "", ()
    if right.op == "max" and right.leaf[1]:  # far above the largest is far above each
        (index, left_out), right = right.leaf, right.args[0]
    return Condition(_bounded(left), _bounded(right), index, left_out, far)


def _named(token: Token) -> str:
    """The name that a token is for."""
    return derivative(token) if "DERIVATIVE" in token.type else symbol(token)


def _exact(written: str) -> Fraction:
    """The number, exactly; raises if it is too large or too small."""
    size = abs(float(written))  # first: an exponent of a million would take long to compute exactly
    if size > MOST_NUMBER or (size < LEAST_NUMBER and re.search("[1-9]", re.split("[eE]", written)[0])):
        raise FormulaError(f"expected 0 or a number from {LEAST_NUMBER:g} to {MOST_NUMBER:g}, got {shown(written)}")
    return Fraction(written) if size else Fraction(0)


def _bounded(root: Node) -> Node:
    """The formula; raises if it is larger or deeper than any formula that people write."""
    work, stack = 0, [(root, 1, 1)]
    while stack:
        node, depth, times_done = stack.pop()
        work += times_done
        if node.op == "max":
            raise FormulaError("expected max only in a condition such as k_jᵀ q ≫ max_{i≠j} k_iᵀ q")
        if depth > MOST_DEPTH:
            raise FormulaError(f"expected a formula nested at most {MOST_DEPTH} deep, got a deeper formula")
        if work > MOST_WORK:
            raise FormulaError(f"expected a formula of at most {MOST_WORK} operations, got a longer formula")
        repeated = times_done * (SUM_OF if node.op in ("each", "product") else 1)
        stack += [(arg, depth + 1, repeated) for arg in node.args]
    return root
