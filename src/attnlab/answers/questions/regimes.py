"""How the constants of an answer may grow: each in its own way, some far faster than others, or all on one path.

A relation needs no rule of its own. C ≫ t says that C/t grows without bound: C is t times a variable that grows in its
own way. So an answer that is right on every path of its variables is right on every path with that relation.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np

from attnlab.answers.parsing.complaints import FormulaError
from attnlab.answers.parsing.nodes import Node, call, name, number, over, power, times
from attnlab.answers.parsing.shapes import NoValueError
from attnlab.answers.parsing.trees import Condition
from attnlab.answers.questions.instances import exact_number
from attnlab.answers.questions.questions import Question
from attnlab.answers.values.effort import UndecidedError
from attnlab.answers.values.evaluation import Value, evaluate
from attnlab.answers.values.exact import GROWING, NONE, ONE, PI, ZERO, Exact, Term, exponential, growing, logarithm
from attnlab.answers.values.growth import eventual_sign, interval, limit

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

    def at(self, rungs: Sequence[int], names: Sequence[str]) -> dict[str, Value]:
        """Some of the constants of a path at each size of its variable, in floating point."""
        at = [self.on({"r": Exact.of(rung)}).values for rung in rungs]
        return {each: np.array([_float(values[each]) for values in at]).reshape(-1, 1, 1, 1) for each in names}


def _float(value: Exact) -> float:
    try:
        return float(interval(value, 64).mid)
    except (OverflowError, UndecidedError):
        return float("inf")


def every_path(question: Question, *further: Condition) -> Growth:
    """The constants as they may grow: on every path that the answer's relations, and further ones, allow."""
    base = _in_their_own_way(question)
    above: dict[str, Above] = {}
    for relation in (*question.relations, *further):
        found = _solved(question, relation, base)
        if found is not None:
            variable, each = found
            above[variable] = each.joined(above[variable], relation) if variable in above else each
    meant = {variable: _resolved(variable, above, ()) for variable in above}
    return Growth({each: value.substituted(meant) for each, value in base.items()})


@dataclass(frozen=True)
class Above:
    """What a variable is far above: C ≫ t for depth 0, ln C ≫ t for depth 1, e^C ≫ t for depth −1."""

    target: Exact
    depth: int = 0

    def joined(self, other: "Above", relation: Condition) -> "Above":
        """Both: C ≫ t and C ≫ s say C ≫ t + s."""
        if self.depth != other.depth:
            raise FormulaError(f"{relation}: expected one relation for each large constant")
        return Above(self.target + other.target, self.depth)

    def of(self, variable: Exact) -> Exact:
        """What is far above the target where the variable grows in its own way: C is t times it."""
        found = self.target * variable
        for _ in range(abs(self.depth)):
            found = exponential(found) if self.depth > 0 else logarithm(found)
        return found


def _in_their_own_way(question: Question) -> dict[str, Exact]:
    """Every large constant as a variable, every small one as 1 over a variable, and a variance as 1 over its square."""
    found = {each: growing(each) ** (-1 if each in question.small else 1) for each in question.constants}
    return found | {each: growing(each) ** -2 for each in sorted(question.vanishing)}


def _solved(question: Question, relation: Condition, base: Mapping[str, Exact]) -> tuple[str, Above] | None:
    """The relation as a variable and what it is far above; None if it always holds, as C ≫ 7 does."""
    try:
        ratio = _side(question, relation.left, base) / _side(question, relation.right, base)
        with suppress(UndecidedError):
            if limit(ratio) == "∞":
                return None
        return _of_variable(ratio)
    except (NoValueError, UndecidedError):
        raise FormulaError(f"{relation}: expected a large constant far above something else, as in C ≫ t") from None


