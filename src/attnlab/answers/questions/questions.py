"""An answer to a problem: the formula of each unknown, and the wanted equations."""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

from attnlab.answers.parsing.complaints import FormulaError, shown
from attnlab.answers.parsing.formulas import Answer
from attnlab.answers.parsing.nodes import Node, name, times, transpose
from attnlab.answers.parsing.shapes import SCALAR, NoValueError, Symbols, shape_of, written
from attnlab.answers.parsing.transposes import with_inner_products, with_transposes
from attnlab.answers.parsing.trees import Condition
from attnlab.answers.questions.problem import EULER, LARGE, Problem, Wanted

ENTRY = re.compile(r"∂([^_]+)(?:_([a-z]))?/∂([^_]+)_([a-z])")
"""The derivative of a number, ∂ŷ_i or ∂J, with respect to an entry θ_j."""

IN_THE_LIMIT = "right in the limit, but not equal"
"""The end of the condition of a prediction that is no equality."""


@dataclass(frozen=True)
class Question:
    """Formulas for all unknowns, and the wanted equations; `answered` are the formulas of the answer.

    A design is an answer that gives the unknowns. A prediction takes them from the problem, and states a result.
    """

    problem: Problem
    unknowns: dict[str, Node]
    answered: dict[str, Node]
    wanted: tuple[Wanted, ...]
    declared: frozenset[str]
    prediction: bool
    small: frozenset[str] = frozenset()
    """The constants that the answer says go to 0."""
    conditions: tuple[Condition, ...] = ()
    relations: tuple[Condition, ...] = ()
    """Which constants are far above others, as the answer says: C ≫ t."""
    always: bool = False
    """Whether a prediction says that it is right for every value of its constants: a limit is not enough."""

    @cached_property
    def constants(self) -> tuple[str, ...]:
        """The large constants in the formulas, and large norms."""
        used = {each for formula in self.unknowns.values() for each in formula.names()} | self._named
        norms = {symbol.norm for symbol in self.problem.symbols.values()}
        return tuple(each for each in self.problem.large(self.declared) if each in used | norms)

    @cached_property
    def vanishing(self) -> frozenset[str]:
        """The vanishing variances in the formulas."""
        return frozenset(self._named & {*self.problem.small()})

    @cached_property
    def _named(self) -> frozenset[str]:
        """The names in the answer."""
        sides = (side for each in self.relations for side in (each.left, each.right))
        return frozenset().union(*(formula.names() for formula in (*self.answered.values(), *sides)))

    @cached_property
    def seed(self) -> int:
        """A number that depends on the answer, so that no answer can be made to fit the numbers drawn by it."""
        return int.from_bytes(sha256(str(self).encode()).digest()[:6], "big")

    @property
    def growing(self) -> bool:
        """Whether the answer has a limit to be right in: a large constant, or a vanishing variance."""
        return bool(self.constants or self.vanishing)

    @property
    def exact(self) -> bool:
        """Whether all wanted equations are exact."""
        return all(wanted.exact for wanted in self.wanted)

    def with_answers(self, changed: dict[str, Node]) -> "Question":
        """The same question about other formulas."""
        answered = self.answered | changed
        if self.prediction:
            return replace(self, answered=answered, wanted=_predicted(self.problem, answered, self.always))
        return replace(self, answered=answered, unknowns=self.unknowns | changed)

    def __str__(self) -> str:
        equations = [f"{_left_side(left, right)} = {right}" for left, right in self.answered.items()]
        return ", ".join([*equations, *map(str, (*self.conditions, *self.relations))])


