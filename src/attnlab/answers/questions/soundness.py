"""Checks a problem: its names, its symbols, and the shapes of its definitions and wanted equations."""

from attnlab.answers.parsing.shapes import SCALAR, shape_of, written
from attnlab.answers.questions.conditions import free_index
from attnlab.answers.questions.instances import instances, number, values_of
from attnlab.answers.questions.problem import EULER, Problem
from attnlab.answers.questions.questions import Question
from attnlab.answers.questions.trials import constants_at, standard_draws
from attnlab.answers.values.evaluation import evaluate


class ProblemError(Exception):
    """A mistake in a problem's file: which key, and what was expected."""


def expect(holds: bool, message: str) -> None:
    """Raise `ProblemError` with the message unless `holds`."""
    if not holds:
        raise ProblemError(message)


def sound(problem: Problem) -> Problem:
    """The problem; raises if its symbols cannot be made or its shapes do not fit."""
    _check_names(problem)
    _check_constants(problem)
    table = problem.defined()
    for wanted in (*problem.wanted, *(each for others in problem.otherwise for each in others)):
        left, right = shape_of(wanted.left, table), shape_of(wanted.right, table)
        expect(left == right, f"wanted: {wanted.left} is {written(left)} and {wanted.right} is {written(right)}")
    expect(shape_of(problem.unit, table) == SCALAR, "unit: expected a number")
    expect(
        not problem.shown_in or problem.shown_in in table.shapes, f"shown_in: expected a symbol, got {problem.shown_in}"
    )
    _check_condition(problem)
    _check_symbols(problem)
    strangers = {*problem.defaults, *problem.given} - {*problem.unknowns}
    expect(not strangers, f"{', '.join(sorted(strangers))}: defaults and given are for unknowns only")
    for formula in (*problem.defaults.values(), *problem.given.values()):
        shape_of(formula, problem.table())
    question = Question(problem, {}, {}, (), frozenset(), prediction=False)
    for instance in instances(problem):
        values = values_of(problem, instance, constants_at(question, number(1.0)), standard_draws(question))
        if problem.unit.names() <= values.keys():
            expect(bool(evaluate(problem.unit, values, table).all()), "unit: expected a number other than 0")
    return problem


def _check_condition(problem: Problem) -> None:
    """Raise unless the problem's condition, if it has one, is about a number for each vector without a name."""
    if problem.condition is None:
        return
    expect(bool(problem.members), 'condition: expected members that it compares with others, such as n = ["j"]')
    table = problem.whole_table()
    index = free_index(problem.condition, table)
    found = shape_of(problem.condition, table, {index: next(iter(problem.members))} if index else {})
    expect(found == SCALAR, f"condition: expected a number, got {problem.condition}, which is {written(found)}")


def _check_constants(problem: Problem) -> None:
    """Raise if a formula of the problem has a large constant: only answers may choose constants."""
    norms = {symbol.norm for symbol in problem.symbols.values()}
    formulas = {f"definitions.{name}": [*each] for name, each in problem.definitions.items()}
    for wanted in (*problem.wanted, *(each for others in problem.otherwise for each in others)):
        formulas.setdefault("wanted", []).extend([wanted.left, wanted.right])
    formulas |= {"unit": [problem.unit], "condition": [problem.condition] if problem.condition else []}
    for where, some in formulas.items():
        used = sorted({name for each in some for name in each.names()} & {*problem.large()} - norms)
        expect(not used, f"{where}: {', '.join(used)} is no symbol of the problem; add it to the symbols")


def _check_names(problem: Problem) -> None:
    """Raise if a name has two meanings, an alias is not for a symbol, or a size has more names than vectors."""
    kinds = (problem.symbols, problem.sizes[0], problem.unknowns, EULER)
    names = [name for kind in kinds for name in kind]
    twice = sorted({name for name in names if names.count(name) > 1} | ({*names} & {*problem.definitions}))
    expect(not twice, f"{', '.join(twice)}: this name is taken; choose another")
    for alias, meant in problem.aliases.items():
        known = meant in names or meant.partition("_")[0] in problem.symbols
        expect(known and alias not in names, f"aliases.{alias}: expected a new name for a symbol")
    for size, members in problem.members.items():
        fits = len(set(members)) == len(members) <= min(each.get(size, 0) for each in problem.sizes)
        expect(fits, f"members.{size}: expected different names, at most as many as the smallest {size}")
    expect(bool(problem.wanted or problem.predictions), "wanted: expected an equation")
    unmade = sorted({*problem.known} - {*problem.definitions})
    expect(not unmade, f"known: {', '.join(unmade)} is not one of the definitions")
    others = sorted({*problem.columns_too} - {*problem.predictions})
    expect(not others, f"predictions.columns_too: {', '.join(others)} is not one of the predictions")
    given = not problem.predictions or set(problem.given) == set(problem.unknowns)
    expect(given, "predictions: given must have a formula for every unknown")


def _check_symbols(problem: Problem) -> None:
    """Raise if the variances, norms and references of symbols do not fit together."""
    before: list[str] = []
    for name, each in problem.symbols.items():
        where = f"symbols.{name}"
        named = each.kind != "noise" or each.variance in problem.small()
        expect(named, f"{where}: variance must name a symbol of kind small")
        expect(each.kind != "normal" or each.shape == SCALAR, f"{where}: expected a number, without a shape")
        numeric = isinstance(each.variance, float) and 0 < each.variance < 1e6
        expect(each.kind != "normal" or numeric, f"{where}: expected a variance above 0")
        expect(each.kind != "small" or 0 < each.shown < 1, f"{where}: expected shown between 0 and 1")
        expect(each.orthogonal_to in ("", *before), f"{where}: orthogonal_to must name a symbol before it")
        expect(
            each.norm not in {*problem.symbols, *problem.sizes[0]},
            f"{where}: norm must name a constant, not a symbol or a size",
        )
        before.append(name)
