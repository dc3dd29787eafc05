"""attnlab data: the data sets there are, getting one, and where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from attnlab.errors import ArgumentError
from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.records import Record


@dataclass(frozen=True)
class Data:
    """The data sets: which there are, getting one, where it is.

    list shows them all. get NAME downloads one, unless it is here already, and checks its hash. path NAME prints where
    its files are; path alone prints the folder that downloads go to. A set is looked for in the folder that the
    environment variable ATTNLAB_DATA names, then among the downloads (~/.cache/attnlab, or ATTNLAB_CACHE). topics, the
    default text, comes with Python and is always here; so are reviews and biographies, which are generated.

    Example: attnlab data list
    """

    action: Positional[Annotated[Literal["list", "get", "path"], arg(help_behavior_hint="")]]
    """What to do."""
    name: Positional[Annotated[str, arg(metavar="[NAME]", help_behavior_hint="")]] = ""
    """The data set."""
    json: bool = False
    """Print one JSON value instead of text."""

    def run(self) -> Record:
        """What there is, or where one is."""
        from attnlab.benches.data import data_files, data_sets, get_data

        if self.action == "list":
            if self.name:
                raise ArgumentError("list", f"expected nothing behind it, got {self.name!r}")
            return data_sets()
        return data_files(self.name) if self.action == "path" else get_data(self.name, TerminalObserver())
