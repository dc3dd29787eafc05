"""Formulas from text: `q = C(k_a + k_b)`, `M = A A^T`, `q = \\frac{t}{2}(u_a+u_b), t \\gg 0`.

The grammar is `grammar.lark`. The result is data, a tree of `Node`; no code from a formula is ever executed.
"""

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput, v_args

from attnlab.answers.complaints import complaint, shown
from attnlab.answers.names import plain_letter, symbol
from attnlab.answers.nodes import Node, add, name, negate, number, power, times, transpose
from attnlab.errors import AttnlabError

MOST_CHARACTERS, MOST_DEPTH, MOST_WORK = 1_000, 40, 1_000
MOST_NUMBER, LEAST_NUMBER = 1e15, 1e-300
SUM_OF = 10
"""A sum counts as this many times the work of its body: about as many terms as the instances have."""

HIGH_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
UNLIKE = r"(?:≠|!=|\\neq?|\\not=|∉|\\notin|notin)"
EXCEPT = re.compile(rf"^([A-Za-z])(?:=1,?)?(?:\1?{UNLIKE}(.*))?$")
LARGE_WORDS = re.compile(
    r"""[\s,;.(]*(?:\\q?quad|\\[,;:\ ])*\s*(?:\\text\{\s*)?(?:where|with|for|as|and|when|if)?[\s}]*
    (?:large\s+(?P<after>\\?[A-Za-zα-ω]\w*)
    |(?P<before>\\?[A-Za-zα-ω]\w*)\s*(?:is\s+(?:very\s+)?large|large
      |(?:≫|>>|>|\\gg(?![a-z]))\s*[\w.]+|(?:→|->|\\to|\\rightarrow)\s*(?:∞|\\infty|inf\w*)))\s*[).$\s]*$""",
    re.VERBOSE,
)


class FormulaError(AttnlabError):
    """A formula that cannot be read: where, what was expected, and what is there."""


class UnknownSymbolError(FormulaError):
    """A formula with a name that is not a symbol of the problem."""

    def __init__(self, name: str, message: str):
        super().__init__(message)
        self.name = name


@dataclass(frozen=True)
class Answer:
    """An answer: an expression for each unknown, and the constants that it says are large.

    An expression without a left side has the key "", since only the problem knows which unknown it is for.
    """

    expressions: dict[str, Node]
    large: frozenset[str]

    def __str__(self) -> str:
        return ", ".join(f"{left} = {right}" if left else f"{right}" for left, right in self.expressions.items())


def parse(*texts: str, form: str = "q = C(k_a + k_b)") -> Answer:
    """Read one formula or several. `form` is the form of an answer, for error messages.

    >>> print(parse(r"q = \\frac{t}{2}(u_a+u_b)"), "and", parse("V = (u_b u_b^T - u_c u_c^T)/β²"))
    q = (t/2)(u_a + u_b) and V = (u_b u_bᵀ − u_c u_cᵀ)/β²
    """
    expressions: dict[str, Node] = {}
    large: set[str] = set()
    for text in texts:
        for left, right in _parts(text, form):
            if right is None:
                large.add(left)
            elif left in expressions:
                raise FormulaError(f"{left or 'the answer'} is given twice: {shown(text)}")
            else:
                expressions[left] = right
    if not expressions:
        raise FormulaError(f"expected a formula such as {form}, got only a condition")
    return Answer(expressions, frozenset(large))


def parse_expression(text: str) -> Node:
    """Read the right side of a formula alone."""
    answer = parse(text)
    if list(answer.expressions) != [""]:
        raise FormulaError(f"expected an expression without =, got {shown(text)}")
    return answer.expressions[""]


def _parts(text: str, form: str) -> list[tuple[str, Node | None]]:
    if len(text) > MOST_CHARACTERS:
        raise FormulaError(f"expected a formula of at most {MOST_CHARACTERS} characters, got {len(text):,}")
    text, large = _said_large("".join(plain_letter(letter) for letter in text))
    if not text.strip():
        raise FormulaError(f"expected a formula such as {form}, got an empty text")
    parts: list[tuple[str, Node | None]] = [(name, None) for name in large]
    for line in _equations(text):
        try:
            parts += _parser().parse(line)  # pyright: ignore[reportOperatorIssue] (the transformer makes a list)
        except UnexpectedInput as error:
            raise FormulaError(complaint(error, line)) from None
    return parts


def _said_large(text: str) -> tuple[str, list[str]]:
    """The text without conditions at its end, such as "where C is large" or ", C ≫ 0", and the constants in them."""
    large: list[str] = []
    text = text.rstrip(" .\n\t")
    while found := LARGE_WORDS.search(text):
        if "=" not in text[: found.start()] and not text[: found.start()].strip():
            break
        large.append(symbol(found["after"] or found["before"]))
        text = text[: found.start()].rstrip(" .,;\n\t")
    return text, large


