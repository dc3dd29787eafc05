"""The progress of long work. A bench reports it to an observer, and does not know how the observer shows it
(observers.py)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")


class WatchedTask:
    """A part of the work, with a known or unknown total. This base class shows nothing."""

    def advance(self, done: float = 1, what: str | None = None) -> None:
        """Add `done` to the work that is done; `what` describes the current work."""

    def reach(self, done: float, what: str | None = None, total: float | None = None) -> None:
        """Set the work that is done to `done`."""


class CountedTask(WatchedTask):
    """A task that keeps how far it is, and calls `told` with itself after each change."""

    def __init__(self, what: str, total: float | None, told: "Callable[[CountedTask], None]"):
        self.what, self.total, self.done, self.told = what, total, 0.0, told

    def advance(self, done: float = 1, what: str | None = None) -> None:
        """Add `done`."""
        self.reach(self.done + done, what)

    def reach(self, done: float, what: str | None = None, total: float | None = None) -> None:
        """Set the work that is done; None keeps the words or the total."""
        self.done, self.what, self.total = done, what or self.what, total or self.total
        self.told(self)


class Observer:
    """An observer of work. This base class shows nothing; others show a bar for each task."""

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[WatchedTask]:
        """A task that is shown while the block runs."""
        yield WatchedTask()

    def say(self, text: str) -> None:
        """Show a text with the bars, such as a sample or an intermediate result."""

    def warn(self, text: str) -> None:
        """Show a warning, even if no bars are shown."""

    def track(self, items: Sequence[Item], what: str) -> Iterator[Item]:
        """The items one by one, as a task."""
        with self.task(what, len(items)) as task:
            for item in items:
                yield item
                task.advance()


SILENT = Observer()
