"""Claims: `findings` runs claims, `run` also writes a report."""

from collections.abc import Sequence
from pathlib import Path

from attnlab import claims
from attnlab.arguments import checked
from attnlab.claims import Findings, WrittenReport
from attnlab.observers import watching

__all__ = ["findings", "run"]


@checked
def findings(*ids: str, family: str = "", by: str = "", seed: int = 0, jobs: int = 1) -> Findings:
    """Run claims and return their findings, as `attnlab claims` does: the claims with these ids, of one family, or of
    one write-up (A to E, or lab); by default, all claims. With `jobs=0` they run on all cores; a script that asks for
    more than one process calls this under `if __name__ == "__main__":`."""
    return claims.run_claims(*ids, family=family, by=by, seed=seed, jobs=jobs, observer=watching())


@checked
def run(
    *, only: str | Sequence[str] | None = None, seed: int = 0, out: str | Path | None = None, jobs: int = 1
) -> WrittenReport:
    """Run every claim, or some claims and families, and write a report: one HTML page and the findings as JSON. With
    `jobs=0` they run on all cores; a script that asks for more than one process calls this under
    `if __name__ == "__main__":`."""
    return claims.report(only, seed, out, jobs, watching())