def _equations(text: str) -> list[str]:
    """The lines of a text; a line without = is joined to the line before."""
    lines: list[str] = []
    for line in text.split("\n"):
        if lines and "=" not in line:
            lines[-1] += f" {line}"
        elif line.strip():
            lines.append(line)
    return lines


@cache
def _parser() -> Lark:
    grammar = files("attnlab.answers").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", transformer=_ToNodes())


@v_args(inline=True)
class _ToNodes(Transformer[Token, list[tuple[str, Node | None]]]):
    """Builds nodes as the parser finds them, and raises if a formula gets too large."""

    def start(self, *parts: list[tuple[str, Node | None]]) -> list[tuple[str, Node | None]]:
        return [each for part in parts for each in part]

    def equation(self, *sides: Any):
        *left, right = sides
        return [(symbol(each), _bounded(right)) for each in left]

    def expression(self, right: Node):
        return [("", _bounded(right))]

    def large(self, constant: Token, _: Token):
        return [(symbol(constant), None)]

    def number(self, token: Token) -> Node:
        return number(_exact(token))

    def negative_number(self, token: Token) -> Node:
        return negate(number(_exact(token)))

    def name(self, token: Token) -> Node:
        return name(symbol(token))

    def negative_name(self, token: Token) -> Node:
        return negate(name(symbol(token)))

    def fraction(self, token: Token) -> Node:
        if token[0] == "\\":
            top, bottom = re.findall(r"\d", token)
            return Node("over", (number(int(top)), number(int(bottom))))
        top, _, bottom = unicodedata.normalize("NFKC", token).partition("⁄")
        return Node("over", (number(int(top)), number(int(bottom))))

    def superscript(self, base: Node, token: Token) -> Node:
        whole = int(_exact(token.translate(HIGH_DIGITS)))
        return power(base, number(whole) if whole >= 0 else negate(number(-whole)))

    def call(self, function: Token, argument: Node) -> Node:
        called = re.sub(r"\\operatorname|[\\{}]", "", function)
        if called == "transpose":
            return transpose(argument)
        if called == "inv":
            return Node("power", (argument, negate(number(1))))
        return Node("call", (argument,), {"√": "sqrt", "log": "ln"}.get(called, called))

    def norm(self, token: Token) -> Node:
        inside = re.sub(r"_\s*(2|\{2\})$", "", token).strip()
        inside = re.sub(r"^(‖|\\\||\|\||\||\\l?Vert)|(‖|\\\||\|\||\||\\r?Vert)$", "", inside)
        return Node("call", (parse_expression(inside),), "norm")

    def each(self, sigma: Token, body: Node) -> Node:
        return Node("each", (body,), _index(sigma))

    def negate(self, term: Node) -> Node:
        return negate(term)

    def add(self, *terms: Node) -> Node:
        return add(*terms)

    def subtract(self, first: Node, second: Node) -> Node:
        return add(first, negate(second))

    def times(self, *factors: Node) -> Node:
        return times(*factors)

    def times_minus(self, first: Node, second: Node) -> Node:
        return negate(times(first, second))

    def over(self, top: Node, bottom: Node) -> Node:
        return Node("over", (top, bottom))

    def over_minus(self, top: Node, bottom: Node) -> Node:
        return negate(Node("over", (top, bottom)))

    def power(self, base: Node, exponent: Node) -> Node:
        return power(base, exponent)

    def transpose(self, base: Node, _: Token) -> Node:
        return transpose(base)


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
        if depth > MOST_DEPTH:
            raise FormulaError(f"expected a formula nested at most {MOST_DEPTH} deep, got a deeper formula")
        if work > MOST_WORK:
            raise FormulaError(f"expected a formula of at most {MOST_WORK} operations, got a longer formula")
        repeated = times_done * (SUM_OF if node.op == "each" else 1)
        stack += [(arg, depth + 1, repeated) for arg in node.args]
    return root


def _index(sigma: str) -> tuple[str, tuple[str, ...]]:
    """The index of a sum, and the members that it leaves out: ("i", ("a", "b")) for Σ_{i≠a,b}."""
    inside = re.sub(r"\s|\\limits|\\[,;: ]", "", sigma).partition("_")[2]
    upper = re.search(r"\^(\{[^{}]*\}|\w)$", inside)
    inside = inside[: upper.start()] if upper else inside
    inside = inside[1:-1] if inside.startswith("{") else inside
    found = EXCEPT.match(inside)
    if not found or (upper and not re.fullmatch(r"\{?[A-Za-z]\}?", upper[1])):
        raise FormulaError(f"expected a sum over all members, such as Σ_i or Σ_{{i≠a,b}}, got {shown(sigma)}")
    left_out = re.sub(rf"{found[1]}?{UNLIKE}", "", found[2] or "")
    return found[1], tuple(re.findall(r"[A-Za-z0-9]+", left_out))
