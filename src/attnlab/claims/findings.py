"""The records of claims that were run: the findings, and the written report."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from attnlab.calls import Call
from attnlab.charts import Bars, Lines
from attnlab.claims.claim import Claim, Family, Finding
from attnlab.claims.sources import Source
from attnlab.claims.steadiness import seeds_of, seeds_on
from attnlab.contents import Content, OneOf
from attnlab.records import Called, Record, record


@dataclass(frozen=True)
class ClaimResult:
    """A claim, its finding, the processor seconds of its experiment, and the data that it was tested on."""

    claim: Claim
    finding: Finding
    seconds: float
    data: tuple[Source, ...] = ()

    @property
    def seeds(self) -> Counter[str]:
        """How many seeds gave each verdict on these data when that was last measured; empty if nothing in the claim is
        random, or if the seeds were run on other data."""
        return seeds_on(self.claim, self.data)

    @property
    def seeds_elsewhere(self) -> Counter[str]:
        """How many seeds gave each verdict on other data; empty if the seeds were run on these data."""
        return Counter() if self.seeds else seeds_of(self.claim)

    @Content(
        "claim.id",
        "claim.family",
        "claim.question",
        "claim.statement",
        "claim.said_by",
        "claim.place",
        Finding,
        "seeds",
        "data",
        "seconds",
        chart=OneOf(Content(Lines, kind=Literal["lines"]), Content(Bars, kind=Literal["bars"]), None),
    )
    def to_dict(self) -> dict[str, Any]:
        """The claim and its finding as one JSON value."""
        claim, chart = self.claim, self.finding.chart
        kind = {"kind": type(chart).__name__.lower()} if chart else {}
        value = {
            "id": claim.id,
            "family": claim.family,
            "question": claim.question,
            "statement": claim.statement,
            "said_by": claim.said_by,
            "place": claim.place,
            **asdict(self.finding),
            "chart": kind | asdict(chart) if chart else None,
            "seeds": dict(self.seeds),
            "data": [asdict(each) for each in self.data],
            "seconds": self.seconds,
        }
        return json.loads(json.dumps(value, allow_nan=False))


def seed_option(seed: int) -> dict[str, int]:
    """The option that gives the seed; empty for the usual seed."""
    return {"seed": seed} if seed else {}


@record
class Findings(Called):
    """The findings of claims. Only the seconds differ between two runs with the same seed."""

    shown_by: ClassVar[str] = "claims.findings.findings"

    results: tuple[ClaimResult, ...]
    families: tuple[Family, ...]
    """The families of these claims."""
    seed: int
    only: tuple[str, ...]
    """The names that the claims were chosen by; empty if all claims were run."""
    evidence: bool
    """Whether to show the evidence for each claim, as for claims requested by name; otherwise a table of verdicts is
    shown."""
    version: str
    made_with: Mapping[str, str]
    """The versions of Python and the libraries."""

    def counts(self) -> Counter[str]:
        """How many claims have each verdict."""
        return Counter(each.finding.verdict for each in self.results)

    @Content(
        "version",
        "made_with",
        "seed",
        "only",
        families=[Content(name=str, title=str, question=str)],
        findings=[ClaimResult],
    )
    def to_dict(self) -> dict[str, Any]:
        """The content of findings.json."""
        named = ("name", "title", "question")
        return {
            "version": self.version,
            "made_with": dict(self.made_with),
            "seed": self.seed,
            "only": list(self.only),
            "families": [{name: getattr(family, name) for name in named} for family in self.families],
            "findings": [each.to_dict() for each in self.results],
        }

    def call_of(self, each: ClaimResult) -> Call:
        """The call that runs one of the claims alone."""
        return Call("claims", (each.claim.id,), seed_option(self.seed))

    def as_file(self) -> bytes:
        """findings.json with a line for each value, and one line for a list of numbers, so that people can read it."""
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        return (re.sub(r"\[\n([\d\s.,eE+-]+)\]", lambda found: f"[{' '.join(found[1].split())}]", text) + "\n").encode()


@record
class WrittenReport(Record):
    """A folder with report.html, one page that opens offline, and findings.json."""

    shown_by: ClassVar[str] = "claims.findings.written_report"

    folder: Path
    findings: Findings

    @property
    def page(self) -> Path:
        """The path of the page."""
        return self.folder / "report.html"

    def to_dict(self) -> dict[str, Any]:
        """The paths, how many claims have each verdict, and the verdicts."""
        return {
            "report": str(self.page),
            "findings": str(self.folder / "findings.json"),
            "version": self.findings.version,
            "seed": self.findings.seed,
            "counts": dict(self.findings.counts()),
            "verdicts": {each.claim.id: each.finding.words for each in self.findings.results},
        }

    @property
    def call(self) -> Call:
        """The call that writes such a report again, into a new folder."""
        return self.findings.call
