"""Claims: `claims` runs claims, `run` also writes a report."""

from collections.abc import Sequence
from pathlib import Path

from attnlab.arguments import checked
from attnlab.claims import Findings, WrittenReport, list_claims, report, run_claims
from attnlab.observers import watching
from attnlab.parallel import Workers

__all__ = ["claims", "run"]


class Claims:
    """What `al.claims` is to a type checker: the package attnlab.claims, which can be called."""

    list_claims = staticmethod(list_claims)

    @checked
    def __call__(
        self, *ids: str, family: str = "", by: str = "", seed: int = 0, jobs: int = 0, cluster: str = ""
    ) -> Findings:
        """Run claims and return their findings, as `attnlab claims` does: the claims with these ids, of one family, or
        of one write-up (A to E, or lab); by default, all claims. They run in up to `jobs` processes, by default one for
        each core, or on a Dask `cluster`, "tcp://HOST:8786"."""
        workers = Workers(jobs, cluster)
        return run_claims(*ids, family=family, by=by, seed=seed, workers=workers, observer=watching())


claims = Claims()


@checked
def run(
    *,
    only: str | Sequence[str] | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    jobs: int = 0,
    cluster: str = "",
) -> WrittenReport:
    """Run every claim, or some claims and families, and write a report: one HTML page and the findings as JSON. They
    run in up to `jobs` processes, by default one for each core, or on a Dask `cluster`, "tcp://HOST:8786"."""
    return report(only, seed, out, Workers(jobs, cluster), watching())