def _side(question: Question, side: Node, base: Mapping[str, Exact]) -> Exact:
    """A side of a relation, in terms of variables."""
    sizes = {size: exact_number(Exact.factor("size", size)) for size in question.problem.sizes[0]}
    known = {"e": exact_number(exponential(ONE)), "π": exact_number(PI)}
    values = {**sizes, **known, **{each: exact_number(value) for each, value in base.items()}}
    return evaluate(side, values, question.problem.whole_table(question.declared)).item()


def _of_variable(ratio: Exact) -> tuple[str, Above]:
    """The variable that grows in a ratio, and what it must be far above for the ratio to grow: C ≫ √t for C²/t."""
    ((exponent, powers),) = ratio.terms if len(ratio.terms) == 1 else [(ZERO, NONE)]
    grown = [(factor, power) for factor, power in powers if factor[0] == "log" and power > 0]
    if len(grown) == 1:
        (((_, variable, depth), power),) = grown
        large = Exact.factor("log", variable, depth)
    elif not grown and len(exponent.variables()) == 1:  # e^(2C)/t says e^C ≫ √t
        (variable,), depth = exponent.variables(), -1
        large, power = exponential(growing(variable)), (exponent / growing(variable)).rational or 0
    else:
        raise UndecidedError("several constants may be the large one")
    if power <= 0:
        raise UndecidedError("none of its constants makes it grow")
    target = large / ratio ** (1 / Fraction(power))
    if variable in target.variables() or eventual_sign(target) <= 0:
        raise UndecidedError("the large constant is on both sides, or what it is above is not above 0")
    return variable, Above(target, depth)


def _resolved(variable: str, above: Mapping[str, Above], over: tuple[str, ...]) -> Exact:
    """The variable as a function of variables that grow in their own way."""
    if variable in over:
        raise FormulaError("expected relations that can hold together, got constants that are far above each other")
    if variable not in above:
        return growing(variable)
    target = above[variable].target
    below = {each: _resolved(each, above, (*over, variable)) for each in target.variables()}
    return replace(above[variable], target=target.substituted(below)).of(growing(variable))


def paths(growth: Growth) -> Iterator[Growth]:
    """Some paths, each with one variable: all variables grow alike, the first grows fastest, or the last."""
    variables = list(dict.fromkeys(each for value in growth.values.values() for each in sorted(value.variables())))
    slower = [Fraction(1, 2) ** place for place in range(len(variables))]
    for powers in [[Fraction(1)] * len(variables), slower, slower[::-1]][: 3 if len(variables) > 1 else 1]:
        grown = zip(variables, APART * len(variables), powers, strict=False)
        path = growth.on({each: (GROWING**exponent).scaled(Fraction(factor)) for each, factor, exponent in grown})
        if all(limit(value) in ("∞", ZERO) for value in path.values.values()):  # C = t u/s may not be large
            yield path


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


def told_by(question: Question, ratio: Term) -> Iterator[Growth]:
    """The ways in which a ratio of powers and logarithms of constants grows, or vanishes: C ≫ t² for C/t²."""
    sides: dict[bool, list[Node]] = {True: [], False: []}
    for (_, variable, depth), exponent in sorted(ratio[1]):
        side = _large_form(question, variable, Fraction(1) if depth else abs(exponent))
        for _ in range(depth):
            side = call("ln", side)
        sides[exponent > 0].append(power(side, number(abs(exponent))) if depth else side)
    above, below = times(*sides[True]), times(*sides[False])
    if ratio[0] or question.relations:
        return
    for relation in (Condition(above, below), Condition(below, above)):
        with suppress(FormulaError):
            yield replace(every_path(question, relation), words=str(relation))


def _large_form(question: Question, constant: str, exponent: Fraction = Fraction(1)) -> Node:
    """What grows like a power of the constant's variable: C, 1/s for a small constant, 1/√α for a variance."""
    if constant in question.vanishing:
        exponent /= 2
    root = exponent == Fraction(1, 2) and constant in question.vanishing
    raised = call("sqrt", name(constant)) if root else power(name(constant), number(exponent))
    return over(number(1), raised) if constant in question.small | question.vanishing else raised
