"""Claims on the command line: running them with a progress bar, and the words and tables that tell what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from attnlab.cli.outcome import progress_bar

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from attnlab.claims import Claim


def run_with_bar(claims: Sequence[Claim], seed: int, only: Sequence[str] = ()) -> dict[str, Any]:
    """What the claims find, with a progress bar that names the one that runs."""
    from attnlab.claims.run import run_claims

    with progress_bar() as bar:
        task = bar.add_task("claims", total=len(claims))
        started = iter(range(len(claims)))
        return run_claims(
            claims,
            seed=seed,
            only=only,
            progress=lambda name: bar.update(task, completed=next(started), description=name),
        )


def verdict_table(findings: Sequence[dict[str, Any]]) -> list[RenderableType]:
    """The table of verdicts, and how many claims have which."""
    from rich.table import Table

    from attnlab.report.verdicts import in_words, verdict_words

    table = Table()
    table.add_column("id", no_wrap=True)
    table.add_column("statement", min_width=16)
    table.add_column("said by")
    table.add_column("verdict", min_width=8)
    for _, group in groupby(findings, key=lambda each: each["family"]):
        for each in group:
            table.add_row(each["id"], each["statement"], each["said_by"], verdict_words(each))
        table.add_section()
    return [table, in_words(Counter(each["verdict"] for each in findings))]


def evidence(finding: dict[str, Any]) -> list[RenderableType]:
    """One finding in full: what was asked and said, the verdict, why, and the numbers."""
    from attnlab.report.verdicts import verdict_words

    words = [finding["id"], f"  asked    {finding['question']}", f"  said     {finding['statement']}"]
    words += [f"  by       {finding['said_by']}", f"  verdict  {verdict_words(finding)}", ""]
    measures = [_numbers(finding["measures"])] if finding["measures"] else []
    return [*words, finding["explanation"], *measures]


def _numbers(measures: Sequence[dict[str, Any]]) -> Table:
    """The table of a finding's numbers."""
    from rich.table import Table

    from attnlab.report.numbers import format_measure

    table = Table("measured", "value", "uncertainty")
    for each in measures:
        table.add_row(each["name"], *format_measure(each["value"], each["within"], each["how"]))
    return table
