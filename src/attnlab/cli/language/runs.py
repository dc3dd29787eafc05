"""attnlab runs: the runs there are, and what they learnt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from attnlab.benches.language import RunTable


@dataclass(frozen=True)
class Runs:
    """A table of runs, best first; `runs compare A B` sets some side by side, their curves on one chart.

    Best is the least bits per byte of the held-out text, which compare whatever the tokens are; runs on different
    texts do not compare.

    Example: attnlab runs compare first-run second-run
    """

    what: Positional[Annotated[tuple[str, ...], arg(metavar="[DIR | compare RUN RUN ...]", help_behavior_hint="")]] = ()
    """A folder with runs in it (default: runs), or `compare` and the folders of runs."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the curves to this file: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of a table."""

    def run(self) -> RunTable:
        """The table."""
        from attnlab.benches.language import compare, runs

        if self.what[:1] == ("compare",):
            return compare(*self.what[1:])
        if len(self.what) > 1:
            raise ArgumentError("DIR", f"expected one folder, or compare and runs, got {' '.join(self.what)}")
        return runs(*self.what)
