"""A limit on the time of one answer, so that a single row cannot hold up a class."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 10.0
"""The most seconds that an answer may take. Most take less than a tenth of one."""


class LateError(BaseException):
    """The time is over. No Exception: what catches those on the way, such as the parser, must not catch this."""


@contextmanager
def at_most(seconds: float = PATIENCE) -> Iterator[None]:
    """Raise `LateError` in the block when the time is over. Signals reach the main thread of a process alone, so
    elsewhere, and on systems without timers, there is no limit."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def late(*_: Any) -> None:
        raise LateError

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
