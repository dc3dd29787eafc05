"""Checking an answer: formulas → question → ruling → counterexample, repair → verdict."""

from dataclasses import dataclass
from typing import Any

from attnlab.answers.counterexamples import Counterexample, counterexample, ill_shaped
from attnlab.answers.formulas import parse
from attnlab.answers.instances import Instance, instances
from attnlab.answers.loading import find_problem
from attnlab.answers.plain import plain
from attnlab.answers.problem import Problem
from attnlab.answers.questions import Question, pose
from attnlab.answers.repairs import repair
from attnlab.answers.shapes import NoValueError
from attnlab.answers.trials import limit
from attnlab.answers.verdicts import Ruling, Word, large_enough, rule


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
    if ruling.word == "fails" and ruling.instance:
        found = counterexample(question, ruling.instance)
        return _failed(question, found.difference, ruling.instance, found)
    return _held(question, ruling)


def _held(question: Question, ruling: Ruling) -> Verdict:
    problem = question.problem
    largest = instances(problem)[len(problem.sizes) - 1]
    enough = None if question.prediction else large_enough(question, largest)
    reasons = []
    if enough is not None:
        names = " and ".join(question.constants)
        sizes = ", ".join(f"{name} = {size}" for name, size in largest.sizes.items() if name == "n")
        reasons.append(f"{names} ≥ {plain(enough)} is large enough for 1 %{f' ({sizes})' if sizes else ''}")
    elif all(wanted.exact for wanted in question.wanted) or (question.prediction and ruling.word == "holds"):
        reasons.append("equal on every instance, to the last digits")
    elif not question.constants:
        error = max(float(limit(question, each)[0].error.max()) for each in instances(problem))
        reasons.append(
            f"no constant in it grows, yet its error stays at {plain(100 * error)} % on every instance tried"
        )
    limited = question.prediction and ruling.word == "holds if"
    return Verdict(
        problem.name,
        str(question),
        ruling.word,
        "; ".join(reasons),
        condition=ruling.condition,
        large_enough=enough,
        suggestion=_one_that_holds(question) if limited else None,
    )


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
        answer = parse(sample.answer)
        if sample.verdict.startswith("holds") and set(answer.expressions) >= set(question.answered):
            return str(answer)
    return None
