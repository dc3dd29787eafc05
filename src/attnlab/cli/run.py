"""attnlab run: the whole ledger, and a report of it to hand out."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import arg

from attnlab.cli.averaging import check_seed
from attnlab.cli.outcome import Outcome
from attnlab.errors import ArgumentError


@dataclass(frozen=True)
class Run:
    """Run every claim and write a report: one HTML page that opens offline, and the findings as JSON.

    The report and findings.json go into a new folder under runs/, which is there only once both are whole. Two runs
    with one seed find the same.

    Example: attnlab run --only perplexity --out first-report
    """

    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The folder to write, new or empty; else one under runs/ that is named after the time."""
    only: Annotated[str | None, arg(metavar="NAMES", help_behavior_hint="")] = None
    """Run these claims or families only, such as copying,perplexity-base."""
    seed: int = 0
    """The seed of the experiments."""
    json: bool = False
    """Print one JSON value instead of a table: the paths, how many claims have which verdict, and the verdicts."""

    def run(self) -> Outcome:
        """The verdicts, and where the report is."""
        check_seed(self.seed)
        from attnlab.claims.ledger import choose
        from attnlab.cli.ledger import run_with_bar, verdict_table
        from attnlab.files import new_folder
        from attnlab.report.findings import report_page

        only = self._only()
        claims = choose(only, argument="only")
        place = self.out or Path("runs") / f"{datetime.now():%Y-%m-%d-%H%M%S}"
        with new_folder(place, or_beside=self.out is None) as folder:
            found = run_with_bar(claims, self.seed, only)
            folder.write("findings.json", _pretty(found).encode())
            folder.write("report.html", report_page(found).encode())
        findings = found["findings"]
        value = {
            "report": str(folder.path / "report.html"),
            "findings": str(folder.path / "findings.json"),
            "version": found["version"],
            "seed": self.seed,
            "counts": Counter(each["verdict"] for each in findings),
            "verdicts": {each["id"]: f"{each['verdict']} {each['condition']}".rstrip() for each in findings},
        }
        return Outcome(value, [*verdict_table(findings), f"the report is in {value['report']}"])

    def _only(self) -> list[str]:
        names = [name.strip() for name in (self.only or "").split(",") if name.strip()]
        if self.only is not None and not names:
            raise ArgumentError("only", f"expected claims or families such as copying,averaging, got {self.only!r}")
        return names


def _pretty(value: dict[str, Any]) -> str:
    """JSON that a person can read and compare: a line a thing, but one line for a list of numbers."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return re.sub(r"\[\n([\d\s.,eE+-]+)\]", lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"
