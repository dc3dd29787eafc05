"""Tasks in processes of this machine, which joblib starts. They end with the process that started them, and when a
person presses Ctrl-C."""

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from attnlab.errors import AttnlabError, StoppedError
from attnlab.parallel.messages import Channel, Heard, TellingObserver, stop_requested, stopped_by
from attnlab.parallel.spreading import Task

LOOK = 0.2
"""Seconds between two looks whether the process that started this one still lives."""
KNOWN = ("A worker stopped while some jobs", r"\d+ tasks (which were still|have been successfully)")
"""joblib's warnings when it replaces a process whose memory has grown, and when work ends early."""


@dataclass(frozen=True)
class Stopped:
    """The end of a task that was asked to stop, and what it says; without words, it had not begun."""

    words: str = ""


def in_processes(
    function: Callable[..., Any], tasks: Sequence[Task], count: int, heard: Heard, *, saves: bool
) -> Iterator[tuple[int, Any]]:
    """Yields the place and the result of each task as it ends; the longest tasks begin first."""
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    order = sorted(range(len(tasks)), key=lambda number: -tasks[number].seconds)
    calls = (delayed(do)(function, number, tasks[number], heard.channel) for number in order)
    stopped: dict[int, Stopped] = {}
    with early_end(), asking(heard.stop if saves else None), ExitStack() as ending:
        try:
            with _interrupts_blocked(), parallel_config(_backend()):
                found: Any = Parallel(
                    count,
                    return_as="generator_unordered",
                    pre_dispatch="all",
                    batch_size=1,  # pyright: ignore[reportArgumentType] (a number is fine)
                    max_nbytes=None,
                    initializer=_begin,
                    initargs=(os.getpid(),),
                )(calls)
                ending.callback(found.close)  # if work ends early, this ends the processes
            for number, result in found:
                heard.ended(number)
                if isinstance(result, Stopped):
                    stopped[number] = result
                else:
                    yield number, result
        except TerminatedWorkerError as error:
            told = "the system ended a process, probably because memory ran out; fewer --jobs need less memory"
            raise AttnlabError(told) from error
        kept: Any = get_reusable_executor
        kept(reuse=True).shutdown(wait=True, kill_workers=True)  # joblib would keep the processes
    raise_if_stopped(stopped)


def raise_if_stopped(stopped: Mapping[int, Stopped]) -> None:
    """Raise the interrupt of the first task that says how to continue, if tasks were stopped."""
    if stopped:
        raise StoppedError(next((stopped[each].words for each in sorted(stopped) if stopped[each].words), "stopped"))


@contextmanager
def early_end() -> Iterator[None]:
    """Silence what joblib says when it replaces a process whose memory has grown, and when work ends early."""
    with warnings.catch_warnings():
        for each in KNOWN:
            warnings.filterwarnings("ignore", each)
        yield


def do(function: Callable[..., Any], number: int, task: Task, channel: Channel) -> tuple[int, Any]:
    """What another process does for a task: its place and its result, or `Stopped`."""
    with stopped_by(channel):
        if stop_requested():
            return number, Stopped()
        observer = TellingObserver(channel, number)
        try:
            with observer.task(task.name):
                return number, function(*task.arguments, observer)
        except KeyboardInterrupt as end:
            return number, Stopped(str(end))


def _backend() -> Any:
    """joblib's processes, with the environment of the caller. joblib would set how many threads each library uses; but
    the libraries must use as many as in this process, so that no sum is added in another order."""
    from joblib._parallel_backends import LokyBackend

    class Backend(LokyBackend):
        MAX_NUM_THREADS_VARS: ClassVar[list[str]] = []

    return Backend()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal. While processes are made, it is blocked: they, and the thread that
    starts more of them, inherit that. So only this process hears it."""
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend.resource_tracker import ensure_running

    ensure_running()
    resource_tracker.ensure_running()  # the first call of either unblocks signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def asking(stop: Callable[[], None] | None) -> Iterator[None]:
    """Let the first Ctrl-C, or SIGTERM, ask the tasks to stop; a second one interrupts this process."""
    if stop is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []

    def ask(number: int, _frame: Any) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        stop()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _begin(parent: int) -> None:
    """End at once when told to end, also in the middle of training, and when the process that started this one ends.

    The system itself ends the process: a handler of Python's would wait for the main thread.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)
