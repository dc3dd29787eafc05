"""Runs claims, in this process or in several. Claims that share their models run in one process, one after the other.

If the models of a group of claims belong to several worlds, processes share the worlds, and this process runs the
claims of the group when all of its worlds are measured:

    in_world(world 1) ─┐
    in_world(world 2) ─┼─▶ measurements ──▶ the claims of the group
    in_world(world 3) ─┘

Every claim runs on one thread, however many processes there are, so its numbers are the same to the last digit.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from attnlab.claims.claim import Claim, Finding
from attnlab.claims.ledger import choose
from attnlab.claims.seeds import seed_of, worlds
from attnlab.claims.shared_measurements import Measurements, known, learn
from attnlab.claims.sources import Source
from attnlab.claims.steadiness import expected_seconds
from attnlab.parallel import ONE_WORKER, Task, Workers, spread
from attnlab.progress import SILENT, Observer


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
class Group:
    """Claims that share their models, with one seed."""

    claims: tuple[str, ...]
    seed: int
    seconds: float
    """The expected time."""
    worlds: tuple[int, ...] = ()
    """The worlds that can be measured apart; the claims come after them."""


@dataclass(frozen=True)
class InOneWorld:
    """The measurements of a group's claims in one world, and the seconds of each claim."""

    measurements: Measurements
    seconds: dict[str, float]


def outcomes(
    claims: Sequence[Claim], seeds: Sequence[int], workers: Workers = ONE_WORKER, observer: Observer = SILENT
) -> Iterator[Outcome]:
    """Run claims with each seed. In one process they come in their order, and all seeds of a claim in a row."""
    groups = groups_of(claims, seeds)
    parts = [(group, world) for group in groups for world in group.worlds or (None,)]
    tasks = [Task(_name(*part), part, part[0].seconds / max(1, len(part[0].worlds))) for part in parts]
    if workers.processes(tasks) == 1:
        yield from (outcome(claim, seed) for claim in claims for seed in seeds)
        return
    measured: dict[Group, list[InOneWorld]] = {}
    for number, found in spread(work, tasks, workers, observer):
        group = parts[number][0]
        if isinstance(found, InOneWorld):
            before = measured.setdefault(group, [])
            before.append(found)
            if len(before) == len(group.worlds):
                yield from with_measurements(group, before)
        else:
            yield from found


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


def groups_of(claims: Sequence[Claim], seeds: Sequence[int]) -> list[Group]:
    """The groups of claims that share their models, with each seed."""
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.draws, []).append(claim)
    return [
        Group(
            tuple(claim.id for claim in group),
            seed,
            sum(map(expected_seconds, group)),
            tuple(worlds(seed_of(seed, draws), group[0].worlds)),
        )
        for draws, group in groups.items()
        for seed in seeds
    ]


def work(group: Group, world: int | None, observer: Observer = SILENT) -> list[Outcome] | InOneWorld:
    """What a process does for a group: the measurements of its claims in one world or, if it has no worlds, its
    claims."""
    return with_measurements(group) if world is None else _measure(group, world)


def with_measurements(group: Group, before: Sequence[InOneWorld] = ()) -> list[Outcome]:
    """Run the claims of a group; `before` has the measurements in its worlds."""
    for each in before:
        learn(each.measurements)
    found = [outcome(claim, group.seed) for claim in choose(group.claims)]
    earlier = {name: sum(each.seconds[name] for each in before) for name in group.claims}
    return [replace(each, seconds=round(each.seconds + earlier[each.id], 3)) for each in found]


def _measure(group: Group, world: int) -> InOneWorld:
    """The measurements of a group's claims in one world."""
    from attnlab.training.threads import one_thread

    old, seconds = known(), dict[str, float]()
    for claim in choose(group.claims):
        start = time.process_time()
        with one_thread():
            claim.in_world(world)
        seconds[claim.id] = time.process_time() - start
    return InOneWorld({call: value for call, value in known().items() if call not in old}, seconds)


def _name(group: Group, world: int | None) -> str:
    """The name of the work of one process, as its bar shows it."""
    name = group.claims[0] if len(group.claims) == 1 else f"{group.claims[0]} and {len(group.claims) - 1} more"
    return name if world is None else f"{name}, world {group.worlds.index(world) + 1} of {len(group.worlds)}"
