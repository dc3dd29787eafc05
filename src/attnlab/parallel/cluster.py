"""Tasks on the workers of a Dask cluster, by joblib. Dask gives the task of a lost worker to another one.

A task runs in the folder of the caller, so that it finds the same files: all machines must see this folder under the
same path. Before the first task, every worker is asked whether it can do the work.
"""

import os
import secrets
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from attnlab import __version__
from attnlab.errors import ArgumentError, AttnlabError
from attnlab.files import HIDDEN
from attnlab.parallel.local import Stopped, asking, do, early_end, raise_if_stopped
from attnlab.parallel.messages import Channel, Heard
from attnlab.parallel.spreading import Task

PATIENCE = 10.0
"""Seconds to wait for the scheduler, and for the first worker."""
VARIABLES = "ATTNLAB_"
"""Variables of the environment that begin like this are those of the caller in every task."""


def on_cluster(
    function: Callable[..., Any],
    tasks: Sequence[Task],
    address: str,
    heard: Heard,
    *,
    files: bool,
    saves: bool,
) -> Iterator[tuple[int, Any]]:
    """Yields the place and the result of each task as it ends. If tasks read or write `files`, all workers must see
    the folder of the caller."""
    from joblib import Parallel, delayed, parallel_config

    channel = replace(heard.channel, topic=f"attnlab-{secrets.token_hex(8)}")
    place = os.getcwd() if files else ""
    variables = {name: value for name, value in os.environ.items() if name.startswith(VARIABLES)}
    order = sorted(range(len(tasks)), key=lambda number: -tasks[number].seconds)
    calls = (delayed(do_there)(function, number, tasks[number], channel, place, variables) for number in order)
    stopped: dict[int, Stopped] = {}
    with ExitStack() as held:
        client = held.enter_context(_connected(address))
        _check_workers(client, place)
        client.subscribe_topic(channel.topic, lambda event: heard.hear(event[1]))
        held.enter_context(early_end())
        held.enter_context(asking(heard.stop if saves else None))
        with parallel_config(_backend(client)):
            settings: Any = {"return_as": "generator_unordered", "pre_dispatch": "all", "batch_size": 1}
            found: Any = Parallel(**settings)(calls)
        held.callback(found.close)
        for number, result in found:
            heard.ended(number)
            if isinstance(result, Stopped):
                stopped[number] = result
            else:
                yield number, result
    raise_if_stopped(stopped)


def _backend(client: Any) -> Any:
    """joblib's backend for Dask, with two mends. If there is one worker, joblib would do the work in this process. And
    it would wait for ever for a task that Dask has given up: it hears of results only, not of errors."""
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):
        def effective_n_jobs(self, n_jobs: int) -> int:
            return max(2, super().effective_n_jobs(n_jobs))

        def submit(self, func: Any, callback: Any = None) -> Any:
            def end(ended: Any) -> None:
                if error := ended.exception():
                    callback(error)

            future = super().submit(func, callback)
            future.add_done_callback(end)
            return future

    return Backend(client=client)


def do_there(
    function: Callable[..., Any], number: int, task: Task, channel: Channel, place: str, variables: Mapping[str, str]
) -> tuple[int, Any]:
    """What a worker does for a task. It runs one task at a time, so the folder and the variables are the task's."""
    os.environ.update(variables)
    if place:
        os.chdir(place)
    return do(function, number, task, channel)


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client of the scheduler. Raises if Dask gives a task up, because its workers died again and again."""
    try:
        from distributed import Client, KilledWorker
        from distributed.comm.addressing import get_address_host_port
    except ImportError as error:
        raise ArgumentError("cluster", "needs the extra cluster: pip install attnlab[cluster]") from error
    try:
        # Asked first: a client that found nobody would wait, and tell of it, when it is forgotten.
        socket.create_connection(get_address_host_port(address), PATIENCE).close()
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        expected = "expected the address of a Dask scheduler, such as tcp://HOST:8786"
        raise ArgumentError("cluster", f"{expected}; nothing answers at {address!r}") from error
    try:
        yield client
    except KilledWorker as error:
        raise AttnlabError(f"--cluster {address}: a task was given up: {error}") from error
    finally:
        client.close()


def _check_workers(client: Any, place: str) -> None:
    """Raise unless every worker runs one task at a time, has this version of the lab, and sees the folder."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as error:
        raise ArgumentError("cluster", "the scheduler has no workers; start them with dask worker ADDRESS") from error
    for name, threads in client.nthreads().items():
        if threads != 1:
            start = f"start it with dask worker ADDRESS --nthreads 1 --nworkers {threads}"
            raise ArgumentError("cluster", f"the worker {name} runs {threads} tasks in one process; {start}")
    mark = Path(place) / f"{HIDDEN}{secrets.token_hex(8)}"
    try:
        if place:
            mark.touch()
        for name, (version, sees) in client.run(_described, str(mark)).items():
            if version != __version__:
                raise ArgumentError("cluster", f"the worker {name} has attnlab {version}; expected {__version__}")
            if place and not sees:
                told = "expected a folder that all machines share, under the same path"
                raise ArgumentError("cluster", f"the worker {name} does not see {place}; {told}")
    finally:
        if place:
            mark.unlink(missing_ok=True)


def _described(mark: str) -> tuple[str, bool]:
    """The lab's version on a worker, and whether the worker sees a file."""
    return __version__, Path(mark).exists()
