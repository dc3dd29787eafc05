"""attnlab data: list the data sets, download one, or print where it is."""

from typing import Annotated, Literal

from tyro.conf import Positional

from attnlab.cli.command import Command, command, shown
from attnlab.errors import ArgumentError
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Data(Command):
    """List the data sets, download one, or print where it is.

    list shows all data sets. get NAME downloads a data set, unless it is already here, and checks its hash. path NAME
    prints where its files are; path alone prints the folder for downloads. The lab looks for a data set in the folder
    that the environment variable ATTNLAB_DATA names, then among the downloads (~/.cache/attnlab, or ATTNLAB_CACHE).
    Three data sets are always here: topics, the default text, comes with Python; reviews and biographies are generated.

    Example: attnlab data list
    """

    action: Positional[Annotated[Literal["list", "get", "path"], shown()]]
    """What to do with the data sets."""
    name: Positional[Annotated[str, shown("[NAME]")]] = ""
    """The name of the data set."""

    def run(self) -> Record:
        """The list of data sets, or the files of one."""
        from attnlab.benches.data import data_files, data_sets, get_data

        if self.action == "list":
            if self.name:
                advice = "attnlab data path NAME prints where a data set is"
                raise ArgumentError("name", f"list takes no name, got {self.name!r}; {advice}")
            return data_sets()
        return data_files(self.name) if self.action == "path" else get_data(self.name, TerminalObserver())
