"""What the process of a job does: `python -m attnlab.studio.work FOLDER`.

A kind of work is a function that takes the arguments of the request and an observer, and returns a `Result`.
"""

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attnlab.errors import AttnlabError
from attnlab.files import read_json, write_whole
from attnlab.progress import Observer, Task
from attnlab.records import Record, presentation

REFRESH = 0.2
"""The shortest time between two writings of the progress, in seconds."""


@dataclass(frozen=True)
class Result:
    """The record of a job, the Python that makes it again, and what a page shows beside the record."""

    record: Record
    python: str
    beside: Mapping[str, Any] = field(default_factory=dict)


def claims(arguments: Mapping[str, Any], observer: Observer) -> Result:
    """Run claims with a seed."""
    from attnlab.claims import run_claims
    from attnlab.studio.evidence import evidence, python_call

    ids, seed = list(arguments["ids"]), int(arguments["seed"])
    found = run_claims(*ids, seed=seed, jobs=0, observer=observer)
    shown = {each.claim.id: evidence(each, seed) for each in found.results}
    return Result(found, python_call(ids, seed), {"evidence": shown})


WORK: dict[str, Callable[[Mapping[str, Any], Observer], Result]] = {"claims": claims}


class FileObserver(Observer):
    """Writes the progress into a file. A task inside another one is told instead of it."""

    def __init__(self, path: Path):
        self.path, self.last, self.said = path, 0.0, ""

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[Task]:
        """A task whose progress is written."""
        yield _Written(self, what, total)

    def say(self, text: str) -> None:
        """Keep the last text, such as a sample."""
        self.said = text

    def warn(self, text: str) -> None:
        """Keep a warning in the log of the job."""
        print(text, file=sys.stderr, flush=True)

    def write(self, task: "_Written") -> None:
        """Write the progress, a few times per second at most."""
        if time.monotonic() - self.last < REFRESH:
            return
        self.last = time.monotonic()
        told = {"what": task.what, "done": task.done, "total": task.total, "said": self.said}
        write_whole(self.path, json.dumps(told).encode())


class _Written(Task):
    def __init__(self, observer: FileObserver, what: str, total: float | None):
        self.observer, self.what, self.total, self.done = observer, what, total, 0.0
        observer.write(self)

    def advance(self, done: float = 1, what: str | None = None) -> None:
        self.reach(self.done + done, what)

    def reach(self, done: float, what: str | None = None, total: float | None = None) -> None:
        self.done, self.what, self.total = done, what or self.what, total or self.total
        self.observer.write(self)


def save(result: Result, folder: Path) -> None:
    """Write the result of a job, and then the files to download, which take seconds to draw."""
    shown = presentation(result.record)
    offered = [".html", *([".csv"] if shown.rows else []), *([".svg", ".png"] if shown.draw else [])]
    told = {"record": result.record.to_dict(), "command": result.record.command, "python": result.python}
    told |= {"downloads": offered, **result.beside}
    write_whole(folder / "result.json", json.dumps(told, allow_nan=False).encode())
    for ending in reversed(offered):  # the page comes last: it carries the library of charts
        result.record.save(folder / f"result{ending}")


def main(folder: Path) -> int:
    """Do the work of a job, and write its result or the user's error. A bug leaves its traceback in log.txt."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background would ignore Ctrl-C
    asked = read_json(folder / "job.json", "a job of the studio")
    try:
        save(WORK[asked["work"]](asked["arguments"], FileObserver(folder / "progress.json")), folder)
    except AttnlabError as error:
        write_whole(folder / "error.json", json.dumps({"error": str(error)}).encode())
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
