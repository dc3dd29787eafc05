"""Checks an answer that is a condition: k_jᵀq ≫ k_iᵀq, for each i other than j."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from attnlab.answers.parsing.complaints import FormulaError
from attnlab.answers.parsing.nodes import Node, add, name, negate
from attnlab.answers.parsing.shapes import SCALAR, NoValueError, Symbols, shape_of
from attnlab.answers.parsing.trees import Condition
from attnlab.answers.questions.instances import FAR, drawn_instances, instances, values_of
from attnlab.answers.questions.problem import Problem
from attnlab.answers.questions.questions import Question
from attnlab.answers.values.effort import UndecidedError
from attnlab.answers.values.evaluation import Value, evaluate, exactly
from attnlab.answers.values.exact import Exact, is_zero
from attnlab.answers.values.growth import constant_sign

QUERIES = 3
"""Random queries on each instance."""


def missed_condition(question: Question) -> str:
    """Why a condition is not the problem's: left minus right must be a multiple, above 0, of the difference that has to
    be large, for every query and each i. Empty if it is right. Raises if its sides have no value, or do not fit."""
    (condition,) = question.conditions
    try:
        return _missed(question, condition)
    except NoValueError as error:
        raise FormulaError(f"{condition}: {error}") from error


def _missed(question: Question, condition: Condition) -> str:
    problem = question.problem
    assert problem.condition is not None
    table = problem.whole_table()
    condition = _of_logits(condition, problem.members)
    said, asked = _difference(condition.left, condition.right), problem.condition
    index = condition.index or free_index(said, table)
    size = next(iter(problem.members))
    if shape_of(said, table, {index: size} if index else {}) != SCALAR:
        raise FormulaError(f"{condition}: expected numbers on both sides of ≫")
    if own := _about_itself(problem, condition):
        return own
    factor: Exact | None = None
    random = np.random.default_rng(question.seed)
    tried = [*instances(problem), *drawn_instances(problem, question.seed)]
    for instance in (each for each in tried for _ in range(QUERIES)):
        values = values_of(problem, instance, {}, {}, exact=True)
        for unknown, (rows, columns) in problem.unknowns.items():
            shape = (1, 1, *(instance.sizes.get(each, 1) for each in (rows, columns)))
            values[unknown] = exactly(random.integers(-FAR, FAR, shape))
        if constants := sorted(each for each in said.names() if each in table.shapes and each not in values):
            raise FormulaError(f"{condition}: expected a condition without constants, got {constants[0]}")
        for place in range(len(problem.members[size]), instance.sizes[size]):
            left = _number(evaluate(said, values, table, {index: place} if index else {}))
            right = _number(evaluate(asked, values, table, {free_index(asked, table): place}))
            factor = left / right if factor is None and right else factor
            if factor is None or not is_zero(left - factor * right):
                if any(_exponent(node) for _, node in said.walk()):
                    raise UndecidedError("it only knows conditions on differences of logits")
                return f"{asked} must be large for each i, and {condition} does not say so"
    return _about_factor(factor, said, asked)


def _about_factor(factor: Exact | None, said: Node, asked: Node) -> str:
    """Why a difference that is a multiple of the right one is wrong. Empty if it is right."""
    if factor is None or constant_sign(factor) <= 0:
        return f"it must be the other way round: {asked} ≫ 0"
    if any(node.op == "call" or (node.op == "power" and node.args[1].op != "number") for _, node in said.walk()):
        raise UndecidedError("it only knows conditions on differences of logits")
    return ""


def _about_itself(problem: Problem, condition: Condition) -> str:
    """Why a condition for all i is wrong: it must leave out j, and no other vector. Empty if it is not wrong."""
    members = next(iter(problem.members.values()))
    member, aliases = members[0], {alias: meant.partition("_")[2] for alias, meant in problem.aliases.items()}
    own = {member, *(alias.partition("_")[2] for alias, below in aliases.items() if below == member)}
    if condition.index and not own & {*condition.left_out}:
        return f"for {condition.index} = {member}, both sides are equal: {condition.index} ≠ {member} is missing"
    if strangers := sorted({*condition.left_out} - own - {*members}):
        raise FormulaError(f"{condition}: {strangers[0]} is not {member}")
    return ""


def _difference(left: Node, right: Node) -> Node:
    """Left minus right, without numbers: what is large is large without them."""
    terms = [*(left.args if left.op == "add" else [left])]
    terms += [negate(each) for each in (right.args if right.op == "add" else [right])]
    return add(*([each for each in terms if each.names()] or terms))


def _of_logits(condition: Condition, members: Mapping[str, tuple[str, ...]]) -> Condition:
    """The condition on exponents, if both sides are powers of e: e^x ≫ Σ_{i≠j} e^{y_i} says x − y_i ≫ 0 for all i."""
    left, right, index = _exponent(condition.left), condition.right, (condition.index, condition.left_out)
    if right.op == "each" and set(right.leaf[1]) in map(set, members.values()):
        right, index = right.args[0], right.leaf
    exponent = _exponent(right)
    if left is None or exponent is None:
        return condition
    return replace(condition, left=left, right=exponent, index=index[0], left_out=index[1])


def _exponent(node: Node) -> Node | None:
    """The exponent of a power of e; None for another formula."""
    if node.op == "call" and node.leaf == "exp":
        return node.args[0]
    return node.args[1] if node.op == "power" and node.args[0] == name("e") else None


def free_index(formula: Node, table: Symbols) -> str:
    """The index in a formula that is not the name of a member."""
    known = {*table.shapes, *(member for members in table.members.values() for member in members)}
    below = {each.partition("_")[2] for each in formula.names() if each not in table.shapes}
    return min(below - known - {""}, default="")


def _number(value: Value) -> Exact:
    return value.reshape(-1)[0]
