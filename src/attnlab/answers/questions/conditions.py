"""Checks an answer that is a condition: k_jᵀq ≫ k_iᵀq, for each i other than j."""

import numpy as np

from attnlab.answers.parsing.complaints import FormulaError
from attnlab.answers.parsing.nodes import Node, add, negate
from attnlab.answers.parsing.shapes import SCALAR, NoValueError, Symbols, shape_of
from attnlab.answers.parsing.trees import Condition
from attnlab.answers.questions.instances import instances, values_of
from attnlab.answers.questions.questions import Question
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
    said, asked = add(condition.left, negate(condition.right)), problem.condition
    index = condition.index or free_index(said, table)
    size = next(iter(problem.members))
    if shape_of(said, table, {index: size} if index else {}) != SCALAR:
        raise FormulaError(f"{condition}: expected numbers on both sides of ≫")
    factor: Exact | None = None
    random = np.random.default_rng(0)
    for instance in (each for each in instances(problem) for _ in range(QUERIES)):
        values = values_of(problem, instance, {}, {}, exact=True)
        for name, (rows, columns) in problem.unknowns.items():
            shape = (1, 1, *(instance.sizes.get(each, 1) for each in (rows, columns)))
            values[name] = exactly(random.integers(-50, 50, shape))
        if constants := sorted(name for name in said.names() if name in table.shapes and name not in values):
            raise FormulaError(f"{condition}: expected a condition without constants, got {constants[0]}")
        for place in range(len(problem.members[size]), instance.sizes[size]):
            left = _number(evaluate(said, values, table, {index: place} if index else {}))
            right = _number(evaluate(asked, values, table, {free_index(asked, table): place}))
            factor = left / right if factor is None and right else factor
            if factor is None or not is_zero(left - factor * right):
                return f"{asked} must be large for each i, and {condition} does not say so"
    return "" if factor is not None and constant_sign(factor) > 0 else f"it must be the other way round: {asked} ≫ 0"


def free_index(formula: Node, table: Symbols) -> str:
    """The index in a formula that is not the name of a member."""
    known = {*table.shapes, *(member for members in table.members.values() for member in members)}
    below = {each.partition("_")[2] for each in formula.names() if each not in table.shapes}
    return min(below - known - {""}, default="")


def _number(value: Value) -> Exact:
    return value.reshape(-1)[0]
