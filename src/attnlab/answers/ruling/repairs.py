"""Repairs: small edits that turn a wrong answer into a right answer, the likeliest slips first."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, permutations

from attnlab.answers.parsing.formulas import FormulaError
from attnlab.answers.parsing.nodes import Node, add, name, negate, number, power, times, transpose
from attnlab.answers.parsing.shapes import SCALAR, NoValueError, Symbols, shape_of
from attnlab.answers.questions.instances import Instance
from attnlab.answers.questions.questions import Question, check_shapes
from attnlab.answers.questions.regimes import every_path, paths
from attnlab.answers.questions.trials import seems_right
from attnlab.answers.ruling.ruling import MOSTLY, rule
from attnlab.answers.values.effort import Effort, UndecidedError

MOST_WORK = 20_000
"""How many nodes all edits may have together: a limit on work, not on time, so that machines agree."""
MOST_EFFORT = 100_000
"""How much work all exact rulings on edits may take together, in products of terms."""
UNSCALED = "the scale is missing: without a large factor the softmax stays soft"


@dataclass(frozen=True)
class Repair:
    """A corrected answer that holds, and the slip in the original."""

    slip: str
    question: Question


def repair(question: Question, instance: Instance) -> Repair | None:
    """The first small edit that makes the answer hold. The answer fails on `instance`."""
    seen = {tuple(question.answered.values())}
    tries = MOST_WORK // (40 + sum(formula.size() for formula in question.answered.values()))
    left = MOST_EFFORT
    for slip, changed in islice(_edits(question), tries):
        if tuple(changed.answered.values()) in seen:
            continue
        seen.add(tuple(changed.answered.values()))
        if not _passes(changed, instance):
            continue
        if _holds(changed, left):
            return Repair(slip, changed)
        left = Effort.left
        if left <= 0:
            return None
    return None


def _passes(question: Question, instance: Instance) -> bool:
    """Whether an edit is right on the instance where the original fails: a quick test that rejects most edits."""
    try:
        check_shapes(question)
        return seems_right(question, instance, next(paths(every_path(question)))) > MOSTLY
    except (NoValueError, FormulaError):
        return False


def _holds(question: Question, effort: int) -> bool:
    """Whether an edit holds, as far as that effort can tell; a prediction must hold without a condition."""
    try:
        word = rule(question, effort).word
    except (NoValueError, FormulaError, UndecidedError):
        return False
    return word == "holds" or (word == "holds if" and not question.prediction)


def _edits(question: Question) -> Iterator[tuple[str, Question]]:
    """Every edit of one formula; a scale in front of all formulas; and both together."""
    table = question.problem.table(question.declared, random=question.prediction)
    scale = (*question.constants, *question.problem.large())[0]
    single = [
        (slip, question.with_answers({left: changed}))
        for edit in (_sizes, _signs, _indices, _transposes, _scales, _factors, _orders, _terms, _symbols, _families)
        for left, formula in question.answered.items()
        for slip, changed in _inside_entries(edit, formula, table, scale)
    ]
    if scale in {symbol.norm for symbol in question.problem.symbols.values()}:
        square = power(name(scale), number(2))
        single += [
            (f"a factor 1/{scale}² is missing", question.with_answers({left: Node("over", (formula, square))}))
            for left, formula in question.answered.items()
        ]
    yield from single
    if not question.prediction:
        yield UNSCALED, _scaled(question, scale)
        for slip, changed in single:
            yield f"{slip}, and the scale is missing", _scaled(changed, scale)


def _scaled(question: Question, scale: str) -> Question:
    """The question with a large factor in front of every formula without that factor."""
    return question.with_answers(
        {left: times(name(scale), each) for left, each in question.answered.items() if scale not in each.names()}
    )


Edits = Iterator[tuple[str, Node]]


def _inside_entries(edit: Callable[[Node, Symbols, str], Edits], formula: Node, table: Symbols, scale: str) -> Edits:
    """The edits of a formula; of the entry, if a matrix is given by its entry."""
    if formula.op != "entries":
        yield from edit(formula, table, scale)
        return
    for slip, changed in edit(formula.args[0], table, scale):
        yield slip, formula.put((0,), changed)


def _sizes(formula: Node, table: Symbols, scale: str) -> Edits:
    """A factor too many that depends on sizes alone: (n − 5)²."""
    sizes = {size for shape in table.shapes.values() for size in shape}
    for path, node in formula.walk():
        for place, factor in enumerate(node.args if node.op == "times" else ()):
            if factor.names() and factor.names() <= sizes:
                rest = times(*node.args[:place], *node.args[place + 1 :])
                yield "there is a factor too many", formula.put(path, rest)


def _signs(formula: Node, table: Symbols, scale: str) -> Edits:
    """The opposite sign of a term, an exponent, or the whole formula."""
    for path, node in formula.walk():
        if node.op == "add":
            for place, term in reversed([*enumerate(node.args)]):  # people rarely forget the sign that comes first
                yield "a sign is wrong", formula.put((*path, place), negate(term))
        if node.op == "power" and node.args[1].op != "number":
            yield "a sign is wrong", formula.put(path, power(node.args[0], negate(node.args[1])))
    yield "the sign is wrong", negate(formula)


def _indices(formula: Node, table: Symbols, scale: str) -> Edits:
    """Another member of the same family."""
    for path, node in formula.walk():
        for other in _siblings(node, table):
            yield "an index is wrong", formula.put(path, name(other))


def _symbols(formula: Node, table: Symbols, scale: str) -> Edits:
    """Another matrix in place of a matrix, and the identity in place of 1."""
    matrices = _matrices(table)
    for one in sorted(formula.names() & set(matrices)):
        for other in matrices:
            yield f"it should be {other}, not {one}", _renamed(formula, name(one), name(other))
    if "I" in table.shapes:
        yield "it should be I, not 1", _renamed(formula, number(1), name("I"))


def _families(formula: Node, table: Symbols, scale: str) -> Edits:
    """Vectors of another family in place of those of one: the keys for the values."""
    families = [each for each, shape in table.shapes.items() if table.members.get(shape[1])]
    for one, other in permutations(families, 2):
        places = [path for path, node in formula.walk() if node.op == "name" and node.leaf.startswith(f"{one}_")]
        for some in [places, *([each] for each in places if len(places) > 1)] if places else []:
            changed = formula
            for path in some:
                changed = changed.put(path, name(f"{other}_{_at(formula, path).leaf.partition('_')[2]}"))
            yield f"it should be {other}, not {one}", changed


def _transposes(formula: Node, table: Symbols, scale: str) -> Edits:
    """One transpose more, or one transpose less."""
    for path, node in formula.walk():
        below_one = bool(path) and _at(formula, path[:-1]).op == "transpose"
        if node.op == "transpose" or (node.op == "name" and not below_one and _shape(node, table) != SCALAR):
            yield "there is a transpose too many, or one is missing", formula.put(path, transpose(node))
    yield "a transpose is missing", transpose(formula)


def _scales(formula: Node, table: Symbols, scale: str) -> Edits:
    """A missing scale, a superfluous number, or a wrong factor."""
    yield UNSCALED, times(name(scale), formula)
    for path, node in formula.walk():
        if node.op == "times" and node.args[0].op == "number":
            yield "there is a factor too many", formula.put(path, times(*node.args[1:]))
    for factor in (number(2), Node("over", (number(1), number(2)))):
        yield "a factor is wrong", times(factor, formula)


def _factors(formula: Node, table: Symbols, scale: str) -> Edits:
    """A missing matrix on the left or on the right."""
    for symbol in _matrices(table):
        for factor in (name(symbol), transpose(name(symbol))):
            yield "a factor is missing", times(factor, formula)
            yield "a factor is missing", times(formula, factor)


def _orders(formula: Node, table: Symbols, scale: str) -> Edits:
    """Two neighbouring factors swapped."""
    for path, node in formula.walk():
        if node.op == "times":
            for place in range(len(node.args) - 1):
                swapped = list(node.args)
                swapped[place : place + 2] = swapped[place + 1], swapped[place]
                yield "two factors are in the wrong order", formula.put(path, Node("times", tuple(swapped)))


def _terms(formula: Node, table: Symbols, scale: str) -> Edits:
    """A missing term of a sum, or a superfluous term."""
    for path, node in formula.walk():
        for other in _siblings(node, table):
            yield "a term is missing", formula.put(path, add(node, name(other)))
        if node.op == "add":
            for place in range(len(node.args)):
                rest = node.args[:place] + node.args[place + 1 :]
                yield "there is a term too many", formula.put(path, add(*rest))


def _matrices(table: Symbols) -> list[str]:
    """The symbols that are matrices, but not families of named vectors."""
    return [name for name, shape in table.shapes.items() if "1" not in shape and not table.members.get(shape[1])]


def _renamed(formula: Node, one: Node, other: Node) -> Node:
    for path in [path for path, node in formula.walk() if node == one]:
        formula = formula.put(path, other)
    return formula


def _siblings(node: Node, table: Symbols) -> list[str]:
    """The other members of the family that a name belongs to."""
    base, _, below = str(node.leaf).partition("_") if node.op == "name" else ("", "", "")
    base = table.aliases.get(base, base)
    members = table.members.get(table.shapes[base][1], ()) if base in table.shapes else ()
    return [f"{base}_{other}" for other in members if other != below] if below in members else []


def _shape(node: Node, table: Symbols) -> tuple[str, str]:
    try:
        return shape_of(node, table)
    except (FormulaError, NoValueError):  # a vector under the index of a sum
        return ("", "1")


def _at(formula: Node, path: tuple[int, ...]) -> Node:
    for place in path:
        formula = formula.args[place]
    return formula
