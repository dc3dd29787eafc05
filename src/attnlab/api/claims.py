"""Claims: `findings` runs claims, `run` also writes a report."""

from collections.abc import Sequence
from pathlib import Path

from attnlab import claims
from attnlab.claims import Findings, WrittenReport
from attnlab.observers import watching

__all__ = ["findings", "run"]


def findings(*ids: str, family: str = "", by: str = "", seed: int = 0) -> Findings:
    """Run claims and return their findings, as `attnlab claims` does: the claims with these ids, of one family, or of
    one write-up (A to E, or lab); by default, all claims."""
    return claims.run_claims(*ids, family=family, by=by, seed=seed, observer=watching())


def run(*, only: str | Sequence[str] | None = None, seed: int = 0, out: str | Path | None = None) -> WrittenReport:
    """Run every claim, or some claims and families, and write a report: one HTML page and the findings as JSON."""
    return claims.report(only, seed, out, watching())
