"""How findings of claims are shown: a table of verdicts, or the evidence for each claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from attnlab.numbers import format_measure
from attnlab.report.blocks import Block, Drawing, Presentation, Table, borderless

if TYPE_CHECKING:
    from attnlab.claims.claim import Claim, Finding
    from attnlab.claims.findings import ClaimResult, Findings, WrittenReport
    from attnlab.claims.listing import ClaimList

SYMBOLS = {"holds": "✓", "fails": "✗", "holds if": "◐"}


def findings(found: Findings) -> Presentation:
    """The evidence, if claims were requested by name; otherwise the verdicts and their counts."""

    def page() -> str:
        from attnlab.report.claims.page import report_page

        return report_page(found)

    if not found.evidence:
        return Presentation(_verdicts(found), _chart(found), page, [_row(each) for each in found.results])
    blocks = [block for each in found.results for block in (*_evidence(each, found.seed), "")][:-1]
    return Presentation(blocks, _chart(found), page, _measured_rows(found))


def written_report(found: WrittenReport) -> Presentation:
    """The verdicts, and where the report is."""
    told = findings(found.findings)
    blocks = [*_verdicts(found.findings), f"the report is in {found.page}"]
    return Presentation(blocks, told.draw, told.page, told.rows)


def claim_list(found: ClaimList) -> Presentation:
    """The claims with their statements, without verdicts."""
    rows = [(claim.id, claim.statement, _speaker(claim)) for claim in found.claims]
    table: list[Block] = [borderless(("id", "statement", "said by"), rows, words=3)] if rows else []
    counted = f"{len(rows)} claim{'s' * (len(rows) != 1)}"
    return Presentation(
        [*table, counted], rows=[{"id": each[0], "statement": each[1], "said_by": each[2]} for each in rows]
    )


def verdict_words(finding: Finding) -> str:
    """A finding's verdict with its symbol and its condition: ◐ holds if C is small."""
    return f"{SYMBOLS[finding.verdict]} {finding.words}"


def counts_in_words(counts: Mapping[str, int]) -> str:
    """How many claims have each verdict.

    >>> counts_in_words({"holds": 3, "fails": 1}), counts_in_words({"holds if": 1}), counts_in_words({})
    ('4 claims: 3 hold, 1 fails', '1 claim: 1 holds under a condition', 'no claims')
    """
    total = sum(counts.values())
    if not total:
        return "no claims"
    forms = {"holds": ("holds", "hold"), "fails": ("fails", "fail")}
    forms["holds if"] = ("holds under a condition", "hold under a condition")
    said = [
        f"{counts[name]} {one if counts[name] == 1 else many}"
        for name, (one, many) in forms.items()
        if counts.get(name)
    ]
    return f"{total} claim{'s' * (total != 1)}: {', '.join(said)}"


def numbers(finding: Finding) -> list[tuple[str, str, str]]:
    """The measurements of a finding: name, value, and the kind of its uncertainty."""
    return [(each.name, *format_measure(each.value, each.within, each.how)) for each in finding.measures]


def basis(each: ClaimResult, seed: int) -> list[tuple[str, str]]:
    """What a finding rests on: the seed of the run, if the claim is random, and with how many seeds the verdict is the
    same; the data that the claim was tested on."""
    data = ", ".join(f"{one.name} (sha256 {one.sha256[:12]}…)" for one in each.data)
    drawn = f"{seed}{_steadiness(each)}" if each.claim.stochastic else ""
    return [(name, told) for name, told in (("seed", drawn), ("data", data)) if told]


def _steadiness(each: ClaimResult) -> str:
    """With how many seeds the verdict is the same, after the seed of the run; empty if that was not measured."""
    here, elsewhere, verdict = each.seeds, each.seeds_elsewhere, each.finding.verdict
    if here:
        return f"; the same verdict with {here[verdict]} of {here.total()} seeds"
    if elsewhere:
        return f"; {elsewhere.total()} seeds were run on other data, and {elsewhere[verdict]} of them gave this verdict"
    return ""


def _verdicts(found: Findings) -> list[Block]:
    rows = [
        (each.claim.id, each.claim.statement, each.claim.said_by, verdict_words(each.finding)) for each in found.results
    ]
    table: list[Block] = [borderless(("id", "statement", "said by", "verdict"), rows, words=4)] if rows else []
    return [*table, counts_in_words(found.counts())]


def _evidence(each: ClaimResult, seed: int) -> list[Block]:
    """A claim in full: question, statement, verdict, what it rests on, explanation and numbers."""
    claim, finding = each.claim, each.finding
    rows = [("asked", claim.question), ("said", claim.statement), ("by", _speaker(claim)), *basis(each, seed)]
    head: Table = borderless((claim.id, verdict_words(finding)), rows, words=2)
    table = borderless(("measured", "value", "uncertainty"), numbers(finding), words=3)
    return [head, "", finding.explanation, *(["", table] if finding.measures else [])]


def _speaker(claim: Claim) -> str:
    return f"{claim.said_by}, {claim.place}" if claim.place else claim.said_by


def _row(each: ClaimResult) -> dict[str, str]:
    claim, finding = each.claim, each.finding
    told = {"id": claim.id, "family": claim.family, "statement": claim.statement, "said_by": claim.said_by}
    return told | {"verdict": finding.verdict, "condition": finding.condition}


def _measured_rows(found: Findings) -> list[dict[str, object]]:
    return [{"id": each.claim.id, **vars(number)} for each in found.results for number in each.finding.measures]


def _chart(found: Findings) -> Callable[[], Drawing] | None:
    """The chart of a single claim, if it has one; for several claims, how many of them hold."""
    if len(found.results) > 1:
        return lambda: _counts_chart(found)
    chart = found.results[0].finding.chart if found.results else None
    if chart is None:
        return None

    def draw() -> Drawing:
        from attnlab.report.charts.figures import draw_chart

        return Drawing(draw_chart(chart), chart.title, chart.description)

    return draw


def _counts_chart(found: Findings) -> Drawing:
    """How many claims of each family hold, fail, and hold under a condition."""
    from attnlab.report.charts.figures import draw_counts

    counts = {
        family.title: Counter(each.finding.verdict for each in found.results if each.claim.family == family.name)
        for family in found.families
    }
    chart = draw_counts(counts, list(SYMBOLS), "claims")
    return Drawing(chart, "What holds, and what does not", f"By family, {counts_in_words(found.counts())}.")