def pose(problem: Problem, answer: Answer) -> Question:
    """The question for an answer; raises `FormulaError` if the problem does not ask for it."""
    answer = _with_own_constants(problem, answer)
    answer, relations = _with_relations(problem, answer)
    answer = _with_transposes(problem, answer)
    every = sorted(answer.every & {*problem.large(answer.large)} - {*problem.symbols})
    _check_one_name_each(problem, answer)
    if answer.conditions:
        return _condition(problem, answer)
    expressions = _with_own_names(problem, _with_left_sides(problem, answer))
    expressions = {left: _without_identities(problem, right) for left, right in expressions.items()}
    for each in sorted(answer.least):
        if problem.unknowns.get(problem.aliases.get(each, each)) != SCALAR:
            raise FormulaError(f"expected {each} = …, got ≥, which only the least value of a number may have")
    declared = _declared(problem, answer)
    left = set(expressions)
    if left & set(problem.predictions):
        strangers = left - set(problem.predictions)
        if strangers:
            raise FormulaError(f"expected predictions only, got {', '.join(sorted(strangers))} too")
        wanted, given = _predicted(problem, expressions, bool(every)), dict(problem.given)
        return Question(
            problem, given, expressions, wanted, declared, True, answer.small, relations=relations, always=bool(every)
        )
    if every:
        raise FormulaError(f"expected a large constant, as in {every[0]} → ∞, got: for all {every[0]}")
    strangers = left - set(problem.unknowns)
    if strangers:
        raise FormulaError(f"the problem does not ask for {sorted(strangers)[0]}: expected {expected_form(problem)}")
    given = {**problem.defaults, **expressions}
    missing = [each for each in problem.unknowns if each not in given]
    if missing:
        raise FormulaError(f"expected a formula for {' and '.join(missing)} too: {expected_form(problem)}")
    unknowns = {each: given[each] for each in problem.unknowns}
    return Question(problem, unknowns, expressions, problem.wanted, declared, False, answer.small, relations=relations)


def _with_own_constants(problem: Problem, answer: Answer) -> Answer:
    """The answer with a letter of its own for a constant that it declares large, but that is a result of the problem:
    q = c(k_a + k_b), c ≫ 0."""
    used = {each for formula in answer.expressions.values() for each in formula.names()}
    for each in sorted(answer.large & used & {*problem.definitions} - {*problem.known, *answer.expressions}):
        free = [letter for letter in problem.large() if letter not in used]
        if free and not answer.conditions and not answer.chains:
            changed = {left: _replaced(right, each, name(free[0])) for left, right in answer.expressions.items()}
            answer = replace(answer, expressions=changed, large=answer.large - {each} | {free[0]})
    return answer


def _check_one_name_each(problem: Problem, answer: Answer) -> None:
    """Raise if an answer has two indices for one vector: in copying, k_a is the k_j of other notations."""
    sides = [*answer.expressions.values(), *(side for each in answer.conditions for side in (each.left, each.right))]
    members = {each for several in problem.members.values() for each in several}
    meant: dict[str, str] = {}
    for each in sorted({each for side in sides for each in side.names()}):
        whole = problem.aliases.get(each, each)
        base, _, below = whole.partition("_")
        target = f"{problem.aliases.get(base, base)}_{below}"
        other = meant.setdefault(target, each)
        if below in members and other.partition("_")[2] != each.partition("_")[2]:
            raise FormulaError(f"expected one name for one vector, got {other} and {each}")
    left_out = {each for side in sides for _, node in side.walk() if node.op == "each" for each in node.leaf[1]}
    left_out |= {below for each in answer.conditions for below in each.left_out}
    for target, each in meant.items():
        below = target.partition("_")[2]
        if each in problem.aliases and below in left_out and not each.endswith(f"_{below}"):
            raise FormulaError(f"expected one name for one vector, got {each} and the index {below}")


def _with_relations(problem: Problem, answer: Answer) -> tuple[Answer, tuple[Condition, ...]]:
    """The answer without its relations between constants, such as C ≫ t, and these; it declares their constants."""
    taken = {*problem.symbols, *problem.unknowns, *problem.definitions, *problem.aliases} - {*problem.small()}
    sizes = {*problem.sizes[0], *EULER}
    expressions, large, least = dict(answer.expressions), set(answer.large), set(answer.least)
    relations, conditions = [], []
    for each in answer.conditions:
        used = each.left.names() | each.right.names()
        lone = each.left.leaf if each.left.op == "name" else ""
        if not each.far and problem.unknowns.get(problem.aliases.get(lone, lone)) == SCALAR:
            expressions[lone] = each.right
            least.add(lone)
        elif not each.far and not (lone and lone not in taken and each.right.names() <= sizes):
            raise FormulaError(f"expected ≫ (far greater), got >: {shown(str(each))}")
        elif {name.partition("_")[0] for name in used} & taken:
            conditions.append(each)
        else:
            relations.append(each)
            large |= used - sizes - answer.small - {*problem.small()}
    changed = replace(answer, expressions=expressions, large=frozenset(large), least=frozenset(least))
    return replace(changed, conditions=tuple(conditions)), tuple(relations)


