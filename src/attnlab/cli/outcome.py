"""What a command returns: one value, and how a person reads it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress

Item = TypeVar("Item")


@dataclass(frozen=True)
class Outcome:
    """A command's result: the value for `--json`, what a person is shown instead, and whether what was asked holds."""

    value: dict[str, Any]
    shown: Sequence["RenderableType"]
    holds: bool = True

    @property
    def exit_code(self) -> int:
        """0, or 1 for a check that does not hold."""
        return 0 if self.holds else 1


@contextmanager
def progress_bar() -> Iterator["Progress"]:
    """A progress bar on stderr, where a person is looking; it leaves nothing behind."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress


def track(items: Sequence[Item], description: str) -> Iterator[Item]:
    """The items one by one, with a progress bar."""
    with progress_bar() as progress:
        yield from progress.track(items, description=description)
