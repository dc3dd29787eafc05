"""Grading a class: a CSV of answers in, the same with verdicts out. One bad row does not stop the rest."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from attnlab.answers.checking import Verdict, check
from attnlab.answers.formulas import FormulaError
from attnlab.answers.loading import problems
from attnlab.answers.problem import Problem
from attnlab.errors import FileError

NEEDED = ("student", "problem", "answer")
MOST_BYTES = 100_000_000
MOST_FIELD = 20_000_000
ENOUGH = 60
"""Different answers that are worth starting a process for on every core."""


@dataclass(frozen=True)
class Grade:
    """A row of the class: who answered what, and what it is worth. `unreadable` answers say why in `reason`."""

    student: str
    problem: str
    answer: str
    verdict: str
    reason: str
    suggestion: str
    row: Mapping[str, str]
    """The row as it came, all its columns."""


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
        came = list(self.rows[0].row) if self.rows else list(NEEDED)
        added = ["verdict", "reason", "suggestion"]
        writer = csv.writer(text)
        writer.writerow([*(name for name in came if name not in added), *added])
        for each in self.rows:
            kept = [value for name, value in each.row.items() if name not in added]
            writer.writerow([*kept, each.verdict, each.reason, each.suggestion])
        return text.getvalue().encode()


def grade(
    path: Path,
    extra: Sequence[Problem] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Grades:
    """Grade every row of a CSV file with the columns student, problem and answer.

    `extra` are problems beside the lab's own. `progress` is told how many different answers are done, and of how many.
    """
    rows = list(_rows(path))
    asked = list(dict.fromkeys(_asked(row) for row in rows))  # a class gives many an answer more than once
    found: dict[tuple[str, str], tuple[str, str, str]] = {}
    with _graders(extra, len(asked)) as each:
        for done, (question, grades) in enumerate(zip(asked, each(asked), strict=True)):
            found[question] = grades
            progress(done + 1, len(asked))
    return Grades(tuple(Grade(row["student"].strip(), *_asked(row), *found[_asked(row)], row) for row in rows))


def _asked(row: Mapping[str, str]) -> tuple[str, str]:
    """A row's problem and answer."""
    return row["problem"].strip().lower(), row["answer"]


Known = dict[str, Problem]
_known: Known = {}


def _get_ready(extra: Sequence[Problem]) -> None:
    """What a process that grades must know."""
    _known.clear()
    _known.update(problems(), **{problem.name.lower(): problem for problem in extra})


@contextmanager
def _graders(
    extra: Sequence[Problem], count: int
) -> Iterator[Callable[[Iterable[tuple[str, str]]], Iterator[tuple[str, str, str]]]]:
    """A function that grades many answers: here, or on every core where there are enough of them."""
    if count < ENOUGH:
        _get_ready(extra)
        yield lambda asked: map(_graded, asked)
        return
    with ProcessPoolExecutor(initializer=_get_ready, initargs=(extra,), mp_context=get_context("spawn")) as pool:
        yield lambda asked: pool.map(_graded, asked, chunksize=4)


def _graded(asked: tuple[str, str]) -> tuple[str, str, str]:
    """Verdict, reason and suggestion of one answer."""
    problem, answer = asked
    if problem not in _known:
        return "unreadable", f"expected a problem, one of {', '.join(_known)}, got {problem[:40]!r}", ""
    try:
        found = check(_known[problem], answer)
    except FormulaError as error:
        return "unreadable", " ".join(str(error).split()), ""
    except Exception as error:  # a bug of ours must not cost a class its grades; the row says so
        return "unreadable", f"the checker itself failed on this answer ({type(error).__name__}); please report it", ""
    return found.words, _with_slip(found), found.suggestion or ""


def _with_slip(found: Verdict) -> str:
    return f"{found.reason}; {found.slip}" if found.slip else found.reason


def _rows(path: Path) -> Iterator[dict[str, str]]:
    """Each row by its columns, whatever their order. An answer that comes last may have commas without quotes."""
    text = _text(path)
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    before = csv.field_size_limit(MOST_FIELD)  # one huge answer is one unreadable answer, not the end of the class
    try:
        heading = [each.strip() for each in next(reader, [])]
        names = [each.lower() if each.lower() in NEEDED else each for each in heading]
        _check_columns(path, names)
        for row in reader:
            if any(each.strip() for each in row):
                if len(row) > len(names) and names[-1] == "answer":
                    row[len(names) - 1 :] = [delimiter.join(row[len(names) - 1 :])]
                yield dict(zip(names, [*row, *[""] * len(names)], strict=False))
    except csv.Error as error:
        raise FileError(path, f"expected a CSV file: {error}", line=reader.line_num) from error
    finally:
        csv.field_size_limit(before)


def _check_columns(path: Path, names: list[str]) -> None:
    missing = [name for name in NEEDED if name not in names]
    if missing:
        found = ", ".join(names)[:80] or "nothing"
        raise FileError(path, f"expected a first row with the columns {', '.join(NEEDED)}, got {found}", line=1)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise FileError(path, f"expected each column once, got {twice[0]} twice", line=1)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise FileError(path, f"expected at most {MOST_BYTES:,} bytes, got {path.stat().st_size:,}")
        content = path.read_bytes()
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FileError(path, "expected UTF-8 text", line=line) from error
