"""Runs claims, in this process or in several. Claims that share their models run in one process, one after the other.

If the models of a group of claims belong to several worlds, processes share the worlds first:

    in_world(world 1) ─┐
    in_world(world 2) ─┼─▶ measurements ──▶ the claims of the group
    in_world(world 3) ─┘

Every claim runs on one thread, however many processes there are, so its numbers are the same to the last digit.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from queue import SimpleQueue

from attnlab.claims.claim import Claim, Finding
from attnlab.claims.kept import Measurements, known, learn
from attnlab.claims.ledger import choose
from attnlab.claims.seeds import seed_of, worlds
from attnlab.claims.sources import Source
from attnlab.claims.steadiness import expected_seconds
from attnlab.claims.workers import Pool, workers

RENEWED = 4
"""With several seeds, a process ends after so many tasks, because their models fill its memory. One seed needs less
than a gigabyte, and a new process takes seconds to start."""


@dataclass(frozen=True)
class Outcome:
    """The finding of a claim with one seed."""

    id: str
    seed: int
    finding: Finding
    data: tuple[Source, ...]
    seconds: float
    """The processor time of the experiment, and of training the models that no claim before it needed."""


@dataclass(frozen=True)
class Task:
    """The work of one process: the claims of a group with one seed, or their measurements in one world."""

    claims: tuple[str, ...]
    seed: int
    seconds: float
    """The expected time. The longest task runs first."""
    world: int | None = None

    @property
    def group(self) -> tuple[tuple[str, ...], int]:
        """The group and the seed."""
        return self.claims, self.seed


@dataclass(frozen=True)
class InOneWorld:
    """The measurements of a group's claims in one world, and the seconds of each claim."""

    task: Task
    measurements: Measurements
    seconds: dict[str, float]


def outcomes(claims: Sequence[Claim], seeds: Sequence[int], jobs: int) -> Iterator[Outcome]:
    """Run claims with each seed, in up to `jobs` processes. With one process they come in their order."""
    if jobs == 1:
        yield from (outcome(claim, seed) for seed in seeds for claim in claims)
        return
    tasks = tasks_of(claims, seeds)
    if tasks:
        with workers(min(jobs, len(tasks)), RENEWED if len(seeds) > 1 else None) as pool:
            yield from _scheduled(tasks, pool, jobs)


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


def tasks_of(claims: Sequence[Claim], seeds: Sequence[int]) -> list[Task]:
    """The tasks, the longest first. The claims of a group come after its worlds."""
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.draws, []).append(claim)
    found = []
    for draws, group in groups.items():
        names, expected = tuple(claim.id for claim in group), sum(map(expected_seconds, group))
        for seed in seeds:
            found += [
                Task(names, seed, expected / group[0].worlds, world)
                for world in worlds(seed_of(seed, draws), group[0].worlds)
            ]
            found.append(Task(names, seed, expected))
    return sorted(found, key=lambda task: (-task.seconds, task.world is None))


def _scheduled(waiting: list[Task], pool: Pool, jobs: int) -> Iterator[Outcome]:
    """Give each free process the longest task that can begin."""
    done: SimpleQueue[list[Outcome] | InOneWorld | BaseException] = SimpleQueue()
    running, unmeasured = 0, Counter(task.group for task in waiting if task.world is not None)
    measured: dict[tuple[tuple[str, ...], int], list[InOneWorld]] = {}
    while waiting or running:
        task = next((each for each in waiting if each.world is not None or not unmeasured[each.group]), None)
        if task is not None and running < jobs:
            waiting.remove(task)
            running += 1
            before = measured.pop(task.group, []) if task.world is None else []
            pool.apply_async(_do, (task, before), callback=done.put, error_callback=done.put)
            continue
        found = done.get()
        running -= 1
        if isinstance(found, BaseException):
            raise found
        if isinstance(found, InOneWorld):
            unmeasured[found.task.group] -= 1
            measured.setdefault(found.task.group, []).append(found)
        else:
            yield from found


def _do(task: Task, before: Sequence[InOneWorld]) -> list[Outcome] | InOneWorld:
    """What a process does for one task; `before` has the measurements in the worlds of the group."""
    if task.world is not None:
        return _measure(task, task.world)
    for each in before:
        learn(each.measurements)
    found = [outcome(claim, task.seed) for claim in choose(task.claims)]
    earlier = {name: sum(each.seconds[name] for each in before) for name in task.claims}
    return [replace(each, seconds=round(each.seconds + earlier[each.id], 3)) for each in found]


def _measure(task: Task, world: int) -> InOneWorld:
    """The measurements of a group's claims in one world."""
    from attnlab.training.threads import one_thread

    old, seconds = known(), dict[str, float]()
    for claim in choose(task.claims):
        start = time.process_time()
        with one_thread():
            claim.in_world(world)
        seconds[claim.id] = time.process_time() - start
    return InOneWorld(task, {call: value for call, value in known().items() if call not in old}, seconds)
