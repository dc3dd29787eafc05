"""How many threads torch uses, and whether they work or wait for one another.

On one thread torch adds numbers in the same order on every machine.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache

from attnlab.numbers import whole_percent
from attnlab.settings import Range

BUSY = 0.6
"""The share of their time that threads work at least, if no other program uses their cores."""
PATIENCE = 5.0
"""The seconds of training before an advice."""
SMALL = 500_000
"""On a CPU, models with fewer parameters than this train on one thread: not slower, and reproducible on any machine."""
MOST = 1024
"""The most threads: each takes memory, and no machine of today has more cores."""


def one_thread() -> AbstractContextManager[None]:
    """Let torch use one thread inside the block. Small steps do not get slower, as threads mostly wait there."""
    return using_threads(1)


def check_threads(count: int | None) -> None:
    """Raise if there cannot be this many threads. None: as many as usual."""
    if count is not None:
        Range(1, MOST).require("threads", count)


def threads_of(parameters: int, device: str) -> int | None:
    """How many threads a run of many uses, whatever else runs: one for a small model; else as many as torch uses now;
    None on a GPU.

    >>> threads_of(1000, "cpu"), threads_of(1000, "cuda")
    (1, None)
    """
    if device != "cpu":
        return None
    return 1 if parameters < SMALL else torch_threads()


@contextmanager
def using_threads(count: int | None) -> Iterator[None]:
    """Let torch use this many threads inside the block; None: as many as before."""
    if count is None:
        yield
        return
    check_threads(count)
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def usual_threads() -> int:
    """The number of threads that train a classifier, unless a person says how many: one for each core, up to four."""
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 4)


def torch_threads() -> int:
    """The number of torch's threads."""
    import torch

    return torch.get_num_threads()


@cache
def first_threads() -> int:
    """The number of torch's threads when this was first asked."""
    return torch_threads()


@dataclass
class ThreadWatch:
    """Compares the CPU time of this process with the time on the clock.

    >>> watch = ThreadWatch(clock=iter([0, 10]).__next__, worked=iter([0, 9]).__next__, threads=2)
    >>> watch.advice()
    "2 threads worked 45 % of the time: if other programs use this machine's cores, try --threads 1"
    """

    clock: Callable[[], float] = time.perf_counter
    worked: Callable[[], float] = time.process_time
    threads: int = field(default_factory=torch_threads)
    advised: bool = False

    def __post_init__(self) -> None:
        self.began, self.worked_before = self.clock(), self.worked()

    def advice(self) -> str:
        """What to do if several threads wait for one another; given once, and otherwise empty."""
        seconds = self.clock() - self.began
        if self.advised or self.threads < 2 or seconds < PATIENCE:
            return ""
        share = (self.worked() - self.worked_before) / (seconds * self.threads)
        if share >= BUSY:
            return ""
        self.advised = True
        waiting = f"{self.threads} threads worked {whole_percent(share)} of the time"
        return f"{waiting}: if other programs use this machine's cores, try --threads 1"
