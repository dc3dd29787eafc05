"""Records: what a bench returns. A record is frozen, and is the same at every door: it can be printed, shown in a
notebook, drawn, saved, and served as JSON; and it knows the command line that makes it again.

How a record looks is not its own business. `shown_with` is told who knows (the package does so when it is imported), so
that the benches, which make records, know nothing of charts and pages.
"""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)


class Record(ABC):
    """What a bench returns."""

    shown_by: ClassVar[str]
    """The function that shows it, by its module and name in report/: `perplexity.comparison`."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON has it: what `--json` prints."""

    @property
    @abstractmethod
    def command(self) -> str:
        """The command line that makes it again."""

    @property
    def holds(self) -> bool:
        """Whether what was asked holds, where something was: a copy that no query makes does not."""
        return True

    def plot(self) -> Any:
        """Its chart, an Altair one."""
        return presentation(self).drawn()

    def save(self, path: str | Path) -> Path:
        """Write it to a file, as its ending says: .html, .svg, .png, .json or .csv; whole or not at all."""
        return presentation(self).save(Path(path), self)

    def __repr__(self) -> str:
        """What a terminal shows."""
        return presentation(self).as_text()

    def _repr_html_(self) -> str:
        """What a notebook shows: static, escaped, without scripts and network."""
        return presentation(self).as_html()


@dataclass_transform(frozen_default=True)
def record(cls: Class) -> Class:
    """Make a class that is a `Record` a frozen dataclass; how it prints stays the record's."""
    return dataclass(frozen=True, repr=False, eq=False)(cls)


_shown: list[Callable[[Record], Any]] = []


def shown_with(presenter: Callable[[Record], Any]) -> None:
    """Say who makes a presentation of a record."""
    _shown[:] = [presenter]


def presentation(found: Record) -> Any:
    """How a record is shown: `report.blocks.Presentation`."""
    return _shown[0](found)


def command_line(words: Sequence[Any]) -> str:
    """A command line from its words, quoted as a shell needs it.

    >>> command_line(["check", "copy", "q = C k_j"])
    "attnlab check copy 'q = C k_j'"
    """
    return shlex.join(["attnlab", *map(str, words)])
