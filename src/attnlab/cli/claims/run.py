"""attnlab run: every claim, and a report to hand out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

from attnlab.errors import ArgumentError
from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.claims import WrittenReport


@dataclass(frozen=True)
class Run:
    """Run every claim and write a report: one HTML page that opens offline, and the findings as JSON.

    report.html and findings.json go into a new folder under runs/, which appears once both files are complete. Two runs
    with the same seed find the same.

    Example: attnlab run --only perplexity --out first-report
    """

    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The folder to write, new or empty; else one under runs/ that is named after the time."""
    only: Annotated[str | None, arg(metavar="NAMES", help_behavior_hint="")] = None
    """Run these claims or families only, such as copying,perplexity-base."""
    seed: int = 0
    """The seed of the experiments."""
    json: bool = False
    """Print one JSON value instead of a table: the paths, how many claims have each verdict, and the verdicts."""

    def run(self) -> WrittenReport:
        """Write the report."""
        from attnlab.claims import report

        names = [name.strip() for name in (self.only or "").split(",") if name.strip()]
        if self.only is not None and not names:
            raise ArgumentError("only", f"expected claims or families such as copying,averaging, got {self.only!r}")
        return report(names, self.seed, self.out, TerminalObserver())
