"""attnlab run: run every claim and write a report."""

from pathlib import Path
from typing import Annotated

from tyro.conf import UseAppendAction

from attnlab.cli.command import Spreading, command, shown
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Run(Spreading):
    """Run every claim and write a report: one HTML page that opens offline, and the findings as JSON.

    report.html and findings.json go into a new folder, which appears when both files are complete. Two runs with the
    same seed give the same findings.

    Example: attnlab run --only perplexity --out first-report
    """

    out: Annotated[Path | None, shown("DIR")] = None
    """The folder for the report, new or empty (default: a new folder under runs/, named after the time)."""
    only: UseAppendAction[Annotated[tuple[str, ...], shown("NAMES")]] = ()
    """Run only these claims or families, such as copying,perplexity-base; may be given more than once."""
    seed: int = 0
    """The seed of the experiments."""
    json: bool = False
    """Print one JSON value instead of a table: the paths, the count of each verdict, and the verdicts."""

    def run(self) -> Record:
        """Write the report."""
        from attnlab.claims import report

        only = ",".join(self.only) if self.only else None
        return report(only, self.seed, self.out, self.workers(), TerminalObserver())
