"""A finding as the page Claims shows it: the words, numbers and chart of the report."""

from typing import TYPE_CHECKING, Any

from attnlab.contents import Content
from attnlab.report.charts.figures import draw_chart
from attnlab.report.claims.findings import basis, numbers, verdict_words
from attnlab.report.page.pages import figure
from attnlab.report.writing.maths import set_formulas

if TYPE_CHECKING:
    from attnlab.claims.findings import ClaimResult, Findings


@Content(
    id=str,
    seed=int,
    verdict=str,
    words=str,
    explanation=str,
    numbers=[Content(name=str, value=str, uncertainty=str, kind=str)],
    basis=[Content(name=str, told=str)],
    chart=dict[str, Any] | None,
    title=str,
    description=str,
    seconds=float,
    command=str,
    python=str,
)
def evidence(found: "Findings", each: "ClaimResult") -> dict[str, Any]:
    """The evidence for one claim. Its texts are escaped HTML with subscripts and superscripts."""
    finding, chart, call = each.finding, each.finding.chart, found.call_of(each)
    return {
        "id": each.claim.id,
        "seed": found.seed,
        "verdict": finding.verdict,
        "words": str(set_formulas(verdict_words(finding))),
        "explanation": str(set_formulas(finding.explanation)),
        "numbers": [
            {"name": str(set_formulas(name)), "value": value, "uncertainty": how, "kind": measure.how}
            for (name, value, how), measure in zip(numbers(finding), finding.measures, strict=True)
        ],
        "basis": [{"name": name, "told": told} for name, told in basis(each, found.seed)],
        "chart": figure(draw_chart(chart).to_dict(), chart.description, chart.title).spec if chart else None,
        "title": str(set_formulas(chart.title)) if chart else "",
        "description": chart.description if chart else "",
        "seconds": each.seconds,
        "command": call.command,
        "python": call.python,
    }
