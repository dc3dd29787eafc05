"""Answers to questions about attention: `check`, `grade`, `problems`."""

from pathlib import Path

from attnlab import answers
from attnlab.answers import Grades, Problem, Problems, Verdict
from attnlab.progress import watching

__all__ = ["check", "grade", "problems"]


def check(problem: str | Path | Problem, *formulas: str) -> Verdict:
    """Whether an answer is right, why not, and what would be: `check("two-heads", "q_1 = C mu_a", "q_2 = C mu_b")`.

    A problem is one of the lab's by its name, or a file of one's own that ends in .toml.
    """
    return answers.check(_problem(problem), *formulas)


def grade(path: str | Path, *, out: str | Path | None = None, problem: str | Path | None = None) -> Grades:
    """Grade a class: a .csv file with the columns student, problem and answer. The graded rows go to `out`, if it is
    given. `problem` is a file with a problem of one's own."""
    extra = [answers.load_problem(problem)] if problem is not None else []
    return answers.grade(path, out, extra, watching())


def problems(problem: str | Path | Problem | None = None) -> Problems:
    """The problems there are, with their symbols; or one of them."""
    return answers.list_problems(None if problem is None else _problem(problem))


def _problem(problem: str | Path | Problem) -> Problem | str:
    if isinstance(problem, Problem):
        return problem
    return answers.load_problem(problem) if str(problem).endswith(".toml") else str(problem)
