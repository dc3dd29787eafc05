"""The list of problems: what each asks, and the symbols that an answer may use."""

from typing import Any, ClassVar

from attnlab.answers.questions.loading import find_problem, problems
from attnlab.answers.questions.problem import Problem
from attnlab.calls import Call
from attnlab.records import Called, record


@record
class Problems(Called):
    """Problems, each with its question, its symbols and an example."""

    shown_by: ClassVar[str] = "answers.problems"

    problems: tuple[Problem, ...]

    def to_dict(self) -> dict[str, Any]:
        """The problems by name."""
        return {each.name: _described(each) for each in self.problems}


def list_problems(problem: Problem | str | None = None) -> Problems:
    """One problem, or all of the lab's own problems.

    >>> list_problems("copy").to_dict()["copy"]["unknowns"]
    ['q']
    """
    if problem is None:
        return Problems(tuple(problems().values()), made_by=Call("check --list", function="problems"))
    problem = find_problem(problem) if isinstance(problem, str) else problem
    verb = "check --list" if problem.file else "check"
    return Problems((problem,), made_by=Call(verb, (problem.argument,), function="problems"))


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
