"""What the tests of this folder spread over processes. A worker imports it by the name `work`."""

import os
import time
from pathlib import Path
from typing import Any

from attnlab.errors import FileError
from attnlab.parallel.messages import stop_requested
from attnlab.progress import Observer
from attnlab.runs.folder import Run


class Unreadable:
    """An argument that is sent and never arrives: reading it raises an error."""

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return int, ("word",)


def squared(number: int, observer: Observer) -> tuple[int, int]:
    """The square of a number, and the process that computed it."""
    observer.warn(f"squaring {number}")
    with observer.task("squaring", 2) as bar:
        bar.advance()
        time.sleep(0.3)  # what a task tells after its end is not shown
    return number**2, os.getpid()


def threads_of_libraries(observer: Observer) -> dict[str, str]:
    """The variables of the environment that tell libraries how many threads to use."""
    return {name: value for name, value in os.environ.items() if name.endswith("_NUM_THREADS")}


def failing(number: int, observer: Observer) -> int:
    """Raises for the number 1, as a bench does for a damaged file."""
    if number == 1:
        raise FileError("notes.txt", "expected a number", line=3)
    return number


def dying(number: int, observer: Observer) -> int:
    """Ends its process, as a system without memory does."""
    if number == 1:
        os.kill(os.getpid(), 9)
    return number


def killed_at_a_checkpoint(path: Path, *arguments: Any) -> Any:
    """Trains the run of one seed. The process that begins seed-0 is killed after its first checkpoint."""
    from attnlab.benches.language import seeds

    if path.name == "seed-0" and not path.exists():
        save = Run.save

        def save_and_die(*given: Any, **named: Any) -> Any:
            save(*given, **named)
            (path / "killed").touch()
            os.kill(os.getpid(), 9)

        Run.save = save_and_die
    return seeds._one(path, *arguments)


def saving(folder: Path, number: int, observer: Observer) -> None:
    """Works until it is asked to stop, and saves what it has."""
    (folder / f"began-{number}").touch()
    for _ in range(600):
        time.sleep(0.05)
        if stop_requested():
            (folder / f"saved-{number}").touch()
            raise KeyboardInterrupt(f"stopped; to continue: task {number}")


def logged(folder: str, number: int, observer: Observer) -> int:
    """Writes that it began, works a while, and writes that it ended."""
    with (Path(folder) / "log").open("a") as log:
        log.write(f"began {number} {os.getpid()}\n")
    time.sleep(0.4)
    with (Path(folder) / "log").open("a") as log:
        log.write(f"ended {number} {os.getpid()}\n")
    return number
