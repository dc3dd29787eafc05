"""Claims: the ledger, one claim with its evidence, and running claims with a seed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_args

from fastapi import APIRouter, Depends, Query
from starlette.responses import Response

from attnlab.errors import ArgumentError, FileError
from attnlab.studio.files import Ending, file_endings, record_file
from attnlab.studio.jobs import Job, ToldJob
from attnlab.studio.lab import Lab, TheLab
from attnlab.studio.schemas import ContentOf
from attnlab.studio.warming import warm

if TYPE_CHECKING:
    from attnlab.claims import Claim

router = APIRouter(tags=["claims"], prefix="/claims", dependencies=[Depends(warm)])

Names = Annotated[tuple[str, ...], Query(alias="name")]


@dataclass(frozen=True)
class ListedClaim:
    """A claim of the ledger. Its verdict is that of the newest job here; else that of seeds that were tried before, or
    that of a run before if nothing in it is random."""

    id: str
    family: str
    bench: str
    statement: str
    said_by: str
    random: bool
    verdict: str
    """holds, fails, holds if; empty if it was not run."""
    source: str
    """Where the verdict comes from, in words."""


@dataclass(frozen=True)
class Ledger:
    """All claims, their families, and five to start with."""

    families: list[dict[str, str]]
    benches: list[str]
    claims: list[ListedClaim]
    first: list[dict[str, str]]
    command: str
    python: str
    downloads: list[str]


@dataclass(frozen=True)
class OneClaim:
    """A claim, the newest evidence for it with a seed, and the job that runs it now. None if there is none."""

    id: str
    family: str
    question: str
    statement: str
    said_by: str
    random: bool
    seeds: dict[str, int]
    """How many seeds gave each verdict when that was last measured."""
    settled: str
    """The verdict that was last measured if nothing in the claim is random; else empty."""
    seconds: float
    """The processor time that it took then; 0 if it was not measured."""
    seed: int
    evidence: Annotated[dict[str, Any], ContentOf("studio.evidence:evidence")] | None
    job: str
    """The job that the evidence comes from."""
    alone: bool
    """Whether that job ran this claim alone, so that its files are about this claim."""
    downloads: list[str]
    running: str
    """The job that runs the claim with this seed now; empty if none does."""


@dataclass(frozen=True)
class ToRun:
    """Claims to run, by their ids, and the seed."""

    ids: list[str]
    seed: int = 0


@router.get("")
def ledger(lab: TheLab) -> Ledger:
    """All claims."""
    from attnlab.claims import list_claims
    from attnlab.claims.claim import Bench
    from attnlab.claims.ledger import ledger
    from attnlab.report.claims.page import READ_FIRST
    from attnlab.report.writing.maths import set_formulas

    found, here = list_claims(), _verdicts_here(lab)
    return Ledger(
        [{"name": each.name, "title": each.title, "question": str(set_formulas(each.question))} for each in ledger()],
        list(get_args(Bench)),
        [_listed(claim, family.bench, here) for family in ledger() for claim in family.claims],
        [{"id": id, "lesson": str(set_formulas(lesson))} for id, (_, lesson) in READ_FIRST.items()],
        found.command,
        found.python,
        file_endings(found),
    )


@router.get("/list{ending}", response_class=Response)
def ledger_file(ending: Ending, names: Names = ()) -> Response:
    """The claims with these names (ids or families), as a file; without names, all claims."""
    from attnlab.claims import list_claims

    return record_file(list_claims(*names), ending)


@router.get("/{id}")
def one_claim(lab: TheLab, id: str, seed: int = 0) -> OneClaim:
    """A claim, with the evidence that jobs of this folder found with a seed."""
    from attnlab.claims.settled import settled_verdict
    from attnlab.claims.steadiness import expected_seconds, seeds_of
    from attnlab.report.writing.maths import set_formulas

    claim = _claims([id])[0]
    if claim.id != id:
        raise ArgumentError("id", f"expected a claim, got the family {id!r}")
    jobs = [job for job in _claim_jobs(lab) if _ran(job, id, seed)]
    done = next((job for job in jobs if job.state == "done"), None)
    found = _evidence(done) if done else {}
    return OneClaim(
        id,
        claim.family,
        str(set_formulas(claim.question)),
        str(set_formulas(claim.statement)),
        claim.said_by,
        claim.stochastic,
        dict(seeds_of(claim)),
        settled_verdict(claim),
        expected_seconds(claim),
        seed,
        found.get(id),
        done.id if done else "",
        len(found) == 1,
        list(done.downloads()) if done else [],
        next((job.id for job in jobs if job.state == "running"), ""),
    )


@router.post("/run")
def run(lab: TheLab, asked: ToRun) -> ToldJob:
    """Start a job that runs claims."""
    from attnlab.claims.running import MOST_SEED

    if not asked.ids:
        raise ArgumentError("ids", "expected at least one claim")
    if not 0 <= asked.seed <= MOST_SEED:
        raise ArgumentError("seed", f"expected a whole number from 0 to {MOST_SEED}, got {asked.seed}")
    ids = [claim.id for claim in _claims(asked.ids)]
    return lab.jobs.start("claims", {"ids": ids, "seed": asked.seed}).told()


def _claims(names: list[str]) -> "list[Claim]":
    from attnlab.claims.ledger import choose

    return choose(names, argument="id")


def _claim_jobs(lab: Lab) -> list[Job]:
    return [job for job, asked in lab.jobs.ordered() if asked.work == "claims"]


def _ran(job: Job, id: str, seed: int) -> bool:
    arguments = job.asked().arguments
    ids = arguments.get("ids")
    return isinstance(ids, list) and id in ids and arguments.get("seed") == seed


def _evidence(job: Job) -> dict[str, dict[str, Any]]:
    """The evidence that a finished job found, by claim."""
    found = job.result().get("evidence")
    if not isinstance(found, dict) or not all(map(_is_evidence, found.values())):
        raise FileError(job.folder / "result.json", "expected the evidence for claims; remove the folder of this job")
    return found


def _is_evidence(each: Any) -> bool:
    return isinstance(each, dict) and isinstance(each.get("verdict"), str) and isinstance(each.get("seed", 0), int)


def _verdicts_here(lab: Lab) -> dict[str, tuple[str, int]]:
    """The verdict and the seed of every claim that a job of this folder has run, the newest job first."""
    found: dict[str, tuple[str, int]] = {}
    for job in _claim_jobs(lab):
        if job.state == "done":
            for id, each in _evidence(job).items():
                found.setdefault(id, (each["verdict"], each.get("seed", 0)))
    return found


def _listed(claim: "Claim", bench: str, here: dict[str, tuple[str, int]]) -> ListedClaim:
    from attnlab.claims.settled import settled_verdict
    from attnlab.claims.steadiness import seeds_of
    from attnlab.report.writing.maths import set_formulas

    verdict, source, seeds = "", "not run yet", seeds_of(claim)
    if claim.id in here:
        verdict, seed = here[claim.id]
        source = f"run here with seed {seed}" if claim.stochastic else "run here"
    elif seeds:
        ((verdict, most),) = seeds.most_common(1)
        source = f"measured before, with {most} of {seeds.total()} seeds"
    elif verdict := settled_verdict(claim):
        source = "nothing is random: measured before"
    statement = str(set_formulas(claim.statement))
    about = (claim.id, claim.family, bench, statement, claim.said_by, claim.stochastic)
    return ListedClaim(*about, verdict, source)
