"""Records are the results of benches. A record is frozen. It can be printed, shown in a notebook, drawn, saved, and
written as JSON, and it knows the call that makes it again: as a command line and as Python.

A record does not decide how it looks. When the package is imported, it tells `shown_with` which function presents
records. So the benches, which make records, do not depend on charts and pages.
"""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar, dataclass_transform

from attnlab.arguments import checked
from attnlab.calls import Call

Class = TypeVar("Class", bound=type)


class Shown:
    """Something that a notebook shows: a record, or an opened model."""

    shown_by: ClassVar[str]
    """The function that shows it, by its module and name in report/: `perplexity.comparison.comparison`."""

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows: static and escaped, without scripts and network."""
        return presentation(self).as_html()


class Record(Shown, ABC):
    """The result of a bench."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The whole record as a JSON value: what `--json` prints, with null for infinities."""

    @property
    @abstractmethod
    def call(self) -> Call:
        """The call that makes it again."""

    @property
    def command(self) -> str:
        """The command line that makes it again."""
        return self.call.command

    @property
    def python(self) -> str:
        """The Python that makes it again."""
        return self.call.python

    @property
    def holds(self) -> bool:
        """False if a check failed, or if the wanted thing is impossible, such as a copy that no query makes."""
        return True

    def plot(self) -> Any:
        """Its chart, as an Altair chart."""
        return presentation(self).drawn()

    @checked
    def save(self, path: str | Path) -> Path:
        """Write it to a file: .html, .svg, .png, .json or .csv. The file is complete or not written at all."""
        return presentation(self).save(Path(path), self)

    def __repr__(self) -> str:
        """The text that a terminal shows."""
        return presentation(self).as_text()


@dataclass_transform(frozen_default=True)
def record(cls: Class) -> Class:
    """Turn a subclass of `Record` into a frozen dataclass that keeps the repr of `Record`."""
    return dataclass(frozen=True, repr=False, eq=False)(cls)


@record
class Called(Record):
    """A record that holds its call: its other fields do not tell all arguments."""

    _: KW_ONLY
    made_by: Call

    @property
    def call(self) -> Call:
        """The call that makes it again."""
        return self.made_by


def json_text(value: Any, **layout: Any) -> str:
    """A JSON value as text. JSON has no infinities and no NaN: they are null.

    >>> json_text({"norm": float("inf"), "query": [1.0]})
    '{"norm": null, "query": [1.0]}'
    """
    try:
        return json.dumps(value, allow_nan=False, **layout)
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, **layout)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


_shown: list[Callable[[Shown], Any]] = []


def shown_with(presenter: Callable[[Shown], Any]) -> None:
    """Set the function that makes the presentation of a record or of an opened model."""
    _shown[:] = [presenter]


def presentation(found: Shown) -> Any:
    """How it is shown, a `report.blocks.Presentation`."""
    return _shown[0](found)