def _with_transposes(problem: Problem, answer: Answer) -> Answer:
    """The answer with Aᵀ for A^t, unless t is a symbol of the problem, or the answer says what t is."""
    if "t" in {*problem.symbols, *problem.unknowns, *problem.definitions, *answer.large, *answer.small}:
        return answer
    table = problem.defined(answer.large | answer.small)
    expressions = {left: with_transposes(right, table) for left, right in answer.expressions.items()}
    conditions = []
    for each in answer.conditions:
        left, right = (with_transposes(side, table, frozenset({each.index})) for side in (each.left, each.right))
        left, right = (with_inner_products(side, table) for side in (left, right))
        conditions.append(replace(each, left=left, right=right))
    return replace(answer, expressions=expressions, conditions=tuple(conditions))


def _condition(problem: Problem, answer: Answer) -> Question:
    """The question for an answer such as k_jᵀq ≫ k_iᵀq."""
    if problem.condition is None or answer.expressions or len(answer.conditions) > 1:
        raise FormulaError(f"expected {expected_form(problem)}, got the condition {answer.conditions[0]}")
    return Question(problem, {}, {}, (), frozenset(), False, conditions=answer.conditions)


def _with_left_sides(problem: Problem, answer: Answer) -> dict[str, Node]:
    """The expressions by their left sides; a single expression without a left side is for the only unknown."""
    expressions = dict(
        _whole(problem, problem.aliases.get(left, left), right) for left, right in answer.expressions.items()
    )
    if len(expressions) < len(answer.expressions):
        raise FormulaError(f"two formulas are for the same unknown: {answer}")
    if "" in expressions:
        asked = [*problem.unknowns] or _of_shape(problem, expressions[""])
        if len(asked) != 1 or len(expressions) != 1:
            raise FormulaError(f"expected {expected_form(problem)}, got {expressions['']} without a left side")
        expressions[asked[0]] = expressions.pop("")
    return expressions


def _of_shape(problem: Problem, formula: Node) -> list[str]:
    """The predictions of the shape of a formula."""
    try:
        found = shape_of(formula, problem.table())
    except (FormulaError, NoValueError):
        return [*problem.predictions]
    return [each for each in problem.predictions if problem.defined().shapes.get(each) == found]


def _with_own_names(problem: Problem, expressions: dict[str, Node]) -> dict[str, Node]:
    """The expressions with the names that the answer defines itself, as in ∂J/∂x = δ W_1ᵀ, δ = …, written out."""
    asked = {*problem.unknowns, *problem.predictions}
    constants = {*problem.large()} - {symbol.norm for symbol in problem.symbols.values()}
    taken = {*asked, *problem.aliases, *(problem.defined().shapes.keys() - constants)}
    found = dict(expressions)
    for own in [each for each in expressions if each and each not in taken and "∂" not in each]:
        meant = found.pop(own)
        if own in meant.names() or not any(own in each.names() for each in found.values()):
            return expressions
        found = {left: _replaced(right, own, meant) for left, right in found.items()}
    return found


def _without_identities(problem: Problem, node: Node) -> Node:
    """The formula without factors I beside a matrix or a vector: A I_m Aᵀ is A Aᵀ, whatever the size of I."""
    if "I" not in problem.symbols:
        return node
    node = replace(node, args=tuple(_without_identities(problem, each) for each in node.args))
    others = [each for each in node.args if each != name("I")] if node.op == "times" else []
    matrices = any(each.names() - {*EULER, *problem.sizes[0], *problem.large()} for each in others)
    return times(*others) if matrices and len(others) < len(node.args) else node


def _replaced(formula: Node, own: str, meant: Node) -> Node:
    for path, node in reversed(list(formula.walk())):
        if node.op == "name" and node.leaf == own:
            formula = formula.put(path, meant)
    return formula


def _whole(problem: Problem, left: str, right: Node) -> tuple[str, Node]:
    """The formula for a whole derivative, if the answer gives its entry: ∂ŷ_i/∂θ_j = ŷ_i(δ_ij − ŷ_j)."""
    entry = ENTRY.fullmatch(left)
    whole = f"∂{entry[1]}/∂{entry[3]}" if entry else ""
    if entry is None or left in problem.predictions or whole not in problem.predictions or entry[2] == entry[4]:
        return left, right
    rows, columns = problem.defined().shapes[whole]
    if (rows == "1") != (entry[2] is None) or columns == "1":
        return left, right
    return whole, Node("entries", (right,), ((entry[2] or "", rows), (entry[4], columns)))


