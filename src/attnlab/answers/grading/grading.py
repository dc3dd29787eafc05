"""Grades a class: reads a CSV file of answers, and adds verdicts to its rows. A bad row does not stop the others."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from attnlab.answers.grading.graded_file import graded_line, growing, heading
from attnlab.answers.grading.graders import graders, with_own
from attnlab.answers.grading.submissions import read_submissions
from attnlab.answers.questions.problem import Problem
from attnlab.answers.questions.questions import IN_THE_LIMIT
from attnlab.calls import Call, OptionWord
from attnlab.contents import Content, Sometimes
from attnlab.errors import ArgumentError, StoppedError
from attnlab.progress import SILENT, Observer, WatchedTask
from attnlab.records import Record, record

SHOWN = 5
"""A warning names at most this many problems, and at most this many lines of each."""


@dataclass(frozen=True)
class Grade:
    """A row of the class: who answered what, the verdict, and why. For an `unreadable` answer, `reason` says where."""

    student: str
    problem: str
    answer: str
    verdict: str
    reason: str
    suggestion: str
    row: Mapping[str, str]
    """The row of the file, with all its columns."""
    line: int = 0
    """The line of the file where the row begins."""

    @property
    def outcome(self) -> tuple[str, str, str]:
        """The verdict, the reason and the suggestion."""
        return self.verdict, self.reason, self.suggestion


@record
class Grades(Record):
    """The grades of a class."""

    shown_by: ClassVar[str] = "answers.grades"

    rows: tuple[Grade, ...]
    path: Path
    """The file of the answers."""
    out: Path | None = None
    """The file with the graded rows, if they were written."""
    problem_files: tuple[str, ...] = ()
    """The files of teachers' problems."""
    warnings: tuple[str, ...] = ()
    """Sentences about rows that name no known problem, and about rows without a student."""

    def counts(self) -> dict[str, dict[str, int]]:
        """How many answers to each problem got each verdict."""
        found: dict[str, Counter[str]] = {}
        for row in self.rows:
            found.setdefault(row.problem, Counter())[_kind(row.verdict)] += 1
        return {problem: dict(counter) for problem, counter in found.items()}

    def common_mistakes(self, most: int = 5) -> list[tuple[str, str, int]]:
        """The wrong answers that several students gave: problem, answer, count."""
        wrong = Counter((row.problem, row.answer.strip()) for row in self.rows if row.verdict == "fails")
        return [(problem, answer, count) for (problem, answer), count in wrong.most_common(most) if count > 1]

    @Content(
        "warnings",
        answers=int,
        counts=dict[str, dict[str, int]],
        common_mistakes=[Content(problem=str, answer=str, count=int)],
        out=Sometimes(str),
    )
    def to_dict(self) -> dict[str, Any]:
        """The number of answers, their verdicts, the most common mistakes, the warnings, and the file with the graded
        rows."""
        mistakes = ({"problem": p, "answer": a, "count": count} for p, a, count in self.common_mistakes())
        value = {"answers": len(self.rows), "counts": self.counts(), "common_mistakes": list(mistakes)}
        value["warnings"] = list(self.warnings)
        return value | ({"out": str(self.out)} if self.out else {})

    @property
    def call(self) -> Call:
        """The call that grades the class again."""
        problem = {"problem": self.problem_files[0]} if self.problem_files else {}
        out = {"out": self.out} if self.out else {}
        return Call("check", (OptionWord("answers", self.path),), problem | out, "grade")


