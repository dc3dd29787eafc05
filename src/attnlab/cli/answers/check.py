"""attnlab check: check an answer to a question about attention."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from attnlab.cli.command import Command, command, shown
from attnlab.errors import ArgumentError
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Check(Command):
    """Check an answer: whether it is right, why it fails, and how to correct it.

    Write formulas as you type or typeset them: C(k_a + k_b), \\frac{t}{2}(u_a+u_b), A A^T, μ_a, Σ_{i≠a,b} μ_i. The
    constants C, t, β, λ, κ, τ, s, and all constants that the answer calls ≫ 0, go to infinity. A problem with several
    unknowns takes several formulas. For a wrong answer you see the smallest example on which it fails, and a small edit
    that corrects it.

    Example: attnlab check two-heads "q_1 = \\mu_a" "q_2 = \\mu_b"
    """

    answer: Positional[Annotated[tuple[str, ...], shown("PROBLEM FORMULA [FORMULA ...]")]] = ()
    """The problem, and a formula for each unknown. With --problem, only the formulas."""
    list: bool = False
    """Explain the problems and their symbols."""
    problem: Annotated[Path | None, shown("FILE.toml")] = None
    """A file with your own problem. Without a formula, its sample answers are checked."""
    answers: Annotated[Path | None, shown("FILE.csv")] = None
    """Grade a class: a file with the columns student, problem, answer."""
    out: Annotated[Path | None, shown("FILE.csv")] = None
    """The file for the graded answers (default: beside the answers, with -graded in its name)."""

    @staticmethod
    def as_words(arguments: Sequence[str]) -> Sequence[str]:
        """The arguments with a space before formulas that begin with a minus: those are not options."""
        return [f" {each}" if re.match(r"-(?![-h])|-h.", each) else each for each in arguments]

    def run(self) -> Record:
        """The verdict on one answer, the grades of a class, the problems, or the verdicts on sample answers."""
        from attnlab.answers import check, check_samples, grade, graded_path, list_problems, load_problem

        own = load_problem(self.problem) if self.problem else None
        if self.out and not self.answers:
            raise ArgumentError("out", "needs --answers: it is the file for the graded class")
        if self.answers and self.answer:
            raise ArgumentError("answers", f"takes no formula, got {self.answer[0][:40]!r}")
        if self.list:
            return list_problems(own)
        if self.answers:
            return grade(self.answers, self.out or graded_path(self.answers), [own] if own else [], TerminalObserver())
        if own:
            return check(own, *self.answer) if self.answer else check_samples(own)
        if not self.answer:
            raise ArgumentError("PROBLEM", "expected a problem and a formula; --list explains the problems")
        problem, *formulas = self.answer
        return check(problem, *formulas) if formulas else list_problems(problem)
