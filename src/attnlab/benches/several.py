"""The steps of several runs with one plan: those that are finished are read, the others are trained, in this process
or in several. Without torch."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from attnlab.benches.lifecycle import PLAN
from attnlab.errors import ArgumentError, FileError, StoppedError
from attnlab.parallel import Task, Workers, spread
from attnlab.progress import Observer
from attnlab.runs.folder import Run
from attnlab.settings import Range, write

Found = TypeVar("Found")
MOST_SEEDS = 1000


def is_plan(place: Path) -> bool:
    """Whether a folder is that of several runs."""
    return (place / PLAN).is_file() and not (place / "config.json").exists()


def seeded(settings: Any, seeds: int) -> dict[str, Any]:
    """The settings of each run, by the name of its folder: consecutive seeds, from that of the settings on."""
    Range(1, MOST_SEEDS).require("seeds", seeds)
    first = settings.training.seed
    try:
        each = [replace(settings.training, seed=seed) for seed in range(first, first + seeds)]
    except ArgumentError as error:
        raise ArgumentError("seeds", f"{seeds} seeds from {first} on: {error.message}") from error
    return {f"seed-{training.seed}": replace(settings, training=training) for training in each}


def finished_runs(
    place: Path,
    planned: Mapping[str, Any],
    read: Callable[[Run], Found],
    check: Callable[[Run], None] = lambda run: None,
) -> dict[str, Found]:
    """What the finished runs found, by the names of their folders. Raises if a run that has begun has other settings
    than the plan gives it, or does not pass the check: a mean or a table must not mix them."""
    found = {}
    for name, settings in planned.items():
        run = Run(place / name)
        if not (run.path / "config.json").is_file():
            continue
        if differing := _difference(write(run.settings(type(settings))), write(settings)):
            again = f"start new runs with --out, or remove {run.path} to train this one again"
            raise FileError(run.path, f"was trained with other settings than {PLAN} gives now: {differing}; {again}")
        check(run)
        if run.finished:
            found[name] = read(run)
    return found


def train_the_others(
    place: Path,
    command: str,
    tasks: Sequence[Task],
    done: dict[str, Found],
    train: Callable[..., Found],
    observer: Observer,
    workers: Workers,
    *,
    of: str = "seeds",
    saves: bool = False,
    ended: Callable[[], None] = lambda: None,
) -> list[Found]:
    """What all runs found, in the order of their tasks. Those that are not `done` are trained, and added to it; `ended`
    is called after each. An interrupt tells the command that continues them; runs that save `saves` end by themselves.
    `of` is what the runs are of, for the observer."""
    waiting = [task for task in tasks if task.name not in done]
    given = {"files": True, "saves": place if saves else None}
    with observer.task(of, len(tasks)) as bar:
        bar.advance(len(done))
        try:
            for number, found in spread(train, waiting, workers, observer, **given):
                done[waiting[number].name] = found
                bar.advance()
                ended()
        except StoppedError:  # a run has told it
            raise
        except KeyboardInterrupt as error:
            raise StoppedError(f"stopped; to continue: attnlab {command} --resume {place}") from error
    return [done[task.name] for task in tasks]


def _difference(trained: Any, planned: Any) -> str:
    """The first setting in which two runs differ, in words; empty if they are the same."""
    one, other = dict(_flat(trained)), dict(_flat(planned))
    for name in dict.fromkeys([*one, *other]):
        if one.get(name) != other.get(name):
            return f"{name} was {one.get(name)!r}, now it would be {other.get(name)!r}"
    return ""


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The values inside a JSON value, by dotted names."""
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _flat(each, f"{name}.{key}" if name else str(key))
    else:
        yield name, value
