"""Checking an answer: formulas → question → ruling → counterexample, repair → verdict."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.answers.counterexamples import Counterexample, counterexample, ill_shaped
from attnlab.answers.formulas import parse
from attnlab.answers.instances import Instance, instances
from attnlab.answers.loading import find_problem
from attnlab.answers.plain import plain
from attnlab.answers.problem import Problem
from attnlab.answers.questions import Question, pose
from attnlab.answers.repairs import repair
from attnlab.answers.shapes import NoValueError
from attnlab.answers.trials import errors_at, growths, standard_draws
from attnlab.answers.verdicts import Ruling, Word, large_enough, largest, rule


@dataclass(frozen=True)
class Verdict:
    """What an answer is worth, why, and what would be right.

    `suggestion` is the answer itself, mended by a small edit that `slip` names; where no edit mends it, `slip` is empty
    and the suggestion is an answer to the same question that holds. `counterexample` is in plain numbers.
    """

    problem: str
    answer: str
    verdict: Word
    reason: str
    condition: str = ""
    large_enough: float | None = None
    counterexample: dict[str, Any] | None = None
    counterexample_words: str = ""
    suggestion: str | None = None
    slip: str = ""

    @property
    def holds(self) -> bool:
        """Whether the answer holds, with or without a condition."""
        return self.verdict != "fails"

    @property
    def words(self) -> str:
        """The verdict with its condition."""
        return f"{self.verdict} {self.condition}".strip()


def check(problem: Problem | str, *formulas: str) -> Verdict:
    """Whether an answer to a problem is right; `FormulaError` if it cannot be read.

    >>> check("extract", "M = A^T").suggestion
    'M = A Aᵀ'
    """
    problem = find_problem(problem) if isinstance(problem, str) else problem
    question = pose(problem, parse(*formulas))
    try:
        ruling = rule(question)
    except NoValueError as error:
        plainest = instances(problem)[0]
        return _failed(question, str(error), plainest, ill_shaped(question, plainest))
    if ruling.instance and ruling.growth:
        found = counterexample(question, ruling.instance, ruling.growth)
        return _failed(question, found.difference, ruling.instance, found)
    return _held(question, ruling)


def _held(question: Question, ruling: Ruling) -> Verdict:
    limited = question.prediction and ruling.word == "holds if"
    enough = None if question.prediction else large_enough(question, largest(question.problem))
    return Verdict(
        question.problem.name,
        str(question),
        ruling.word,
        _how_far(question, enough) or _equal(question, ruling),
        condition=ruling.condition,
        large_enough=enough,
        suggestion=_one_that_holds(question) if limited else None,
    )


def _equal(question: Question, ruling: Ruling) -> str:
    exact = question.prediction or all(wanted.exact for wanted in question.wanted)
    return "equal on every instance" if exact and ruling.word == "holds" else ""


def _how_far(question: Question, enough: float | None) -> str:
    """How large is large enough, and where that was found; or the error that is left without a constant."""
    if enough is not None:
        at = {name: size for name, size in largest(question.problem).sizes.items() if name == "n"}
        at |= {name: 0 for name, symbol in question.problem.draws().items() if symbol.kind == "normal"}
        where = ", ".join(f"{name} = {value}" for name, value in at.items())
        names = (
            f"{' and '.join(question.constants)} ≥ {plain(enough)} {'is' if len(question.constants) == 1 else 'are'}"
        )
        return f"{names} large enough for 1 %{f' ({where})' if where else ''}"
    exact = question.prediction or all(wanted.exact for wanted in question.wanted)
    if question.constants or exact or question.problem.small():
        return ""
    growth = growths(question)[0]
    errors = [
        errors_at(question, each, growth, np.ones(1), standard_draws(question)).max()
        for each in instances(question.problem)
    ]
    return f"its error is {plain(100 * float(max(errors)))} % at most"


def _failed(question: Question, reason: str, instance: Instance, found: Counterexample) -> Verdict:
    mended = repair(question, instance)
    return Verdict(
        question.problem.name,
        str(question),
        "fails",
        reason,
        counterexample=found.numbers,
        counterexample_words=found.words,
        suggestion=str(mended.question) if mended else _one_that_holds(question),
        slip=mended.slip if mended else "",
    )


def _one_that_holds(question: Question) -> str | None:
    """An answer to the same question that the problem's author knows to hold."""
    for sample in question.problem.samples:
        other = pose(question.problem, parse(sample.answer))
        fits = sample.verdict.startswith("holds") and set(other.answered) >= set(question.answered)
        if fits and str(other) != str(question) and rule(other).word != "fails":
            return str(other)
    return None
