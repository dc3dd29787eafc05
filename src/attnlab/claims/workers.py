"""Processes that run claims. They end when the process that started them ends, or when a person presses Ctrl-C."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.pool import Pool
from multiprocessing.resource_tracker import ensure_running

__all__ = ["Pool", "workers"]


@contextmanager
def workers(count: int, renewed: int | None = None) -> Iterator[Pool]:
    """A pool of processes; they are ended with the block. After `renewed` tasks, a new process replaces an old one.

    Ctrl-C reaches every process of a terminal. While the pool is made, it is blocked: the processes, and the threads
    that start more of them, inherit that. So only this process hears it.
    """
    ensure_running()  # the first call unblocks signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        pool = get_context("spawn").Pool(count, _begin, maxtasksperchild=renewed)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    with pool:
        yield pool


def _begin() -> None:
    """End at once when told to end, also in the middle of training, and when the process that started this one ends.

    The system itself ends the process: a handler of Python's would wait for the main thread, which may wait for a lock
    of a process that was ended before.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
