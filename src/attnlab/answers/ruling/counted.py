"""Sizes that a formula counts without naming them: ‖Σ_i k_i‖² and Σ_i 1 are n.

Such a part of a formula is written with the name of its size, so that the formula's roots in that size can be found.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from attnlab.answers.parsing.complaints import FormulaError
from attnlab.answers.parsing.nodes import Node, add, call, name, number, power, times
from attnlab.answers.parsing.shapes import SCALAR, NoValueError, Symbols, indexed_size, shape_of
from attnlab.answers.questions.instances import Instance, drawn_instances, exact_number, values_of
from attnlab.answers.questions.problem import KNOWN_TO_ALL
from attnlab.answers.questions.questions import Question, families_in
from attnlab.answers.questions.regimes import every_path
from attnlab.answers.questions.trials import draws_on, given_values, standard_draws
from attnlab.answers.ruling.limits import exact_constants, exact_draws
from attnlab.answers.values.evaluation import Value, evaluate
from attnlab.answers.values.exact import Exact, is_zero

TRIED = 8
"""The sizes at which a part is computed, to see whether it counts: four of them fix a polynomial of degree 3."""
MOST_DEGREE = 3
ROOM = 12
"""Dimensions beyond the largest usual ones, so that all vectors fit."""
COUNTING = ("each", "product")


def counted(question: Question) -> Question:
    """The question, with the names of sizes in place of parts of the answer that count."""
    table = question.problem.table(question.declared, random=question.prediction)
    changed = {
        left: _Counter(question, table).written(formula)
        for left, formula in question.answered.items()
        if _may_count(formula)
    }
    changed = {left: formula for left, formula in changed.items() if formula != question.answered[left]}
    return question.with_answers(changed) if changed else question


def counts_unseen(question: Question) -> bool:
    """Whether the value of an answer depends on a number of vectors that it does not name."""
    kinds = {symbol.kind for symbol in question.problem.symbols.values() if symbol.kind in KNOWN_TO_ALL}
    if kinds - {"orthonormal", "identity", "small"}:
        return _counts_beside_numbers(question)
    formulas = [each for each in question.answered.values() if _may_count(each)]
    if not formulas:
        return False
    table = question.problem.table(question.declared, random=question.prediction)
    return any(
        len({frozenset(_entries(formula, question, table, each)) for each in _grown(question, size)}) > 1
        for size in question.problem.sizes[0]
        for formula in formulas
    )


def _counts_beside_numbers(question: Question) -> bool:
    """Whether a number in an answer depends on the sizes, and on nothing that is drawn: (θ/θ)(θ/θ)ᵀ is n."""
    table = question.problem.table(question.declared, random=question.prediction)
    parts = [
        node
        for formula in question.answered.values()
        for _, node in formula.walk()
        if node.args and node.op != "entries" and _is_number(node, table) and _may_hide_size(node, table)
    ]
    if not parts:
        return False
    places = drawn_instances(question.problem, question.seed)
    tried = [(each, replace(each, seed=each.seed + len(places))) for each in places]
    made = [tuple(_values_on(question, each) for each in pair) for pair in tried]
    for node in parts:
        found = [[evaluate(node, each, table).item() for each in pair] for pair in made]
        if all(is_zero(one - other) for one, other in found) and len({one for one, _ in found}) > 1:
            return True
    return False


def _is_number(node: Node, table: Symbols) -> bool:
    try:
        return shape_of(node, table) == SCALAR
    except (FormulaError, NoValueError):  # it has an index from outside
        return False


def _may_hide_size(node: Node, table: Symbols) -> bool:
    """Whether a number is made of something with a size: a vector, a matrix, or a sum."""
    return any(
        each.op in COUNTING or (each.op == "name" and table.shapes.get(each.leaf, SCALAR) != SCALAR)
        for _, each in node.walk()
    )


def _values_on(question: Question, instance: Instance) -> dict[str, Value]:
    constants = exact_constants(question, every_path(question))
    draws = exact_draws(question, instance, draws_on(question, instance, 1), constants)
    values = given_values(question, instance, constants, draws, exact=True)[1]
    return values | {size: exact_number(Exact.factor("size", size)) for size in instance.sizes}


def _entries(formula: Node, question: Question, table: Symbols, sizes: dict[str, int]) -> list[Exact]:
    values = _values(question, sizes)
    values |= {size: exact_number(Exact.factor("size", size)) for size in sizes}
    return evaluate(formula, values, table).ravel().tolist()


def _may_count(formula: Node) -> bool:
    return any(node.op in COUNTING or (node.op == "call" and node.leaf == "norm") for _, node in formula.walk())


def _dimensions(question: Question) -> set[str]:
    """The sizes that are numbers of dimensions, not of vectors."""
    return {symbol.shape[0] for symbol in question.problem.symbols.values() if symbol.kind == "orthonormal"}


def _grown(question: Question, size: str) -> Iterator[dict[str, int]]:
    """Sizes with room for all vectors, in which one size grows; nothing if that size is always the same."""
    every = question.problem.sizes
    if len({each[size] for each in every}) == 1:
        return
    largest = {each: max(sizes[each] for sizes in every) for each in every[0]}
    roomy = {each: value + ROOM * (each in _dimensions(question)) for each, value in largest.items()}
    least = roomy[size] if size in _dimensions(question) else len(question.problem.members.get(size, ())) + 1
    for value in range(least, least + TRIED):
        yield {**roomy, size: value}


def _values(question: Question, sizes: dict[str, int]) -> dict[str, Value]:
    instance = Instance(sizes, 0)
    constants = exact_constants(question, every_path(question))
    draws = exact_draws(question, instance, standard_draws(question, 1), constants)
    if question.problem.known:
        return given_values(question, instance, constants, draws, exact=True)[1]
    return values_of(question.problem, instance, constants, draws, exact=True)


class _Counter:
    """Finds the parts of formulas that count. Keeps the values of symbols at the sizes that it tries."""

    def __init__(self, question: Question, table: Symbols):
        self._table, self._problem = table, question.problem
        self._made = {
            size: [_values(question, sizes) for sizes in _grown(question, size)] for size in question.problem.sizes[0]
        }

    def written(self, node: Node) -> Node:
        """The formula with names of sizes, the innermost parts first."""
        if not node.args:
            return node
        node = replace(node, args=tuple(map(self.written, node.args)))
        if node.op == "times":
            node = self._with_numbers(node)
        if node.op in COUNTING and node.leaf[0] not in {each.partition("_")[2] for each in node.args[0].names()}:
            return self._repeated(node)
        if self._shape(node) != SCALAR or not _may_count(node):
            return node
        if node.op == "call" and node.leaf == "norm":
            found = self._count(node, square=True)
            return call("sqrt", found) if found else node
        return self._count(node) or node

    def _repeated(self, node: Node) -> Node:
        """A sum or a product of equal parts: Π_{i≠a,b} 2 is 2^(n − 2)."""
        (index, left_out), (body,) = node.leaf, node.args
        if index in body.names():
            return node
        count = add(name(indexed_size(node, self._table)), number(-len(left_out)))
        return power(body, count) if node.op == "product" else times(count, body)

    def _with_numbers(self, node: Node) -> Node:
        """A product whose runs of vectors that make a number, such as sᵀ s, are products of their own."""
        factors: list[Node] = []
        for factor in node.args:
            factors.append(factor)
            for start in range(len(factors) - 1):
                run = factors[start:]
                if self._shape(run[0]) != SCALAR and self._shape(Node("times", tuple(run))) == SCALAR:
                    factors[start:] = [self.written_run(run)]
                    break
        return times(*factors)

    def written_run(self, run: list[Node]) -> Node:
        """A product of vectors that is a number, with the name of a size if it counts."""
        whole = Node("times", tuple(run))
        return (self._count(whole) if _may_count(whole) else None) or whole

    def _shape(self, node: Node) -> tuple[str, str] | None:
        """The shape of a part; None if it has none, or an index from outside."""
        try:
            return shape_of(node, self._table)
        except (FormulaError, NoValueError):
            return None

    def _count(self, node: Node, *, square: bool = False) -> Node | None:
        """The polynomial in a size that a number is equal to; None if it is none, or if it is a constant."""
        found: list[Node] = []
        if len(families_in(node, self._problem)) > 1:  # it depends on how they lie to each other
            return None
        for size, made in self._made.items():
            try:
                values = [evaluate(node, each, self._table).item() for each in made]
            except NoValueError:
                return None
            shares = [(each * each if square else each).rational for each in values]
            if len(set(values)) < 2:  # or nothing was made, since this size is always the same
                continue
            known = [each for each in shares if each is not None]
            polynomial = _polynomial(size, known, made) if len(known) == len(made) else None
            if polynomial is None:
                return None
            found.append(polynomial)
        return found[0] if len(found) == 1 else None


def _polynomial(size: str, shares: list[Fraction], made: list[dict[str, Value]]) -> Node | None:
    """The polynomial of a small degree through values at sizes that follow each other, by Newton's differences."""
    rows = [shares]
    while len(rows[-1]) > 1:
        rows.append([after - before for before, after in zip(rows[-1], rows[-1][1:], strict=False)])
    degree = max((place for place, row in enumerate(rows) if row[0]), default=0)
    if degree > MOST_DEGREE:
        return None
    first = made[0][size].item().rational or Fraction(0)
    terms, factor, divisor = [], number(1), Fraction(1)
    for place in range(degree + 1):
        terms.append(times(number(rows[place][0] / divisor), factor))
        factor = times(factor, add(name(size), number(-(first + place))))
        divisor *= place + 1
    return add(*terms)
