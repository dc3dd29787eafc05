"""The report: one page with the findings of all claims, which a teacher can hand out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnlab.records import command_line
from attnlab.report.charts.figures import draw_chart
from attnlab.report.claims.shown import SYMBOLS, counts_in_words, numbers
from attnlab.report.page.pages import Figure, figure, render

if TYPE_CHECKING:
    from attnlab.charts import Chart
    from attnlab.claims.findings import ClaimResult, Findings

STILL_WIDTH = 620
"""The width of a chart's panel until a script fits it to the page."""


def report_page(found: Findings) -> str:
    """The page of the findings: a summary of the verdicts, then a section for each family."""
    figures = {each.claim.id: _figure(each.finding.chart) for each in found.results if each.finding.chart}
    sections = [
        (family, [each for each in found.results if each.claim.family == family.name]) for family in found.families
    ]
    return render(
        "report.html",
        list(figures.values()),
        title="What holds, and what does not",
        found=found,
        sections=sections,
        counts=counts_in_words(found.counts()),
        symbols=SYMBOLS,
        numbers=numbers,
        figure_of=figures,
        number_of={name: number for number, name in enumerate(figures)},
        took=sum(each.seconds for each in found.results),
        again=lambda each: _again(found, each),
    )


def _figure(chart: Chart) -> Figure:
    """A finding's chart for the page."""
    spec = draw_chart(chart).to_dict()
    return figure(spec | {"width": STILL_WIDTH}, chart.description, chart.title)


def _again(found: Findings, each: ClaimResult) -> str:
    """The command line that runs one of the claims again."""
    return command_line(["claims", each.claim.id, *found.seed_words])
