"""Observers that show progress: on a terminal's stderr, or in a notebook."""

import html
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attnlab.progress import CountedTask, Observer, WatchedTask
from attnlab.report.writing.lines import harmless

REFRESH = 0.2
"""The time between two updates of a notebook's bar, in seconds."""


class TerminalObserver(Observer):
    """Bars on stderr, if it is a terminal; they disappear at the end. Warnings are always printed to stderr."""

    def __init__(self) -> None:
        self._shown: Any = None

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[WatchedTask]:
        """A bar. The bar of a task inside another task is below it."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        if self._shown is not None:
            number = self._shown.add_task(what, total=total)
            yield _Bar(self._shown, number)
            self._shown.remove_task(number)
            return
        console = Console(stderr=True)
        words = TextColumn("{task.description}", markup=False)
        columns = (words, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
            self._shown = shown
            try:
                yield _Bar(shown, shown.add_task(what, total=total))
            finally:
                self._shown = None

    def say(self, text: str) -> None:
        """Print above the bars."""
        if self._shown is not None and not self._shown.disable:
            self._shown.console.print(harmless(text), markup=False, highlight=False)

    def warn(self, text: str) -> None:
        """Print a line on stderr."""
        print(f"attnlab: {harmless(text)}", file=sys.stderr, flush=True)


class _Bar(WatchedTask):
    """A bar of the library rich."""

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
    """A bar below a notebook's cell, in plain HTML without scripts; it disappears when the work is done."""

    @contextmanager
    def task(self, what: str, total: float | None = None) -> Iterator[WatchedTask]:
        """A bar. The bar of a task inside another task is below it."""
        bar = _NotebookBar()
        try:
            yield CountedTask(what, total, bar.show)
        finally:
            bar.end()

    def say(self, text: str) -> None:
        """Print below the cell."""
        print(harmless(text))

    def warn(self, text: str) -> None:
        """Print to stderr, which notebooks highlight."""
        print(f"attnlab: {harmless(text)}", file=sys.stderr)


class _NotebookBar:
    """A bar that appears after a moment of work, and is updated a few times per second."""

    def __init__(self):
        import time

        self.clock, self.handle = time.monotonic, None
        self.last = self.clock()

    def show(self, task: CountedTask) -> None:
        """Show how far a task is."""
        if self.clock() - self.last < REFRESH:
            return
        self.last = self.clock()
        share = f'value="{task.done:g}" max="{task.total:g}"' if task.total else ""
        self._display(f'<progress {share} style="width:16em"></progress> {html.escape(task.what)}')

    def end(self) -> None:
        """Remove the bar."""
        if self.handle is not None:
            self._display("")

    def _display(self, text: str) -> None:
        from IPython.display import HTML, display  # pyright: ignore[reportMissingImports] (a notebook has it)

        if self.handle is None:
            self.handle = display(HTML(text), display_id=True)
        else:
            self.handle.update(HTML(text))


def watching() -> Observer:
    """The observer for the place where Python runs: a notebook or a terminal."""
    shell = sys.modules.get("IPython")
    if shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell":
        return NotebookObserver()
    return TerminalObserver()
