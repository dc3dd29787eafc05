"""attnlab runs: a table of runs, and how well each model predicts."""

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
    """A table of runs, best first; `runs compare A B` compares some runs, with their curves in one chart.

    The best run has the fewest bits per byte on the held-out text. Bits per byte are comparable across tokenizers, but
    not across texts.

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
            raise ArgumentError("DIR", f"expected one folder, or compare and the runs, got {' '.join(self.what)}")
        return runs(*self.what)
