"""Answers to questions about attention: `check`, `grade`, `problems`."""

from pathlib import Path
from typing import overload

from attnlab import answers
from attnlab.answers import CheckedSamples, Grades, Problem, Problems, Verdict
from attnlab.arguments import checked
from attnlab.observers import watching

__all__ = ["check", "grade", "problems"]


@overload
def check(problem: str | Path | Problem, formula: str, /, *formulas: str) -> Verdict: ...
@overload
def check(problem: str | Path | Problem) -> Problems | CheckedSamples: ...
@checked
def check(problem: str | Path | Problem, *formulas: str) -> Verdict | Problems | CheckedSamples:
    """Check an answer: `check("two-heads", "q_1 = C mu_a", "q_2 = C mu_b")`.

    The verdict tells whether the answer is right, why it fails, and how to correct it. A problem is the name of one of
    the lab's problems, or your own .toml file. Without a formula, the lab's problem is explained, and the sample
    answers of your own are checked.
    """
    asked = _problem(problem)
    if formulas:
        return answers.check(asked, *formulas)
    own = isinstance(asked, Problem) and asked.file
    return answers.check_samples(asked) if own else answers.list_problems(asked)


@checked
def grade(path: str | Path, *, out: str | Path | None = None, problem: str | Path | None = None) -> Grades:
    """Grade a class: a .csv file with the columns student, problem and answer. The graded rows are written to `out`, if
    given. `problem` is a file with your own problem."""
    extra = [answers.load_problem(problem)] if problem is not None else []
    return answers.grade(path, out, extra, watching())


@checked
def problems(problem: str | Path | Problem | None = None) -> Problems:
    """All problems with their symbols, or one problem."""
    return answers.list_problems(None if problem is None else _problem(problem))


def _problem(problem: str | Path | Problem) -> Problem | str:
    if isinstance(problem, Problem):
        return problem
    return answers.load_problem(problem) if str(problem).endswith(".toml") else str(problem)