def _left_side(left: str, right: Node) -> str:
    """The left side of an answer as it was written: ∂ŷ_i/∂θ_j for an entry of ∂ŷ/∂θ."""
    if right.op != "entries":
        return left
    above, below = left.split("/")
    (row, _), (column, _) = right.leaf
    return f"{above}_{row}/{below}_{column}" if row else f"{above}/{below}_{column}"


def with_columns(question: Question) -> Question | None:
    """The question with every vector read as a column instead of a row; None if the problem says that this is
    another answer."""
    if not {*question.answered} <= {*question.problem.columns_too}:
        return None
    return question.with_answers({left: _turned(right) for left, right in question.answered.items()})


def _turned(node: Node) -> Node:
    """The formula with the transpose of each symbol in its place."""
    for path, each in reversed(list(node.walk())):
        if each.op == "name":
            node = node.put(path, transpose(each))
    return node


def _declared(problem: Problem, answer: Answer) -> frozenset[str]:
    """The constants that an answer declares large, and numbered constants such as C_1 and C_2."""
    taken = {*problem.symbols, *problem.definitions, *problem.unknowns, *problem.sizes[0], *EULER, *problem.aliases}
    for how, names in (("large", answer.large), ("small", answer.small - {*problem.small()})):
        for each in sorted(names):
            if each in taken or each.partition("_")[0] in taken:
                raise FormulaError(f"the problem gives {each}, so an answer cannot declare it {how}")
    used = {each for formula in answer.expressions.values() for each in formula.names()}
    numbered = {each for each in used if each.partition("_")[0] in LARGE and each.partition("_")[2].isdigit()}
    return answer.large | answer.small | {each for each in numbered if each.partition("_")[0] not in taken}


def families_in(formula: Node, problem: Problem) -> set[str]:
    """The families of vectors in a formula; of those that lie to each other as the problem says, the first."""
    families, found = problem.families(), set()
    for each in formula.names():
        each = problem.aliases.get(each, each)
        base = each if each in families or each in problem.known else each.partition("_")[0]
        base = problem.aliases.get(base, base)
        found |= {families[base]} if base in families else set()
        for meant in problem.definitions[base] if base in problem.known else ():
            found |= families_in(meant, problem)
    return found


def check_shapes(question: Question) -> None:
    """Raise `NoValueError` if a formula has no value, or not the shape of its unknown."""
    problem = question.problem
    table = problem.table(question.declared, random=question.prediction)
    for left, formula in question.answered.items():
        try:
            _check_known(formula, problem, table)
            found = shape_of(formula, table)
            _check_coordinates(formula, problem, table)
        except FormulaError as error:
            error.args = (f"{shown(f'{left} = {formula}')}: {error}",)
            raise
        expected = problem.unknowns.get(left)
        if expected is not None and found != expected:
            raise NoValueError(f"{left} should be {written(expected)}, but {formula} is {written(found)}")


def _check_coordinates(formula: Node, problem: Problem, table: Symbols) -> None:
    """Raise if a softmax is over the coordinates of vectors, and not over a number of vectors."""
    counted = {"1", *(columns for _, columns in table.shapes.values())}
    calls = [node for _, node in formula.walk() if node.op == "call" and node.leaf == "softmax"]
    for node in calls if not problem.elementwise else []:
        if not {*shape_of(node.args[0], table)} <= counted:
            raise NoValueError(f"{node}: this problem does not fix the coordinates of its vectors")


def _check_known(formula: Node, problem: Problem, table: Symbols) -> None:
    """Raise if a formula uses a symbol that is not known in advance: a noisy key, a weight, the output."""
    for each in sorted(formula.names()):
        unknown = {*problem.definitions, *problem.draws()} - {*problem.known}
        if each not in table.shapes and {each, each.partition("_")[0]} & unknown:
            known = ", ".join(table.names())
            raise FormulaError(f"{each} is not known in advance, so an answer cannot use it; it may use {known}")


def _predicted(problem: Problem, expressions: dict[str, Node], always: bool) -> tuple[Wanted, ...]:
    return tuple(Wanted(name(left), right, exact=problem.exact or always) for left, right in expressions.items())


def expected_form(problem: Problem) -> str:
    """The expected form of an answer: q_1 = … and q_2 = …"""
    needed = [each for each in problem.unknowns if each not in problem.defaults]
    forms = " and ".join(f"{each} = …" for each in needed)
    if problem.condition is not None:
        forms += ", or a condition with ≫"
    predicted = f"{', '.join(problem.predictions)} = …" if problem.predictions else ""
    return ", or ".join(filter(None, (forms, predicted)))
