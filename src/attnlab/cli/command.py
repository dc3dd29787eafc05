"""What a command is: a frozen dataclass whose fields are its options, and whose `run` returns a record."""

import dataclasses
import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar, dataclass_transform

from tyro.conf import Positional, Suppress, arg

from attnlab.errors import ArgumentError
from attnlab.parallel import Workers
from attnlab.records import Record
from attnlab.settings import Word

Class = TypeVar("Class", bound=type)

LAST = ("jobs", "cluster", "threads", "out", "resume", "html", "plot", "save", "json")
"""The help lists these options after all others, in this order."""
BESIDE_RESUME = {"resume", "jobs", "cluster", "threads", "json", "html", "plot"}
"""Options that may be given together with --resume."""


def shown(metavar: str = "") -> Any:
    """How the help shows an option: with this word for its value, and without a default."""
    return arg(metavar=metavar or None, help_behavior_hint="")


OutFile = Annotated[Path | None, shown("FILE")]
RunFolder = Positional[Annotated[Path, arg(metavar="RUN")]]


@dataclass_transform(frozen_default=True, kw_only_default=True)
def command(cls: Class) -> Class:
    """Turn a subclass of `Command` into a frozen dataclass."""
    made = dataclass(frozen=True, kw_only=True)(cls)
    fields = made.__dataclass_fields__
    fields.update({name: fields.pop(name) for name in LAST if name in fields})
    return made


@command
class Command(ABC):
    """A command: its docstring is the help, and so is the string below each option."""

    shared: ClassVar[bool] = False
    """Whether the processes of torchrun share the work of this command."""

    json: bool = False
    """Print one JSON value instead of text."""

    @abstractmethod
    def run(self) -> Record | None:
        """The record to show; None if the command has printed it already."""


@command
class Spreading(Command):
    """A command that spreads its work over processes."""

    jobs: Annotated[int, shown("N")] = 0
    """How many processes may work at the same time; 0: one for each core. The lab starts fewer if that is as fast,
    because the work is short or one task uses several cores. The results do not depend on this number."""
    cluster: Annotated[str, shown("ADDRESS")] = ""
    """Work on a Dask cluster instead, by the address of its scheduler: tcp://HOST:8786. See docs/scale.md."""

    def workers(self) -> Workers:
        """Who does the work."""
        return Workers(self.jobs, self.cluster)


@command
class WithSettings(Command):
    """A command that takes settings beside its own options. The options decide which settings there are, and their
    defaults."""

    plain_class: ClassVar[str]
    """The class of the settings whose options have no dot: its module below attnlab, a colon, and its name."""
    dotted: ClassVar[tuple[str, ...]] = ()
    """The groups of settings whose options have a dot."""
    hidden: ClassVar[tuple[str, ...]] = ()
    """Settings that the help does not list, because the command refuses them: training.seed."""

    words: Annotated[Mapping[str, Mapping[str, Word]], Suppress] = dataclasses.field(default_factory=dict)
    """The settings as they were typed, by group: {"model": {"layers": "4"}, "": {"steps": "100"}}. Options of the group
    "" have no dot."""

    @classmethod
    def plain(cls) -> type:
        """The class of the settings whose options have no dot."""
        module, _, name = cls.plain_class.partition(":")
        return getattr(importlib.import_module(f"attnlab.{module}"), name)

    def typed(self, group: str = "") -> dict[str, Word]:
        """The typed settings of a group."""
        return dict(self.words.get(group, {}))

    def settings(self) -> Any:
        """The settings whose options have no dot."""
        from attnlab.settings import changed

        ((usual,),) = (kinds.values() for group, kinds in self.defaults().items() if not group)
        return changed(usual, self.typed())

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The default settings: by group, and in each group by heading."""
        return {"": {"settings": self.plain()()}}

    def listed(self) -> dict[str, dict[str, str]]:
        """Further lists for the help, by heading: names with their descriptions."""
        return {}


@command
class TrainingCommand(WithSettings):
    """A command that trains models in a new folder, or continues a stopped training."""

    out: Annotated[Path | None, shown("DIR")] = None
    """The folder of the run, new or empty (default: a new folder under runs/, named after the time)."""
    resume: Annotated[Path | None, shown("DIR")] = None
    """Continue a stopped run from its last checkpoint."""
    threads: Annotated[int | None, shown("N")] = None
    """The number of CPU threads (default: one for each core). If other programs use the cores, 1 is often faster."""

    def run(self) -> Record:
        """Train, or continue: then with the run's own settings, so that no others are taken."""
        given = {each.name for each in dataclasses.fields(self) if getattr(self, each.name) != each.default}
        if self.resume is not None and (given - BESIDE_RESUME - {"words"} or self.words):
            alone = f"write only --resume {self.resume}; the run keeps its own settings"
            raise ArgumentError("resume", f"takes no other arguments: {alone}")
        with self.in_threads():
            return self.begin() if self.resume is None else self.continued(self.resume)

    def in_threads(self) -> AbstractContextManager[None]:
        """The threads to train in."""
        from attnlab.training.threads import using_threads

        return using_threads(self.threads)

    @abstractmethod
    def begin(self) -> Record:
        """Train in a new folder."""

    @abstractmethod
    def continued(self, run: Path) -> Record:
        """Continue a stopped training."""
