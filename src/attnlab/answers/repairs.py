"""Repairs: small edits that turn a wrong answer into a right one, the likeliest slips first."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from attnlab.answers.formulas import FormulaError
from attnlab.answers.instances import Instance
from attnlab.answers.nodes import Node, add, name, negate, number, power, times, transpose
from attnlab.answers.questions import Question, check_shapes
from attnlab.answers.shapes import SCALAR, NoValueError, Table, shape_of
from attnlab.answers.trials import QUICK, growths, limit
from attnlab.answers.verdicts import MOSTLY, rule

MOST_WORK = 20_000
"""The nodes that all edits tried may have together: a limit on work, not on time, so that it is the same anywhere."""
UNSCALED = "the scale is missing: without a large factor the softmax stays soft"


@dataclass(frozen=True)
class Repair:
    """An answer that holds, and what was wrong with the one it was made from."""

    slip: str
    question: Question


def repair(question: Question, instance: Instance) -> Repair | None:
    """The first small edit that makes the answer hold; `instance` is one on which it fails."""
    seen = {tuple(question.answered.values())}
    tries = MOST_WORK // (40 + sum(formula.size() for formula in question.answered.values()))
    for slip, changed in islice(_edits(question), tries):
        if tuple(changed.answered.values()) in seen:
            continue
        seen.add(tuple(changed.answered.values()))
        if _passes(changed, instance) and _holds(changed):
            return Repair(slip, changed)
    return None


def _passes(question: Question, instance: Instance) -> bool:
    """Whether an edit is right where the original was wrong: a quick look that most edits do not survive."""
    try:
        check_shapes(question)
        return bool(limit(question, instance, growths(question)[0], rungs=QUICK).mean() > MOSTLY)
    except (NoValueError, FormulaError):
        return False


def _holds(question: Question) -> bool:
    """Whether an edit holds; of a prediction no less than equality is asked."""
    try:
        word = rule(question).word
    except (NoValueError, FormulaError):
        return False
    return word == "holds" or (word == "holds if" and not question.prediction)


def _edits(question: Question) -> Iterator[tuple[str, Question]]:
    """Every edit of one formula; a scale for all of them at once; and both together."""
    table = question.problem.table(question.declared, random=question.prediction)
    scale = (*question.constants, *question.problem.large())[0]
    single = [
        (slip, question.with_answers({left: changed}))
        for edit in (_signs, _indices, _transposes, _scales, _factors, _orders, _terms, _symbols)
        for left, formula in question.answered.items()
        for slip, changed in edit(formula, table, scale)
    ]
    yield from single
    if not question.prediction:
        yield UNSCALED, _scaled(question, scale)
        for slip, changed in single:
            yield f"{slip}, and the scale is missing", _scaled(changed, scale)


def _scaled(question: Question, scale: str) -> Question:
    """The question with a large factor in front of every formula that has none."""
    return question.with_answers(
        {left: times(name(scale), each) for left, each in question.answered.items() if scale not in each.names()}
    )


Edits = Iterator[tuple[str, Node]]


def _signs(formula: Node, table: Table, scale: str) -> Edits:
    """Another sign of a term, an exponent, or the whole."""
    for path, node in formula.walk():
        if node.op == "add":
            for place, term in enumerate(node.args):
                yield "a sign is wrong", formula.put((*path, place), negate(term))
        if node.op == "power" and node.args[1].op != "number":
            yield "a sign is wrong", formula.put(path, power(node.args[0], negate(node.args[1])))
    yield "the sign is wrong", negate(formula)


def _indices(formula: Node, table: Table, scale: str) -> Edits:
    """Another member of the same family."""
    for path, node in formula.walk():
        for other in _siblings(node, table):
            yield "an index is wrong", formula.put(path, name(other))


def _symbols(formula: Node, table: Table, scale: str) -> Edits:
    """Another matrix wherever one stands, and the identity for a 1."""
    matrices = _matrices(table)
    for one in sorted(formula.names() & set(matrices)):
        for other in matrices:
            yield f"it should be {other}, not {one}", _renamed(formula, name(one), name(other))
    if "I" in table.shapes:
        yield "it should be I, not 1", _renamed(formula, number(1), name("I"))


def _transposes(formula: Node, table: Table, scale: str) -> Edits:
    """One transpose more, or one less."""
    for path, node in formula.walk():
        below_one = bool(path) and _at(formula, path[:-1]).op == "transpose"
        if node.op == "transpose" or (node.op == "name" and not below_one and _shape(node, table) != SCALAR):
            yield "a transpose is missing or too many", formula.put(path, transpose(node))
    yield "a transpose is missing", transpose(formula)


def _scales(formula: Node, table: Table, scale: str) -> Edits:
    """A large factor that is missing or too many, or a number."""
    yield UNSCALED, times(name(scale), formula)
    yield f"a factor 1/{scale}² is missing", Node("over", (formula, power(name(scale), number(2))))
    for path, node in formula.walk():
        if node.op == "times" and node.args[0].op == "number":
            yield "a factor is too many", formula.put(path, times(*node.args[1:]))
    for factor in (number(2), Node("over", (number(1), number(2)))):
        yield "a factor is wrong", times(factor, formula)


def _factors(formula: Node, table: Table, scale: str) -> Edits:
    """A matrix that is missing on the left or on the right."""
    for symbol in _matrices(table):
        for factor in (name(symbol), transpose(name(symbol))):
            yield "a factor is missing", times(factor, formula)
            yield "a factor is missing", times(formula, factor)


def _orders(formula: Node, table: Table, scale: str) -> Edits:
    """Two factors the other way round."""
    for path, node in formula.walk():
        if node.op == "times":
            for place in range(len(node.args) - 1):
                swapped = list(node.args)
                swapped[place : place + 2] = swapped[place + 1], swapped[place]
                yield "two factors are in the wrong order", formula.put(path, Node("times", tuple(swapped)))


def _terms(formula: Node, table: Table, scale: str) -> Edits:
    """A member of a family that is missing from a sum, or one too many."""
    for path, node in formula.walk():
        for other in _siblings(node, table):
            yield "a term is missing", formula.put(path, add(node, name(other)))
        if node.op == "add":
            for place in range(len(node.args)):
                rest = node.args[:place] + node.args[place + 1 :]
                yield "there is a term too many", formula.put(path, add(*rest))


def _matrices(table: Table) -> list[str]:
    """The symbols that are matrices, and no families of named vectors."""
    return [name for name, shape in table.shapes.items() if "1" not in shape and not table.members.get(shape[1])]


def _renamed(formula: Node, one: Node, other: Node) -> Node:
    for path in [path for path, node in formula.walk() if node == one]:
        formula = formula.put(path, other)
    return formula


def _siblings(node: Node, table: Table) -> list[str]:
    """The other members of the family that a name belongs to."""
    base, _, below = str(node.leaf).partition("_") if node.op == "name" else ("", "", "")
    base = table.aliases.get(base, base)
    members = table.members.get(table.shapes[base][1], ()) if base in table.shapes else ()
    return [f"{base}_{other}" for other in members if other != below] if below in members else []


def _shape(node: Node, table: Table) -> tuple[str, str]:
    try:
        return shape_of(node, table)
    except (FormulaError, NoValueError):  # a member under the index of a sum
        return ("", "1")


def _at(formula: Node, path: tuple[int, ...]) -> Node:
    for place in path:
        formula = formula.args[place]
    return formula
