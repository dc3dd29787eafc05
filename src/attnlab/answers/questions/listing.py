"""The list of problems: what each asks, and the symbols that an answer may use."""

from typing import Any, ClassVar

from attnlab.answers.questions.loading import find_problem, problems
from attnlab.answers.questions.problem import Problem
from attnlab.records import Record, command_line, record


@record
class Problems(Record):
    """Problems, each with its question, its symbols and an example."""

    shown_by: ClassVar[str] = "answers.problems"

    problems: tuple[Problem, ...]
    typed: tuple[str, ...]
    """The words of the command line after `attnlab check`."""

    def to_dict(self) -> dict[str, Any]:
        """The problems by name."""
        return {each.name: _described(each) for each in self.problems}

    @property
    def command(self) -> str:
        """The command line that lists the problems again."""
        return command_line(["check", *self.typed])


def list_problems(problem: Problem | str | None = None) -> Problems:
    """One problem, or all of the lab's own problems.

    >>> list_problems("copy").to_dict()["copy"]["unknowns"]
    ['q']
    """
    if problem is None:
        return Problems(tuple(problems().values()), ("--list",))
    problem = find_problem(problem) if isinstance(problem, str) else problem
    return Problems((problem,), (*problem.typed, *(["--list"] if problem.file else [])))


def _described(problem: Problem) -> dict[str, Any]:
    return {
        "title": problem.title,
        "question": problem.question,
        "unknowns": [*problem.unknowns],
        "predictions": [*problem.predictions],
        "symbols": {name: symbol.says for name, symbol in problem.symbols.items() if symbol.says},
        "names": problem.table().names(),
        "example": problem.samples[0].answer if problem.samples else None,
    }
