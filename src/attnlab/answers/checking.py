"""Checks an answer: formulas → question → ruling → counterexample, repair → verdict."""

import math
import re
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, ClassVar

from attnlab.answers.parsing.complaints import shown
from attnlab.answers.parsing.formulas import FormulaError, UnknownSymbolError, parse, parse_expression
from attnlab.answers.parsing.shapes import NoValueError
from attnlab.answers.questions.conditions import missed_condition
from attnlab.answers.questions.instances import Instance, instances
from attnlab.answers.questions.loading import find_problem
from attnlab.answers.questions.problem import Problem
from attnlab.answers.questions.questions import Question, expected_form, pose, with_columns
from attnlab.answers.questions.regimes import every_path
from attnlab.answers.ruling.counterexamples import NOT_SHOWN, Counterexample, counterexample, ill_shaped
from attnlab.answers.ruling.limits import exact_trial, in_numbers
from attnlab.answers.ruling.repairs import repair
from attnlab.answers.ruling.ruling import Ruling, Word, large_enough, largest, rule
from attnlab.answers.values.effort import EFFORT, EXPLAINING, Effort, UndecidedError
from attnlab.answers.values.plain import plain
from attnlab.calls import Call
from attnlab.contents import Content
from attnlab.numbers import percent_as_typed, percent_at_most
from attnlab.records import Record, record

NEGLIGIBLE = 1e-4
"""An error below this share is not shown as a number."""
TOLD = (
    "problem",
    "answer",
    "verdict",
    "reason",
    "condition",
    "large_enough",
    "counterexample",
    "suggestion",
    "slip",
)
"""What the JSON of a verdict has."""


@record
class Verdict(Record):
    """Whether an answer is right, why it is not, and a right answer.

    `suggestion` is the answer with a small correction, which `slip` names. If no small correction helps, `slip` is
    empty and the suggestion is another answer that holds. `counterexample` is in plain numbers.
    """

    shown_by: ClassVar[str] = "answers.verdict"

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
    made_by: Call = Call("check")

    @property
    def holds(self) -> bool:
        """Whether the answer holds, with or without a condition."""
        return self.verdict in ("holds", "holds if")

    @property
    def words(self) -> str:
        """The verdict with its condition."""
        return f"{self.verdict} {self.condition}".strip()

    @Content(*TOLD)
    def to_dict(self) -> dict[str, Any]:
        """The verdict and its explanation."""
        return {name: value for name, value in asdict(self).items() if name in TOLD}

    @property
    def call(self) -> Call:
        """The call that checks the answer again."""
        return self.made_by


def check(problem: Problem | str, *formulas: str) -> Verdict:
    """Whether an answer to a problem is right; `FormulaError` if it cannot be read.

    >>> check("extract", "M = A^T").suggestion
    'M = A Aᵀ'
    """
    problem = find_problem(problem) if isinstance(problem, str) else problem
    answer = parse(*formulas, form=expected_form(problem))
    questions = [pose(problem, each) for each in (answer, *answer.links())]
    call = Call("check", (problem.argument, *formulas))
    try:
        return replace(_weakest([_checked(each, len(questions)) for each in questions]), made_by=call)
    except UnknownSymbolError as error:
        raise FormulaError(f"{error}{_reading(error.name, formulas)}") from None


def _weakest(verdicts: list[Verdict]) -> Verdict:
    """The verdict of a chain, M = A Aᵀ = …: that of the first part that fails, or is undecided, or has a condition."""
    order: tuple[Word, ...] = ("fails", "undecided", "holds if", "holds")
    return min(verdicts, key=lambda each: order.index(each.verdict))


def _reading(unknown: str, formulas: tuple[str, ...]) -> str:
    """The end of an error about an unknown symbol: how the lab read the word that the symbol is a part of.

    >>> _reading("x", ("A^T + xyz",)), _reading("x", ("A^T + x",))
    ("; 'xyz' is read as 'x·y·z'", '')
    """
    for word in re.findall(r"(?<![\\\w])[A-Za-z]\w+", " ".join(formulas)):
        try:
            read = parse_expression(word)
        except FormulaError:
            continue
        if read.op == "times" and unknown in read.names():
            return f"; {shown(word)} is read as {shown('·'.join(map(str, read.args)))}"
    return ""


