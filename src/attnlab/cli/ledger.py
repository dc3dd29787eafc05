"""Claims on the command line: running them with a progress bar, and the words and tables that tell what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from attnlab.cli.outcome import progress_bar

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

    from attnlab.claims import Claim


def run_with_bar(claims: Sequence[Claim], seed: int, only: Sequence[str] = ()) -> dict[str, Any]:
    """What the claims find, with a progress bar that names the one that runs."""
    from attnlab.claims.running import run_claims

    with progress_bar() as bar:
        task = bar.add_task("claims", total=len(claims))
        started = iter(range(len(claims)))
        return run_claims(
            claims,
            seed=seed,
            only=only,
            progress=lambda name: bar.update(task, completed=next(started), description=name),
        )


class Verdicts:
    """The verdicts as a table, or, where the window is too narrow for one, as two lines a claim."""

    NARROW = 110

    def __init__(self, findings: Sequence[dict[str, Any]]):
        self.findings = findings

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """What rich prints."""
        from attnlab.report.verdicts import verdict_words

        if options.max_width >= self.NARROW:
            yield self._table()
            return
        for each in self.findings:
            yield f"{verdict_words(each)}: {each['id']} ({each['said_by']})"
            yield f"  {each['statement']}"

    def _table(self) -> Table:
        from rich.table import Table

        from attnlab.report.verdicts import verdict_words

        table = Table()
        table.add_column("id", no_wrap=True)
        for name, width in (("statement", 30), ("said by", 8), ("verdict", 14)):
            table.add_column(name, min_width=width, overflow="fold")
        for _, group in groupby(self.findings, key=lambda each: each["family"]):
            for each in group:
                table.add_row(each["id"], each["statement"], each["said_by"], verdict_words(each))
            table.add_section()
        return table


def verdict_table(findings: Sequence[dict[str, Any]]) -> list[RenderableType]:
    """The verdicts, and how many claims have which."""
    from attnlab.report.verdicts import in_words

    return [Verdicts(findings), in_words(Counter(each["verdict"] for each in findings))]


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

    from attnlab.numbers import format_measure

    table = Table("measured", "value", "uncertainty")
    for each in measures:
        table.add_row(each["name"], *format_measure(each["value"], each["within"], each["how"]))
    return table
