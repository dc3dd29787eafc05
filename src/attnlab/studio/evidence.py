"""A finding as the page Claims shows it: the words, numbers and chart of the report."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attnlab.records import command_line
from attnlab.report.charts.figures import draw_chart
from attnlab.report.claims.findings import basis, numbers, verdict_words
from attnlab.report.page.pages import figure
from attnlab.report.writing.maths import set_formulas

if TYPE_CHECKING:
    from attnlab.claims.findings import ClaimResult


def evidence(each: "ClaimResult", seed: int) -> dict[str, Any]:
    """The evidence for one claim. Its texts are escaped HTML with subscripts and superscripts."""
    finding, chart = each.finding, each.finding.chart
    return {
        "id": each.claim.id,
        "seed": seed,
        "verdict": finding.verdict,
        "words": str(set_formulas(verdict_words(finding))),
        "explanation": str(set_formulas(finding.explanation)),
        "numbers": [
            {"name": str(set_formulas(name)), "value": value, "uncertainty": how, "kind": measure.how}
            for (name, value, how), measure in zip(numbers(finding), finding.measures, strict=True)
        ],
        "basis": [{"name": name, "told": told} for name, told in basis(each, seed)],
        "chart": figure(draw_chart(chart).to_dict(), chart.description, chart.title).spec if chart else None,
        "title": str(set_formulas(chart.title)) if chart else "",
        "description": chart.description if chart else "",
        "seconds": each.seconds,
        "command": command_line(["claims", each.claim.id, *(["--seed", str(seed)] if seed else [])]),
        "python": python_call([each.claim.id], seed),
    }


def python_call(ids: Sequence[str], seed: int) -> str:
    """The Python that runs claims.

    >>> print(python_call(["copying-mask"], 3))
    import attnlab as al
    al.findings("copying-mask", seed=3)
    """
    named = ", ".join([*(f'"{id}"' for id in ids), *([f"seed={seed}"] if seed else [])])
    return f"import attnlab as al\nal.findings({named})"