def _checked(question: Question, links: int) -> Verdict:
    """The verdict on one part of a chain of `links` parts, which share the budget of work."""
    try:
        return _decided(question, EFFORT // links, EXPLAINING // links)
    except UndecidedError as error:
        return Verdict(question.problem.name, str(question), "undecided", f"the lab cannot decide about it: {error}")


def _decided(question: Question, effort: int, explaining: int) -> Verdict:
    """The verdict; raises `UndecidedError` if the lab cannot decide with that much work."""
    if question.conditions:
        Effort.begin(effort)
        missed = missed_condition(question)
        return Verdict(
            question.problem.name,
            str(question),
            "fails" if missed else "holds",
            missed or "this difference must be large, and that is enough",
            suggestion=_one_that_holds(question) if missed else None,
        )
    try:
        ruling = rule(question, effort)
    except NoValueError as error:
        if _holds_in_columns(question, effort):
            return Verdict(question.problem.name, str(question), "holds", "equal, with the vectors as columns")
        plainest = instances(question.problem)[0]
        return _failed(question, str(error), plainest, ill_shaped(question, plainest))
    Effort.begin(explaining)
    if ruling.instance and ruling.growth:
        try:
            found = counterexample(question, ruling.instance, ruling.growth)
        except (NoValueError, UndecidedError) as error:  # too large to show in numbers
            found = Counterexample({}, "", NOT_SHOWN if isinstance(error, UndecidedError) else str(error))
        return _failed(question, found.difference, ruling.instance, found)
    return _held(replace(question, wanted=ruling.wanted or question.wanted), ruling)


def _holds_in_columns(question: Question, effort: int) -> bool:
    """Whether the problem lets an answer take vectors as columns, and the answer then holds."""
    columns = with_columns(question)
    with suppress(UndecidedError, NoValueError):
        return columns is not None and rule(columns, effort).word == "holds"
    return False


def _held(question: Question, ruling: Ruling) -> Verdict:
    exact, limited = question.prediction or question.exact, question.prediction and ruling.word == "holds if"
    enough = None
    with suppress(UndecidedError):  # the answer holds; how large is large enough is not told
        enough = None if question.prediction else large_enough(question, largest(question.problem))
    shown = enough if enough is None or math.isfinite(enough) else None
    return Verdict(
        question.problem.name,
        str(question),
        ruling.word,
        _how_far(question, enough) or ("equal" if exact and ruling.word == "holds" else ""),
        condition=ruling.condition,
        large_enough=shown,
        suggestion=_one_that_holds(question) if limited else None,
    )


def _how_far(question: Question, enough: float | None) -> str:
    """How large is large enough, and on which instance; or, without a constant, the largest error."""
    if enough is not None:
        at = {name: size for name, size in largest(question.problem).sizes.items() if name == "n"}
        at |= {name: 0 for name, symbol in question.problem.draws().items() if symbol.kind == "normal"}
        where = ", ".join(f"{name} = {value}" for name, value in at.items())
        are = "is" if len(question.constants) == 1 else "are"
        if not math.isfinite(enough):
            return f"{' and '.join(question.constants)} must be above 10¹² for 1 %{f' ({where})' if where else ''}"
        bound = f"{' and '.join(question.constants)} ≥ {plain(enough)}"
        return f"{bound} {are} large enough for 1 %{f' ({where})' if where else ''}"
    if question.growing or question.prediction or question.exact or question.problem.small():
        return ""
    growth = every_path(question)
    trials = (in_numbers(exact_trial(question, each, growth)) for each in instances(question.problem))
    try:
        most = max(float(trial.error.max()) for trial in trials)
    except UndecidedError:
        return ""
    if most < NEGLIGIBLE:
        return f"the error is below {percent_as_typed(NEGLIGIBLE)}"
    return f"the error is at most {percent_at_most(most, digits=3)}"


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
    """A sample answer of the problem to the same question that holds. What is wrong with a sample is told where the
    samples are checked."""
    for sample in question.problem.samples:
        with suppress(FormulaError, NoValueError, UndecidedError):
            other = pose(question.problem, parse(sample.answer))
            fits = sample.verdict.startswith("holds") and set(other.answered) >= set(question.answered)
            new = str(other) != str(question) and not other.conditions
            if fits and new and rule(other).word in ("holds", "holds if"):
                return str(other)
    return None
