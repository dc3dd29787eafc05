"""What no number of instances shows: whether an answer that is right on all of them is right everywhere.

An equality of formulas that holds at numbers drawn at random holds everywhere, if the formulas have no kinks. A limit
may differ from place to place, so it must not depend on how independent families of vectors lie to each other.
"""

from dataclasses import replace
from itertools import combinations

from attnlab.answers.parsing.nodes import Node
from attnlab.answers.questions.instances import Instance, drawn_instances, instances
from attnlab.answers.questions.problem import Problem
from attnlab.answers.questions.questions import Question, families_in
from attnlab.answers.questions.regimes import Growth
from attnlab.answers.questions.trials import draws_on
from attnlab.answers.ruling.limits import exact_trial
from attnlab.answers.ruling.sizes import check_every_size
from attnlab.answers.values.effort import UndecidedError
from attnlab.answers.values.exact import ZERO, Exact, is_zero

POSITIVE = ("positive", "distribution", "prime", "small")
"""Kinds of symbols whose numbers are above 0."""
POSITIVE_CALLS = ("exp", "softmax", "sigmoid", "sigmoid'")


def check_everywhere(question: Question, growth: Growth) -> None:
    """Raise `UndecidedError` if an answer that is right on all instances may be wrong elsewhere."""
    check_every_size(question)
    _check_positions(question, growth)
    _check_kinks(question)


def _check_positions(question: Question, growth: Growth) -> None:
    """Raise if the error in a limit depends on how families lie to each other, of which the problem says nothing."""
    problem = question.problem
    mixed = len({family for each in question.answered.values() for family in families_in(each, problem)}) > 1
    if question.exact or not mixed:
        return
    drawn = drawn_instances(problem, question.seed)
    same = all(not {*each.names()} & {*problem.sizes[0]} for each in question.answered.values())
    apart = [each for each in instances(problem) if each.lie == "apart"]
    again = [replace(each, seed=each.seed + len(drawn)) for each in drawn]
    pairs = [(one, other) for one, other in combinations([*apart, *drawn, *again], 2) if one.sizes == other.sizes]
    errors = {id(each): _square_error(question, each, growth) for pair in pairs for each in pair} if same else {}
    if not errors or not all(is_zero(errors[id(one)] - errors[id(other)]) for one, other in pairs):
        raise UndecidedError("it depends on how vectors lie to each other, of which the problem says nothing")


def _square_error(question: Question, instance: Instance, growth: Growth) -> Exact:
    trial = exact_trial(question, instance, growth, draws_on(question, instance, 1))
    return sum((entry * entry for difference in trial.differences for entry in difference.ravel()), ZERO)


def _check_kinks(question: Question) -> None:
    """Raise if a root or a logarithm may hide a kink in a number of the problem: √((ε − ¼)²) is ε − ¼ above ¼ only."""
    problem = question.problem
    numbers = problem.drawn() | {*problem.draws()} | {*problem.known}
    for formula in question.answered.values():
        for _, node in formula.walk():
            inside = _rooted(node)
            if inside is None or not _uses(inside, numbers) or _above_0(inside, problem):
                continue
            if node.leaf == "norm" or not _smooth(inside, problem, numbers):
                raise UndecidedError(f"{node} may have a kink")


def _rooted(node: Node) -> Node | None:
    """What a root, a logarithm or a norm is taken of."""
    if node.op == "call" and node.leaf in ("ln", "sqrt", "norm"):
        return node.args[0]
    return node.args[0] if node.op == "power" and not _is_whole(node.args[1]) else None


def _is_whole(exponent: Node) -> bool:
    plain = exponent.args[0] if exponent.op == "negate" else exponent
    return plain.op == "number" and plain.leaf.denominator == 1


def _uses(node: Node, names: frozenset[str]) -> bool:
    return any(each in names or each.partition("_")[0] in names for each in node.names())


def _smooth(node: Node, problem: Problem, numbers: frozenset[str]) -> bool:
    """Whether a formula is above 0, but for at most one factor that changes its sign at a single number."""
    if not _uses(node, numbers) or _above_0(node, problem):
        return True
    if node.op in ("times", "over"):
        open_ended = [each for each in node.args if _uses(each, numbers) and not _above_0(each, problem)]
        return len(open_ended) == 1 and _smooth(open_ended[0], problem, numbers)
    if node.op == "negate":
        return _smooth(node.args[0], problem, numbers)
    used = {each for each in node.names() if _uses(Node("name", leaf=each), numbers)}
    return node.op == "add" and len(used) == 1 and sum(_occurs(each, used) for each in node.args) == 1


def _occurs(node: Node, names: set[str]) -> int:
    """How often a term has one of the names; at least 2 if it is not in proportion to it, or to 1 over it."""
    if not node.names() & names:
        return 0
    if node.op in ("times", "over", "negate"):
        return sum(_occurs(each, names) for each in node.args)
    return 1 if node.op == "name" else 2


def _above_0(node: Node, problem: Problem) -> bool:
    """Whether a formula is above 0, seen from its parts."""
    match node.op:
        case "number":
            return node.leaf > 0
        case "name":
            base = problem.aliases.get(node.leaf, node.leaf)
            base = base if base in problem.symbols or base in problem.definitions else base.partition("_")[0]
            if base in problem.symbols:
                return problem.symbols[base].kind in POSITIVE
            if base in problem.definitions:
                return all(_above_0(each, problem) for each in problem.definitions[base])
            return base in {*problem.sizes[0], "e", "π"}
        case "call":
            return node.leaf in POSITIVE_CALLS
        case "power":
            return _above_0(node.args[0], problem)
        case "add" | "times" | "over" | "each" | "product" | "hadamard" | "transpose":
            return all(_above_0(each, problem) for each in node.args)
    return False
