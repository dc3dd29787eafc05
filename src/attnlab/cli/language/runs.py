"""attnlab runs: a table of runs, and how well each model predicts."""

from typing import Annotated

from tyro.conf import Positional

from attnlab.cli.command import Command, OutFile, command, shown
from attnlab.errors import ArgumentError
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Runs(Command):
    """A table of runs, best first; `runs compare A B` compares some runs, with their curves in one chart.

    The best run has the fewest bits per byte on the held-out text. Bits per byte are comparable across tokenizers, but
    not across texts.

    Example: attnlab runs compare first-run second-run
    """

    what: Positional[Annotated[tuple[str, ...], shown("[DIR | compare RUN RUN ...]")]] = ()
    """A folder with runs in it or in its folder runs (default: runs), or `compare` and the folders of runs."""
    plot: OutFile = None
    """Write the curves to this file: .png, .svg or .html."""

    def run(self) -> Record:
        """The table."""
        from attnlab.benches.language import compare, runs

        if self.what[:1] == ("compare",):
            return compare(*self.what[1:])
        if len(self.what) > 1:
            raise ArgumentError("DIR", f"expected one folder, or compare and the runs, got {' '.join(self.what)}")
        return runs(*(self.what or ("runs",)), observer=TerminalObserver())
