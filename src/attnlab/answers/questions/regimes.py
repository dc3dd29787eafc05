"""How the constants of an answer may grow: each in its own way, some far faster than others, or all on one path.

A relation needs no rule of its own. C ≫ t says that C/t grows without bound: C is t times a variable that grows in its
own way. So an answer that is right on every path of its variables is right on every path with that relation.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np

from attnlab.answers.complaints import FormulaError
from attnlab.answers.effort import UndecidedError
from attnlab.answers.evaluation import Value, evaluate
from attnlab.answers.exact import GROWING, ONE, PI, ZERO, Exact, exponential, growing, logarithm
from attnlab.answers.growth import eventual_sign, interval, limit
from attnlab.answers.instances import exact_number
from attnlab.answers.nodes import Node, name, number, over, power
from attnlab.answers.questions import Question
from attnlab.answers.shapes import NoValueError
from attnlab.answers.trees import Condition

APART = (1, *(Fraction(each, 10_000) for each in (12_537, 8_143, 11_171, 9_371, 13_719, 7_433)))
"""Factors that keep constants of different names apart on a path."""
MOST_ORDERED = 3
"""Up to this many constants, all orders of them are tried."""


@dataclass(frozen=True)
class Growth:
    """Each constant as a function of variables that grow without bound, each in its own way. `words`: the relation
    between constants that this takes for granted, if the answer does not state it."""

    values: Mapping[str, Exact]
    words: str = ""

    def on(self, path: Mapping[str, Exact]) -> "Growth":
        """The constants where the variables are functions of others, or numbers."""
        return replace(self, values={each: value.substituted(path) for each, value in self.values.items()})

    def at(self, rungs: Sequence[int]) -> dict[str, Value]:
        """The constants of a path at each size of its variable, in floating point."""
        return {
            each: np.array([_float(value.substituted({"r": Exact.of(rung)})) for rung in rungs]).reshape(-1, 1, 1, 1)
            for each, value in self.values.items()
        }


def _float(value: Exact) -> float:
    try:
        return float(interval(value, 64).mid)
    except (OverflowError, UndecidedError):
        return float("inf")


def every_path(question: Question, *further: Condition) -> Growth:
    """The constants as they may grow: on every path that the answer's relations, and further ones, allow."""
    base = _in_their_own_way(question)
    targets: dict[str, Exact] = {}
    for relation in (*question.relations, *further):
        solved = _solved(question, relation, base)
        if solved is not None:
            variable, target = solved
            targets[variable] = targets.get(variable, ZERO) + target
    meant = {variable: _resolved(variable, targets, ()) for variable in targets}
    words = ", ".join(map(str, further))
    return Growth({each: value.substituted(meant) for each, value in base.items()}, words)


def _in_their_own_way(question: Question) -> dict[str, Exact]:
    """Every large constant as a variable, every small one as 1 over a variable, and a variance as 1 over its square."""
    found = {each: growing(each) ** (-1 if each in question.small else 1) for each in question.constants}
    return found | {each: growing(each) ** -2 for each in sorted(question.vanishing)}


def _solved(question: Question, relation: Condition, base: Mapping[str, Exact]) -> tuple[str, Exact] | None:
    """A variable and what it must be far above, so that the relation holds; None if it always holds."""
    larger, smaller = (_side(question, side, base) for side in (relation.left, relation.right))
    try:
        if limit(larger) != "∞":
            larger, smaller = 1 / smaller, 1 / larger
        if limit(larger) != "∞" or eventual_sign(smaller) < 0:
            raise FormulaError(f"{relation}: expected a large number on the larger side, and one above 0 on the other")
        if not smaller.variables():
            return None
    except UndecidedError:
        pass  # it grows on some paths only, as C/t does
    except NoValueError as error:
        raise FormulaError(f"{relation}: {error}") from None
    variable, target = _of_variable(larger, smaller, relation)
    try:
        return None if isinstance(limit(target), Exact) else (variable, target)
    except UndecidedError:
        return variable, target


def _side(question: Question, side: Node, base: Mapping[str, Exact]) -> Exact:
    """A side of a relation, in terms of variables."""
    sizes = {size: exact_number(Exact.factor("size", size)) for size in question.problem.sizes[0]}
    known = {"e": exact_number(exponential(ONE)), "π": exact_number(PI)}
    values = {**sizes, **known, **{each: exact_number(value) for each, value in base.items()}}
    return evaluate(side, values, question.problem.whole_table(question.declared)).item()


def _of_variable(larger: Exact, smaller: Exact, relation: Condition) -> tuple[str, Exact]:
    """The variable that grows in the larger side, and what it must be far above. C² ≫ t says C ≫ √t."""
    if len(larger.terms) == 1:
        ((_, powers), _) = next(iter(larger.terms.items()))
        grown = [(factor, each) for factor, each in powers if factor[0] == "log" and each > 0]
        if len(grown) == 1 and grown[0][0][2] == 0 and grown[0][0][1] not in (smaller / larger * _monomial(*grown[0])).variables():
            ((_, variable, _), exponent) = grown[0]
            return variable, (smaller / larger) ** (1 / exponent) * growing(variable)
    raise FormulaError(f"{relation}: expected a relation such as C ≫ t")


def _monomial(factor: tuple, exponent: Fraction) -> Exact:
    return Exact.factor(*factor, power=exponent)


def _resolved(variable: str, targets: Mapping[str, Exact], above: tuple[str, ...]) -> Exact:
    """The variable as its target times itself, which now grows in its own way; likewise in the target."""
    if variable in above:
        raise FormulaError("expected relations that can hold together, got each of two constants far above the other")
    if variable not in targets:
        return growing(variable)
    below = {each: _resolved(each, targets, (*above, variable)) for each in targets[variable].variables()}
    return targets[variable].substituted(below) * growing(variable)


def paths(growth: Growth) -> Iterator[Growth]:
    """Some paths, each with one variable: all variables grow alike, the first grows fastest, or the last."""
    variables = list(dict.fromkeys(each for value in growth.values.values() for each in sorted(value.variables())))
    slower = [Fraction(1, 2) ** place for place in range(len(variables))]
    for powers in [[Fraction(1)] * len(variables), slower, slower[::-1]][: 3 if len(variables) > 1 else 1]:
        grown = zip(variables, APART * len(variables), powers, strict=False)
        yield growth.on({each: (GROWING**exponent).scaled(Fraction(factor)) for each, factor, exponent in grown})


def orders(question: Question) -> Iterator[Growth]:
    """The ways in which one constant may be far above another, or all in some order."""
    large = [_large_form(question, each) for each in _in_their_own_way(question)]
    some = [*permutations(large)] if len(large) <= MOST_ORDERED else [tuple(large), tuple(large[::-1])]
    for chain in dict.fromkeys([*permutations(large, 2), *some]) if len(large) > 1 else []:
        try:
            growth = every_path(question, *(Condition(left, right) for left, right in pairwise(chain)))
        except FormulaError:  # the answer states the opposite
            continue
        yield replace(growth, words=" ≫ ".join(map(str, chain)))


def _large_form(question: Question, constant: str) -> Node:
    """What grows like the constant's variable: C, 1/s for a small constant, 1/√α for a variance."""
    if constant in question.vanishing:
        return over(number(1), Node("call", (name(constant),), "sqrt"))
    return over(number(1), name(constant)) if constant in question.small else name(constant)
