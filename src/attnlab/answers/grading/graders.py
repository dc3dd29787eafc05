"""Grades answers one after the other or, if they are many, on every core. Each has a limited time, so that a single row
cannot hold up a class."""

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from multiprocessing.resource_tracker import ensure_running
from typing import Any

from attnlab.answers.checking import Verdict, check
from attnlab.answers.parsing.formulas import FormulaError
from attnlab.answers.questions.loading import problems
from attnlab.answers.questions.problem import Problem

ENOUGH = 60
"""With at least this many different answers, a process is started on every core."""
TOGETHER, AHEAD = 4, 64
"""A process gets this many answers at once, and at most this many of such groups wait."""
PATIENCE = 10.0
"""The most seconds for one answer. Most answers take less than a tenth of a second."""


class TooSlowError(BaseException):
    """The time is over. No Exception: what catches those on the way, such as the parser, must not catch this."""


@contextmanager
def at_most(seconds: float = PATIENCE) -> Iterator[None]:
    """Raise `TooSlowError` in the block when the time is over. Signals reach the main thread of a process alone, so
    elsewhere, and on systems without timers, there is no limit."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def late(*_: Any) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


Known = dict[str, Problem]
_known: Known = {}


def _get_ready(extra: Sequence[Problem]) -> None:
    """Load the problems into a process that grades."""
    _known.clear()
    _known.update(with_own(extra))


def with_own(extra: Sequence[Problem]) -> Known:
    """The lab's own problems and these, by name."""
    return problems() | {problem.name.lower(): problem for problem in extra}


@contextmanager
def graders(
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
    except TooSlowError:
        return "undecided", f"takes more than {PATIENCE:g} seconds to check; a shorter formula may be decided", ""
    except FormulaError as error:
        return "unreadable", " ".join(str(error).split()), ""
    except Exception as error:  # a bug of ours must not stop the other grades; the row reports it
        return "unreadable", f"the checker itself failed on this answer ({type(error).__name__}); please report it", ""
    return found.words, _with_slip(found), found.suggestion or ""


def _with_slip(found: Verdict) -> str:
    return f"{found.reason}; {found.slip}" if found.slip else found.reason
