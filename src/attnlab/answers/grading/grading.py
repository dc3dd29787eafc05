"""Grades a class: reads a CSV file of answers, and adds verdicts to its rows. A bad row does not stop the others."""

import signal
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from multiprocessing.resource_tracker import ensure_running
from pathlib import Path
from typing import Any, ClassVar

from attnlab.answers.checking import Verdict, check
from attnlab.answers.grading.graded_file import graded_line, growing, heading
from attnlab.answers.grading.patience import PATIENCE, LateError, at_most
from attnlab.answers.grading.submissions import read_submissions
from attnlab.answers.parsing.formulas import FormulaError
from attnlab.answers.questions.loading import problems
from attnlab.answers.questions.problem import Problem
from attnlab.calls import Call, OptionWord
from attnlab.errors import ArgumentError, StoppedError
from attnlab.progress import SILENT, Observer, WatchedTask
from attnlab.records import Record, record

ENOUGH = 60
"""With at least this many different answers, a process is started on every core."""
TOGETHER, AHEAD = 4, 64
"""A process gets this many answers at once, and at most this many of such groups wait."""
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
            verdict = "holds if" if row.verdict.startswith("holds if") else row.verdict
            found.setdefault(row.problem, Counter())[verdict] += 1
        return {problem: dict(counter) for problem, counter in found.items()}

    def common_mistakes(self, most: int = 5) -> list[tuple[str, str, int]]:
        """The wrong answers that several students gave: problem, answer, count."""
        wrong = Counter((row.problem, row.answer.strip()) for row in self.rows if row.verdict == "fails")
        return [(problem, answer, count) for (problem, answer), count in wrong.most_common(most) if count > 1]

    def as_csv(self) -> bytes:
        """The graded rows as a CSV file."""
        first = heading(list(self.rows[0].row) if self.rows else [])
        return b"".join([first, *(graded_line(each.row, each.outcome) for each in self.rows)])

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
        each = stack.enter_context(_graders(extra, len(asked)))
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
    return Grades(tuple(grades), path, out, files, tuple(_warnings(grades, _with_own(extra))))


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


def _asked(row: Mapping[str, str]) -> tuple[str, str]:
    """A row's problem and answer."""
    return row["problem"].strip().lower(), row["answer"]


Known = dict[str, Problem]
_known: Known = {}


def _get_ready(extra: Sequence[Problem]) -> None:
    """Load the problems into a process that grades."""
    _known.clear()
    _known.update(_with_own(extra))


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
    pool = ProcessPoolExecutor(initializer=_get_ready, initargs=(extra,), mp_context=get_context("spawn"))
    try:
        yield lambda asked: _in_order(pool, asked)
    except BaseException:  # after Ctrl-C, nobody waits for the answers that are being graded
        for process in list(pool._processes.values()):
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(pool: ProcessPoolExecutor, asked: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """The grades of answers, in their order. Only some answers wait for a process, so that memory stays small."""
    ensure_running()  # its first call unblocks signals
    waiting: deque[Future[list[tuple[str, str, str]]]] = deque()
    left = iter(asked)
    while some := list(islice(left, TOGETHER)):
        # Ctrl-C reaches every process of a terminal. Processes that are started while it is blocked do not hear it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            waiting.append(pool.submit(_graded_together, some))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if len(waiting) >= AHEAD:
            yield from waiting.popleft().result()
    while waiting:
        yield from waiting.popleft().result()


def _graded_together(asked: list[tuple[str, str]]) -> list[tuple[str, str, str]]:
    return [_graded(each) for each in asked]


def _graded(asked: tuple[str, str]) -> tuple[str, str, str]:
    """Verdict, reason and suggestion of one answer."""
    problem, answer = asked
    if problem not in _known:
        return "unreadable", f"expected the name of a problem ({', '.join(_known)}), got {problem[:40]!r}", ""
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
