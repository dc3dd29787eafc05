"""Grades a class: reads a CSV file of answers, and adds verdicts to its rows. A bad row does not stop the others."""

import csv
import io
import signal
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ClassVar

from attnlab.answers.checking import Verdict, check
from attnlab.answers.formulas import FormulaError
from attnlab.answers.loading import problems
from attnlab.answers.patience import PATIENCE, LateError, at_most
from attnlab.answers.problem import Problem
from attnlab.answers.submissions import NEEDED, read_submissions
from attnlab.errors import ArgumentError
from attnlab.files import write_whole
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, command_line, record

ENOUGH = 60
"""With at least this many different answers, a process is started on every core."""
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
            verdict = "holds if" if row.verdict.startswith("holds if") else row.verdict
            found.setdefault(row.problem, Counter())[verdict] += 1
        return {problem: dict(counter) for problem, counter in found.items()}

    def common_mistakes(self, most: int = 5) -> list[tuple[str, str, int]]:
        """The wrong answers that several students gave: problem, answer, count."""
        wrong = Counter((row.problem, row.answer.strip()) for row in self.rows if row.verdict == "fails")
        return [(problem, answer, count) for (problem, answer), count in wrong.most_common(most) if count > 1]

    def as_csv(self) -> bytes:
        """The graded rows as a CSV file."""
        text = io.StringIO(newline="")
        came = list(self.rows[0].row) if self.rows else list(NEEDED)
        added = ["verdict", "reason", "suggestion"]
        writer = csv.writer(text)
        writer.writerow([*(name for name in came if name not in added), *added])
        for each in self.rows:
            kept = [value for name, value in each.row.items() if name not in added]
            writer.writerow([*kept, each.verdict, each.reason, each.suggestion])
        return text.getvalue().encode()

    def to_dict(self) -> dict[str, Any]:
        """The number of answers, their verdicts, the most common mistakes, the warnings, and the file with the graded
        rows."""
        mistakes = ({"problem": p, "answer": a, "count": count} for p, a, count in self.common_mistakes())
        value = {"answers": len(self.rows), "counts": self.counts(), "common_mistakes": list(mistakes)}
        value["warnings"] = list(self.warnings)
        return value | ({"out": str(self.out)} if self.out else {})

    @property
    def command(self) -> str:
        """The command line that grades the class again."""
        words = [word for file in self.problem_files for word in ("--problem", file)]
        return command_line(["check", "--answers", self.path, *words, *(["--out", self.out] if self.out else [])])


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
    found: dict[tuple[str, str], tuple[str, str, str]] = {}
    with _graders(extra, len(asked)) as each, observer.task("answers", len(asked)) as task:
        for question, grades in zip(asked, each(asked), strict=True):
            found[question] = grades
            if heard:
                heard(*question, grades[0])
            task.advance()
    grades = tuple(Grade(row["student"].strip(), *_asked(row), *found[_asked(row)], row, line) for line, row in rows)
    files = tuple(problem.file for problem in extra if problem.file)
    graded = Grades(grades, path, out, files, tuple(_warnings(grades, _with_own(extra))))
    if out is not None:
        write_whole(out, graded.as_csv())
    return graded


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


def _asked(row: Mapping[str, str]) -> tuple[str, str]:
    """A row's problem and answer."""
    return row["problem"].strip().lower(), row["answer"]


Known = dict[str, Problem]
_known: Known = {}


def _get_ready(extra: Sequence[Problem]) -> None:
    """Load the problems into a process that grades."""
    _known.clear()
    _known.update(_with_own(extra))


def _get_ready_apart(extra: Sequence[Problem]) -> None:
    """The same in a process of its own. Ctrl-C is for the process that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _get_ready(extra)


def _with_own(extra: Sequence[Problem]) -> Known:
    """The lab's own problems and these, by name."""
    return problems() | {problem.name.lower(): problem for problem in extra}


@contextmanager
def _graders(
    extra: Sequence[Problem], count: int
) -> Iterator[Callable[[Iterable[tuple[str, str]]], Iterator[tuple[str, str, str]]]]:
    """A function that grades many answers: in this process, or on every core if there are many."""
    if count < ENOUGH:
        _get_ready(extra)
        yield lambda asked: map(_graded, asked)
        return
    pool = ProcessPoolExecutor(initializer=_get_ready_apart, initargs=(extra,), mp_context=get_context("spawn"))
    try:
        yield lambda asked: pool.map(_graded, asked, chunksize=4)
    except BaseException:  # after Ctrl-C, nobody waits for the answers that are being graded
        for process in list(pool._processes.values()):
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _graded(asked: tuple[str, str]) -> tuple[str, str, str]:
    """Verdict, reason and suggestion of one answer."""
    problem, answer = asked
    if problem not in _known:
        return "unreadable", f"expected one of the problems {', '.join(_known)}, got {problem[:40]!r}", ""
    try:
        with at_most(PATIENCE):
            found = check(_known[problem], answer)
    except LateError:
        return "undecided", f"takes more than {PATIENCE:g} seconds to check; a shorter formula may be decided", ""
    except FormulaError as error:
        return "unreadable", " ".join(str(error).split()), ""
    except Exception as error:  # a bug of ours must not stop the other grades; the row reports it
        return "unreadable", f"the checker itself failed on this answer ({type(error).__name__}); please report it", ""
    return found.words, _with_slip(found), found.suggestion or ""


def _with_slip(found: Verdict) -> str:
    return f"{found.reason}; {found.slip}" if found.slip else found.reason
