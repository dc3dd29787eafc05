"""What the page Answers asks about formulas: which problems there are, how a formula reads, whether an answer is right.

`python -m attnlab.studio.checking` answers each line of JSON with a line of JSON. The studio asks such a process, since
some answers take many seconds, and the checker counts its work for one answer at a time.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attnlab.answers import FormulaError, Grades, Problem, Verdict, check, find_problem, list_problems, read_problem
from attnlab.answers.parsing.formulas import parse
from attnlab.answers.questions.questions import expected_form
from attnlab.contents import Content
from attnlab.errors import AttnlabError, FileError
from attnlab.report.writing.maths import set_formulas

AnswerRequest = Mapping[str, Any]
READY = "ready"
MOST_SHOWN = 500
"""The most rows of a class that the page shows; the graded file has all of them."""


def find(asked: AnswerRequest) -> Problem:
    """The problem that was asked about: the user's own, or the lab's of that name."""
    own = asked.get("own")
    if own is None:
        return find_problem(asked["problem"])
    return read_problem(own["toml"].encode("utf-8", "replace"), Path(f"{own['name']}.toml"))


def told_problems(asked: AnswerRequest) -> dict[str, Any]:
    """The lab's own problems."""
    found = list_problems()
    told = [told_problem(each) for each in found.problems]
    return {"problems": told, "command": found.command, "python": found.python}


def told_own(asked: AnswerRequest) -> dict[str, Any]:
    """A problem of the user's own, or the error in its file: a file that is being written often has one."""
    try:
        return {"problem": told_problem(find(asked)), "error": ""}
    except FileError as error:
        return {"problem": None, "error": str(error)}


def told_problem(problem: Problem) -> dict[str, Any]:
    """A problem as the page shows it."""
    found = list_problems(problem)
    (about,) = found.to_dict().values()
    return {
        "name": problem.name,
        "title": problem.title,
        "question": _set(problem.question),
        "form": _set(expected_form(problem)),
        "asked": [{"name": each, "set": _set(each), "optional": each in problem.defaults} for each in problem.unknowns],
        "symbols": [{"name": _set(name), "says": _set(says)} for name, says in about["symbols"].items()],
        "names": [_set(name) for name in about["names"]],
        "samples": [{"answer": each.answer, "verdict": each.verdict} for each in problem.samples],
        "command": found.command,
        "python": found.python,
    }


def told_reading(asked: AnswerRequest) -> dict[str, Any]:
    """How the lab reads each formula. An empty text is left out; one that cannot be read has an error."""
    return {"formulas": [_reading(each) for each in asked["formulas"]]}


def _reading(formula: str) -> dict[str, str]:
    try:
        return {"set": _set(str(parse(formula))) if formula.strip() else "", "error": ""}
    except FormulaError as error:
        return {"set": "", "error": str(error)}


def told_answer(asked: AnswerRequest) -> dict[str, Any]:
    """The verdict on an answer. An answer that cannot be read has the verdict `unreadable`, as in a class."""
    problem, formulas = find(asked), [each for each in asked["formulas"] if each.strip()]
    try:
        return told_verdict(check(problem, *formulas), problem)
    except FormulaError as error:
        return {"verdict": "unreadable", "words": "cannot be read", "reason": _set(" ".join(str(error).split()))}


def told_verdict(found: Verdict, problem: Problem) -> dict[str, Any]:
    """A verdict as the page shows it. Its texts are escaped HTML with subscripts and superscripts."""
    return {
        "verdict": found.verdict,
        "words": _set(found.words),
        "answer": _set(found.answer),
        "reason": _set(found.reason),
        "example": _set(found.counterexample_words),
        "suggestion": _set(found.suggestion or ""),
        "corrected": _split(found.suggestion, problem) if found.suggestion else [],
        "slip": found.slip,
        "record": found.to_dict(),
        "command": found.command,
        "python": found.python,
    }


@Content(
    Grades,
    rows=[Content(student=str, problem=str, answer=str, verdict=str, reason=str, suggestion=str)],
)
def told_grades(found: Grades) -> dict[str, Any]:
    """The grades of a class as the page shows them: the first rows, and what is said about all of them."""
    told = ("student", "problem", "answer", "verdict")
    rows = [
        {name: getattr(each, name) for name in told}
        | {"reason": _set(each.reason), "suggestion": _set(each.suggestion)}
        for each in found.rows[:MOST_SHOWN]
    ]
    return {"rows": rows, **found.to_dict()}


def told_file(asked: AnswerRequest) -> dict[str, Any]:
    """The verdict on an answer as a file: .html or .csv."""
    found = check(find(asked), *(each for each in asked["formulas"] if each.strip()))
    with tempfile.TemporaryDirectory() as folder:
        path = found.save(Path(folder) / f"{found.problem}{asked['ending']}")
        return {"content": path.read_text(encoding="utf-8")}


def _split(answer: str, problem: Problem) -> list[str]:
    """An answer as one formula for each unknown, so that each gets its own field."""
    read = parse(answer)
    if read.conditions or len(read.expressions) != len(problem.unknowns):
        return [answer]
    return [f"{left} = {right}" for left, right in read.expressions.items()]


def _set(text: str) -> str:
    return str(set_formulas(text))


QUESTIONS: dict[str, Callable[[AnswerRequest], dict[str, Any]]] = {
    "problems": told_problems,
    "own": told_own,
    "reading": told_reading,
    "answer": told_answer,
    "file": told_file,
}


def main() -> None:
    """Answer questions until the studio ends."""
    print(json.dumps(READY), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            told = {"told": QUESTIONS[asked["question"]](asked)}
        except AttnlabError as error:
            told = {"refused": str(error)}
        print(json.dumps(told, allow_nan=False), flush=True)


if __name__ == "__main__":
    main()
