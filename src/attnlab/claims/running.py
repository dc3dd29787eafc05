"""Runs claims, and writes a report of their findings."""

import platform
from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from attnlab import __version__
from attnlab.calls import Call
from attnlab.claims.claim import Claim
from attnlab.claims.findings import ClaimResult, Findings, WrittenReport, seed_option
from attnlab.claims.ledger import choose, ledger, pick, picking
from attnlab.claims.parallel import outcomes
from attnlab.errors import ArgumentError
from attnlab.files import new_folder
from attnlab.parallel import ONE_WORKER, Workers
from attnlab.progress import SILENT, Observer
from attnlab.records import presentation

MOST_SEED = 2**63 - 1
"""The largest seed that torch takes."""


def run_claims(
    *names: str,
    family: str = "",
    by: str = "",
    seed: int = 0,
    workers: Workers = ONE_WORKER,
    observer: Observer = SILENT,
) -> Findings:
    """Run the claims with these names (ids or families), and show the evidence. Without names, run the claims of a
    family, of a write-up (A to E, or lab), or all claims, and show the verdicts. `workers` run claims that
    take long enough; the findings are the same.

    >>> run_claims("perplexity-mixed").results[0].finding.verdict
    'fails'
    """
    claims = pick(names, family, by)
    _check_seed(seed)
    only = [claim.id for claim in claims] if names or family or by else []
    call = Call("claims", names, picking(family, by) | seed_option(seed))
    return _run(claims, seed, only, call, workers, observer, evidence=bool(names))


def report(
    only: str | Sequence[str] | None = None,
    seed: int = 0,
    out: Path | str | None = None,
    workers: Workers = ONE_WORKER,
    observer: Observer = SILENT,
) -> WrittenReport:
    """Run claims and write report.html and findings.json into `out`, a new or empty folder (default: a new folder under
    runs/). The folder appears once both files are complete. `only` has ids and families, as a list or one string with
    commas; None: all claims. `workers` run them."""
    _check_seed(seed)
    names = [name.strip() for name in only.split(",") if name.strip()] if isinstance(only, str) else list(only or ())
    if only is not None and not names:
        raise ArgumentError("only", f"expected claims or families such as copying,averaging, got {only!r}")
    claims = choose(names, argument="only")
    place = Path(out) if out is not None else Path("runs") / f"{datetime.now():%Y-%m-%d-%H%M%S}"
    call = Call("run", options=({"only": ",".join(names)} if names else {}) | seed_option(seed))
    with new_folder(place, or_beside=out is None) as folder:
        found = _run(claims, seed, names, call, workers, observer)
        folder.write("findings.json", found.as_file())
        folder.write("report.html", presentation(found).page().encode())
    return WrittenReport(folder.path, found)


def _check_seed(seed: int) -> None:
    if not 0 <= seed <= MOST_SEED:
        raise ArgumentError("seed", f"expected a whole number from 0 to {MOST_SEED}, got {seed}")


def _run(
    claims: Sequence[Claim],
    seed: int,
    only: Sequence[str],
    call: Call,
    workers: Workers,
    observer: Observer,
    *,
    evidence: bool = False,
) -> Findings:
    results = _results(claims, seed, workers, observer)
    versions = {"python": platform.python_version()} | {name: version(name) for name in ("torch", "numpy", "scipy")}
    families = tuple(family for family in ledger() if any(claim.family == family.name for claim in claims))
    return Findings(results, families, seed, tuple(only), evidence, __version__, versions, made_by=call)


def _results(claims: Sequence[Claim], seed: int, workers: Workers, observer: Observer) -> tuple[ClaimResult, ...]:
    """Each claim with its finding, in the order of the claims."""
    named, found = {claim.id: claim for claim in claims}, dict[str, ClaimResult]()
    with observer.task("claims", len(claims)) as task:
        task.reach(0, claims[0].id if claims else "")
        for each in outcomes(claims, [seed], workers, observer):
            found[each.id] = ClaimResult(named[each.id], each.finding, each.seconds, each.data)
            task.reach(len(found), each.id)
    return tuple(found[claim.id] for claim in claims)
