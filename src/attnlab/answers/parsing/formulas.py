"""Formulas from text: `q = C(k_a + k_b)`, `M = A A^T`, `q = \\frac{t}{2}(u_a+u_b), t \\gg 0`.

The grammar is `grammar.lark`. The result is data, a tree of `Node`; no code from a formula is ever executed.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files

from lark import Lark, UnexpectedInput

from attnlab.answers.parsing.complaints import FormulaError, complaint, shown
from attnlab.answers.parsing.complaints import UnknownSymbolError as UnknownSymbolError
from attnlab.answers.parsing.names import plain_letter
from attnlab.answers.parsing.nodes import Node, name, times
from attnlab.answers.parsing.prose import clauses
from attnlab.answers.parsing.trees import Condition, Declared, Equation, Part, Quantifier, to_parts

MOST_CHARACTERS = 1_000


@dataclass(frozen=True)
class Answer:
    """An answer: an expression for each unknown, the constants that it says are large or small, and conditions.

    An expression without a left side has the key "", since only the problem knows which unknown it is for.
    """

    expressions: dict[str, Node]
    large: frozenset[str] = frozenset()
    small: frozenset[str] = frozenset()
    conditions: tuple[Condition, ...] = ()
    chains: dict[str, tuple[Node, ...]] = field(default_factory=dict)
    """The further right sides of a chain such as M = A Aᵀ = …, which must hold, too."""
    least: frozenset[str] = frozenset()
    """The left sides that stand before ≥: the answer is the least value."""
    every: frozenset[str] = frozenset()
    """The letters in "for all": constants, or indices."""

    def links(self) -> list["Answer"]:
        """The answer with each further right side of a chain in place of the first one."""
        return [
            replace(self, expressions=self.expressions | {left: right}, chains={})
            for left, also in self.chains.items()
            for right in also
        ]

    def __str__(self) -> str:
        equations = [f"{left} = {right}" if left else f"{right}" for left, right in self.expressions.items()]
        return ", ".join([*equations, *map(str, self.conditions)])


def parse(*texts: str, form: str = "q = C(k_a + k_b)") -> Answer:
    """Read one formula or several. `form` is the form of an answer, for error messages.

    >>> print(parse(r"q = \\frac{t}{2}(u_a+u_b)"), "and", parse("V = (u_b u_b^T - u_c u_c^T)/β²"))
    q = (t/2)(u_a + u_b) and V = (u_b u_bᵀ − u_c u_cᵀ)/β²
    >>> parse("q = k_j/s, s → 0").small, str(parse("k_j^T q ≫ k_i^T q for all i ≠ j"))
    (frozenset({'s'}), 'k_jᵀ q ≫ k_iᵀ q for all i ≠ j')
    """
    expressions: dict[str, Node] = {}
    declared: dict[bool, set[str]] = {True: set(), False: set()}
    conditions: list[Condition] = []
    chains: dict[str, tuple[Node, ...]] = {}
    least: set[str] = set()
    every: set[str] = set()
    for text in texts:
        for part in _parts(text, form):
            match part:
                case Equation(left, right) if left in expressions:
                    raise FormulaError(f"{left or 'the answer'} is given twice: {shown(text)}")
                case Equation(left, right, also):
                    expressions[left] = right
                    least |= {left} if part.least else set()
                    chains |= {left: also} if also else {}
                case Declared(constant, large):
                    declared[large].add(constant)
                case Condition():
                    conditions.append(part)
                case Quantifier((index, left_out)):
                    every.add(index)
                    conditions = [
                        each if each.index else replace(each, index=index, left_out=left_out) for each in conditions
                    ]
    if not expressions and not conditions:
        raise FormulaError(f"expected a formula such as {form}, got only a condition")
    if "σ" in declared[True] | declared[False]:
        expressions = {left: _with_sigma(right) for left, right in expressions.items()}
        chains = {left: tuple(map(_with_sigma, also)) for left, also in chains.items()}
    large, small = frozenset(declared[True]), frozenset(declared[False])
    return Answer(expressions, large, small, tuple(conditions), chains, frozenset(least), frozenset(every))


def parse_expression(text: str) -> Node:
    """Read the right side of a formula alone."""
    answer = parse(text)
    if list(answer.expressions) != [""] or answer.conditions:
        raise FormulaError(f"expected an expression without =, got {shown(text)}")
    return answer.expressions[""]


def _parts(text: str, form: str) -> list[Part]:
    if len(text) > MOST_CHARACTERS:
        raise FormulaError(f"expected a formula of at most {MOST_CHARACTERS} characters, got {len(text):,}")
    parts: list[Part] = []
    for line in clauses("".join(plain_letter(letter) for letter in text)):
        try:
            parts += _parser().parse(line)  # pyright: ignore[reportOperatorIssue] (the transformer makes a list)
        except UnexpectedInput as error:
            raise FormulaError(complaint(error, line)) from None
    if not parts:
        raise FormulaError(f"expected a formula such as {form}, got an empty text")
    return _with_lists(parts)


def _with_lists(parts: list[Part]) -> list[Part]:
    """The parts of an answer, with every constant of a list declared: C_1, C_2 ≫ 0."""
    for place in range(len(parts) - 2, 0, -1):
        part, after = parts[place], parts[place + 1]
        if not isinstance(part, Equation) or part.left or part.right.op != "name":
            continue
        if isinstance(after, Declared):
            parts[place] = Declared(part.right.leaf, after.large)
        elif isinstance(after, Condition) and after.left.op == "name":
            parts[place] = replace(after, left=part.right)
    return parts


def _with_sigma(formula: Node) -> Node:
    """σ(x) as σ times x, since the answer says that σ is a constant."""
    for path, node in reversed(list(formula.walk())):
        if node.op == "call" and node.leaf == "sigmoid":
            formula = formula.put(path, times(name("σ"), node.args[0]))
    return formula


@cache
def _parser() -> Lark:
    grammar = files("attnlab.answers.parsing").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", transformer=to_parts(parse_expression))
