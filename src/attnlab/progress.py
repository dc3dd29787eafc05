"""Observers of progress: what long work tells whoever watches it. A bench is given one, and does not know where it is
shown: nowhere, on a terminal's stderr, or in a notebook."""

import html
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

Item = TypeVar("Item")
REFRESH = 0.2
"""Seconds between two updates of a notebook's bar."""


class Task:
    """A part of the work with a known or unknown total; this one is shown nowhere."""

    def advance(self, done: float = 1, what: str | None = None) -> None:
        """So much more is done; `what` says what is being done now."""

    def reach(self, done: float, what: str | None = None, total: float | None = None) -> None:
        """So much is done in all."""


class Observer:
    """Somebody who watches work; this one does not look. Others show a bar for each task."""

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[Task]:
        """A task that is shown as long as the block runs."""
        yield Task()

    def say(self, text: str) -> None:
        """Show a text beside the bars, where somebody looks: a sample, an intermediate result."""

    def warn(self, text: str) -> None:
        """Tell a person something that must not be missed, whether or not bars are shown."""

    def track(self, items: Sequence[Item], what: str) -> Iterator[Item]:
        """The items one by one, as a task."""
        with self.task(what, len(items)) as task:
            for item in items:
                yield item
                task.advance()


SILENT = Observer()


class TerminalObserver(Observer):
    """Bars on stderr, if that is a terminal; they leave nothing behind. Warnings are printed there in any case."""

    def __init__(self) -> None:
        self._shown: Any = None

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[Task]:
        """A bar; one within another stands below it."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        if self._shown is not None:
            number = self._shown.add_task(what, total=total)
            yield _Bar(self._shown, number)
            self._shown.remove_task(number)
            return
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
            self._shown = shown
            try:
                yield _Bar(shown, shown.add_task(what, total=total))
            finally:
                self._shown = None

    def say(self, text: str) -> None:
        """Print above the bars."""
        if self._shown is not None and not self._shown.disable:
            self._shown.console.print(text, markup=False, highlight=False)

    def warn(self, text: str) -> None:
        """Print a line on stderr."""
        print(f"attnlab: {text}", file=sys.stderr, flush=True)


class _Bar(Task):
    """A bar of rich's."""

    def __init__(self, shown: Any, number: Any):
        self.shown, self.number = shown, number

    def advance(self, done: float = 1, what: str | None = None) -> None:
        self.shown.update(self.number, advance=done, **({} if what is None else {"description": what}))

    def reach(self, done: float, what: str | None = None, total: float | None = None) -> None:
        given = {"description": what, "total": total}
        self.shown.update(
            self.number, completed=done, **{name: each for name, each in given.items() if each is not None}
        )


class NotebookObserver(Observer):
    """A bar below a notebook's cell, in plain HTML without scripts; it is gone when the work is done."""

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[Task]:
        """A bar; one within another stands below it."""
        bar = _NotebookBar(what, total)
        try:
            yield bar
        finally:
            bar.end()

    def say(self, text: str) -> None:
        """Print below the cell."""
        print(text)

    def warn(self, text: str) -> None:
        """Print on stderr, which notebooks set apart."""
        print(f"attnlab: {text}", file=sys.stderr)


class _NotebookBar(Task):
    """A bar that is shown once its work has taken a moment, and drawn anew a few times a second."""

    def __init__(self, what: str, total: float | None):
        import time

        self.what, self.total, self.done = what, total, 0.0
        self.clock, self.handle = time.monotonic, None
        self.last = self.clock()

    def advance(self, done: float = 1, what: str | None = None) -> None:
        self.reach(self.done + done, what)

    def reach(self, done: float, what: str | None = None, total: float | None = None) -> None:
        self.done, self.what, self.total = done, what or self.what, total or self.total
        if self.clock() - self.last < REFRESH:
            return
        self.last = self.clock()
        share = f'value="{self.done:g}" max="{self.total:g}"' if self.total else ""
        self._show(f'<progress {share} style="width:16em"></progress> {html.escape(self.what)}')

    def end(self) -> None:
        """Take the bar away."""
        if self.handle is not None:
            self._show("")

    def _show(self, text: str) -> None:
        from IPython.display import HTML, display  # pyright: ignore[reportMissingImports] (a notebook has it)

        if self.handle is None:
            self.handle = display(HTML(text), display_id=True)
        else:
            self.handle.update(HTML(text))


def watching() -> Observer:
    """The observer that fits where Python runs."""
    shell = sys.modules.get("IPython")
    if shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell":
        return NotebookObserver()
    return TerminalObserver()