def grade(
    path: Path | str,
    out: Path | str | None = None,
    extra: Sequence[Problem] = (),
    observer: Observer = SILENT,
    heard: Callable[[str, str, str], None] | None = None,
) -> Grades:
    """Grade every row of a CSV file with the columns student, problem and answer. `out` is the file for the graded
    rows; `extra` are problems in addition to the lab's own. `heard` gets the problem, the answer and the verdict of
    each different answer as soon as they are known."""
    path, out = Path(path), Path(out) if out is not None else None
    if out is not None and out.resolve() == path.resolve():
        raise ArgumentError("out", f"expected another file than that of the answers, got {out}")
    rows = list(read_submissions(path))
    asked = list(dict.fromkeys(_asked(row) for _, row in rows))  # many students give the same answer
    came = list(rows[0][1]) if rows else []
    with ExitStack() as stack:
        file = stack.enter_context(growing(out, heading(came))) if out is not None else None
        each = stack.enter_context(graders(extra, len(asked)))
        task = stack.enter_context(observer.task("answers", len(asked)))
        grades: list[Grade] = []
        try:
            for grade in _grades(rows, zip(asked, each(asked), strict=True), heard, task):
                grades.append(grade)
                if file is not None:
                    file.add(graded_line(grade.row, grade.outcome))
        except KeyboardInterrupt as error:
            if file is None:
                raise
            raise StoppedError(
                f"stopped after {len(grades):,} of {len(rows):,} rows, which are in {file.path}"
            ) from error
    files = tuple(problem.file for problem in extra if problem.file)
    return Grades(tuple(grades), path, out, files, tuple(_warnings(grades, with_own(extra))))


def _grades(
    rows: Iterable[tuple[int, Mapping[str, str]]],
    verdicts: Iterator[tuple[tuple[str, str], tuple[str, str, str]]],
    heard: Callable[[str, str, str], None] | None,
    task: WatchedTask,
) -> Iterator[Grade]:
    """The grade of each row, as soon as its verdict is known. The verdicts come in the order in which the rows ask."""
    found: dict[tuple[str, str], tuple[str, str, str]] = {}
    for line, row in rows:
        question = _asked(row)
        while question not in found:
            asked, found[asked] = next(verdicts)
            if heard:
                heard(*asked, found[asked][0])
            task.advance()
        yield Grade(row["student"].strip(), *question, *found[question], row, line)


def graded_path(path: Path) -> Path:
    """The default file for the graded rows: beside the answers.

    >>> graded_path(Path("class.csv")).name
    'class-graded.csv'
    """
    return path.with_name(f"{path.stem}-graded.csv")


def _warnings(grades: Sequence[Grade], known: Collection[str]) -> Iterator[str]:
    """Sentences about rows that name no known problem, and about rows without a student."""
    unknown: dict[str, list[int]] = {}
    for each in grades:
        if each.problem not in known:
            unknown.setdefault(each.problem[:40] or "an empty name", []).append(each.line)
    if unknown:
        count = sum(map(len, unknown.values()))
        who = "1 row names" if count == 1 else f"{count:,} rows name"
        names = [f"{name} ({_lines(at)})" for name, at in unknown.items()]
        yield f"{who} an unknown problem: {', '.join(names[:SHOWN])}{', …' if len(names) > SHOWN else ''}"
    nameless = [each.line for each in grades if not each.student]
    if nameless:
        who = "1 row has" if len(nameless) == 1 else f"{len(nameless):,} rows have"
        yield f"{who} no name of a student ({_lines(nameless)})"


def _lines(numbers: Sequence[int]) -> str:
    """The numbers of lines in words; only the first few if there are many.

    >>> _lines([2]), _lines([2, 3, 4, 5, 6, 7])
    ('line 2', 'lines 2, 3, 4, 5, 6, …')
    """
    shown = ", ".join(map(str, numbers[:SHOWN])) + (", …" if len(numbers) > SHOWN else "")
    return f"line{'s' if len(numbers) > 1 else ''} {shown}"


def _kind(verdict: str) -> str:
    """A verdict without its condition. A prediction that is right in the limit only is a kind of its own."""
    if verdict.startswith("holds if"):
        return "in the limit" if verdict.endswith(IN_THE_LIMIT) else "holds if"
    return verdict


def _asked(row: Mapping[str, str]) -> tuple[str, str]:
    """A row's problem and answer."""
    return row["problem"].strip().lower(), row["answer"]
