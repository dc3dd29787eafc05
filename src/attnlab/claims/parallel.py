"""Runs claims, in this process or in several. Claims that share their models run in one process, one after the other.

Every claim runs on one thread, however many processes there are, so its numbers are the same to the last digit.
"""

import json
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from multiprocessing import get_context

from attnlab.claims.claim import Claim, Finding
from attnlab.claims.ledger import choose
from attnlab.claims.sources import Source

RENEWED = 4
"""After so many groups of claims, a new process takes the place of an old one, whose models fill the memory."""


@dataclass(frozen=True)
class Outcome:
    """The finding of a claim with one seed."""

    id: str
    seed: int
    finding: Finding
    data: tuple[Source, ...]
    seconds: float
    """The processor time of the experiment, and of training the models that no claim before it needed."""


def outcomes(claims: Sequence[Claim], seeds: Sequence[int], jobs: int) -> Iterator[Outcome]:
    """Run claims with each seed, in up to `jobs` processes. With one process they come in their order."""
    if jobs == 1:
        yield from (outcome(claim, seed) for seed in seeds for claim in claims)
        return
    groups = [(names, seed) for names in groups_of(claims) for seed in seeds]
    with get_context("spawn").Pool(min(jobs, len(groups)), _deafen, maxtasksperchild=RENEWED) as pool:
        for done in pool.imap_unordered(_outcomes, groups):
            yield from done


def outcome(claim: Claim, seed: int) -> Outcome:
    """Run one claim. An exception in its experiment is a bug of ours."""
    from attnlab.training.threads import one_thread

    start = time.process_time()
    try:
        with one_thread():
            finding, data = claim.run(seed), claim.sources(seed)
        json.dumps(asdict(finding), allow_nan=False)  # raises if a number is NaN or infinite
    except Exception as error:
        raise RuntimeError(f"the claim {claim.id} cannot be run: {error}") from error
    return Outcome(claim.id, seed, finding, data, round(time.process_time() - start, 3))


def groups_of(claims: Sequence[Claim]) -> list[list[str]]:
    """The ids of claims that share their models, the largest group first: it takes longest."""
    groups: dict[str, list[str]] = {}
    for claim in claims:
        groups.setdefault(claim.draws, []).append(claim.id)
    return sorted(groups.values(), key=len, reverse=True)


def _outcomes(group: tuple[list[str], int]) -> list[Outcome]:
    """What a process does for one group and one seed."""
    names, seed = group
    return [outcome(claim, seed) for claim in choose(names)]


def _deafen() -> None:
    """Leave Ctrl-C to the process that started this one; it stops the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
