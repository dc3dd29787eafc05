"""Spread tasks over processes, if that is worth the start of the processes."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from attnlab.errors import ArgumentError
from attnlab.progress import Observer

Found = TypeVar("Found")

ONE_CORE = 2e10
"""The operations per second of one core in training or running a small model, by order of magnitude."""
START = 5.0
"""The seconds that a process needs to start: most of them import torch."""


@dataclass(frozen=True)
class Task:
    """A call of the function, with its arguments by position."""

    name: str
    arguments: tuple[Any, ...]
    seconds: float
    """About how long one core takes."""
    threads: int | None = 1
    """The threads that the task uses, in every process alike; None: a GPU does the work."""


@dataclass(frozen=True)
class Workers:
    """Who does the work: up to `jobs` processes of this machine (0: one for each core), or the workers of a cluster."""

    jobs: int = 0
    cluster: str = ""
    """The address of a Dask scheduler, such as tcp://HOST:8786; empty: this machine alone."""

    def __post_init__(self):
        if self.jobs < 0:
            raise ArgumentError("jobs", f"expected 0 (all cores) or a number of processes, got {self.jobs}")

    def processes(self, tasks: Sequence[Task]) -> int:
        """How many processes do these tasks in the shortest time. One process means this one: it starts no other, so
        short work stays here. All threads together are at most as many as the cores: more would wait for one another.
        Tasks on a GPU come one after the other, unless `jobs` says how many the GPU has room for."""
        if self.cluster:
            return max(2, len(tasks))
        threads = [task.threads for task in tasks if task.threads is not None]
        room = (self.jobs or 1) if len(threads) < len(tasks) else max(1, cores() // max(threads, default=1))
        most = min(self.jobs or room, room, len(tasks))
        seconds = [task.seconds / (task.threads or 1) for task in tasks]
        return most if most > 1 and START + length(seconds, most) < sum(seconds) else 1


ONE_WORKER = Workers(1)


def spread(
    function: Callable[..., Found],
    tasks: Sequence[Task],
    workers: Workers,
    observer: Observer,
    *,
    files: bool = False,
    saves: Path | None = None,
) -> Iterator[tuple[int, Found]]:
    """Yields the place and the result of each task as it ends; in one process, in the order of the tasks.

    The function is called with the arguments of a task and an observer. It must be importable, and its arguments and
    results must be picklable. Tasks that read or write `files` need a folder that all machines of a cluster share. If
    tasks save their work into the folder `saves`, Ctrl-C lets them do so: `stop_requested` tells them. Otherwise, and
    after a second Ctrl-C, it ends their processes at once.
    """
    count = workers.processes(tasks)
    if count == 1:
        for number, task in enumerate(tasks):
            with observer.task(task.name):
                found = function(*task.arguments, observer)
            yield number, found
        return
    from attnlab.parallel.messages import listening

    with listening(observer, [task.name for task in tasks], saves) as heard:
        if workers.cluster:
            from attnlab.parallel.cluster import on_cluster

            yield from on_cluster(function, tasks, workers.cluster, heard, files=files, saves=saves is not None)
        else:
            from attnlab.parallel.local import in_processes

            yield from in_processes(function, tasks, count, heard, saves=saves is not None)


def cores() -> int:
    """How many cores this process may use."""
    from joblib import cpu_count

    return cpu_count()


def length(seconds: Sequence[float], processes: int) -> float:
    """How long processes take for tasks, if each free process gets the longest task that is left.

    >>> length([4, 3, 2, 1], 2), length([4, 3, 2, 1], 1)
    (5.0, 10.0)
    """
    ends = [0.0] * processes
    for each in sorted(seconds, reverse=True):
        heapq.heapreplace(ends, ends[0] + each)
    return max(ends)
