"""Grading a class: a CSV of answers in, the same with verdicts out. One bad row does not stop the rest."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from attnlab.answers.checking import Verdict, check
from attnlab.answers.formulas import FormulaError
from attnlab.answers.loading import problems
from attnlab.answers.problem import Problem
from attnlab.errors import FileError

NEEDED = ("student", "problem", "answer")
MOST_BYTES = 100_000_000
MOST_FIELD = 20_000_000


@dataclass(frozen=True)
class Grade:
    """A row of the class: who answered what, and what it is worth. `unreadable` answers say why in `reason`."""

    student: str
    problem: str
    answer: str
    verdict: str
    reason: str
    suggestion: str


@dataclass(frozen=True)
class Grades:
    """The whole class."""

    rows: tuple[Grade, ...]

    def counts(self) -> dict[str, dict[str, int]]:
        """How many answers to each problem got each verdict."""
        found: dict[str, Counter[str]] = {}
        for row in self.rows:
            found.setdefault(row.problem, Counter())[row.verdict.partition(" if")[0]] += 1
        return {problem: dict(counter) for problem, counter in found.items()}

    def common_mistakes(self, most: int = 5) -> list[tuple[str, str, int]]:
        """The wrong answers that several gave: problem, answer, how many."""
        wrong = Counter((row.problem, row.answer.strip()) for row in self.rows if row.verdict == "fails")
        return [(problem, answer, count) for (problem, answer), count in wrong.most_common(most) if count > 1]

    def as_csv(self) -> bytes:
        """The table to hand back."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow([*NEEDED, "verdict", "reason", "suggestion"])
        writer.writerows(
            [row.student, row.problem, row.answer, row.verdict, row.reason, row.suggestion] for row in self.rows
        )
        return text.getvalue().encode()


def grade(
    path: Path,
    extra: Sequence[Problem] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Grades:
    """Grade every row of a CSV file with the columns student, problem and answer.

    `extra` are problems beside the lab's own. `progress` is told how many rows are done, and of how many.
    """
    known = {**problems(), **{problem.name: problem for problem in extra}}
    rows = list(_rows(path))
    seen: dict[tuple[str, str], tuple[str, str, str]] = {}
    graded: list[Grade] = []
    for done, (student, problem, answer) in enumerate(rows):
        if (problem, answer) not in seen:
            seen[problem, answer] = _graded(problem, answer, known)
        graded.append(Grade(student, problem, answer, *seen[problem, answer]))
        progress(done + 1, len(rows))
    return Grades(tuple(graded))


def _graded(problem: str, answer: str, known: Mapping[str, Problem]) -> tuple[str, str, str]:
    """Verdict, reason and suggestion of one answer."""
    if problem not in known:
        return "unreadable", f"expected a problem, one of {', '.join(known)}, got {problem[:40]!r}", ""
    try:
        found = check(known[problem], answer)
    except FormulaError as error:
        return "unreadable", str(error), ""
    return found.words, _with_slip(found), found.suggestion or ""


def _with_slip(found: Verdict) -> str:
    return f"{found.reason}; {found.slip}" if found.slip else found.reason


def _rows(path: Path) -> Iterator[tuple[str, str, str]]:
    """Student, problem and answer of each row, whatever the order of the columns."""
    csv.field_size_limit(MOST_FIELD)
    reader = csv.reader(io.StringIO(_text(path), newline=""))
    try:
        heading = [each.strip().lower() for each in next(reader, [])]
        places = [_column(path, heading, name) for name in NEEDED]
        for row in reader:
            if any(each.strip() for each in row):
                student, problem, answer = (row[place] if place < len(row) else "" for place in places)
                yield student.strip(), problem.strip(), answer
    except csv.Error as error:
        raise FileError(path, f"expected a CSV file: {error}", line=reader.line_num) from error


def _column(path: Path, heading: list[str], name: str) -> int:
    if name not in heading:
        found = ", ".join(heading)[:80] or "nothing"
        raise FileError(path, f"expected a first row with the columns {', '.join(NEEDED)}, got {found}", line=1)
    return heading.index(name)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise FileError(path, f"expected at most {MOST_BYTES:,} bytes, got {path.stat().st_size:,}")
        content = path.read_bytes()
    except OSError as error:
        raise FileError(path, f"cannot be read: {(error.strerror or str(error)).lower()}") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FileError(path, "expected UTF-8 text", line=line) from error
