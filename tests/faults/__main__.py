"""make faults: try every fault before every file operation of every command, and print a table.

python -m tests.faults [--only NAME,…] [--faults kill,torn,…] [--most N] [--random N] [--edits N] [--jobs N]
                       [--seconds N] [--json F] [--done F …] [--merge F …]

The process imports everything once; each trial is a forked process. `--seconds` ends it early, and `--done` goes on
from the files of `--json` that earlier runs wrote. `--merge` only adds such files up.
"""

import argparse
import gc
import importlib
import json
import os
import pickle
import pkgutil
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.cases import cases
from tests.faults.moments import random_kill, two_at_once
from tests.faults.trials import Case, Tally, Trials, Unbroken, unbroken

FAULTS = ("kill", "torn", "power", "ENOSPC", "EIO", "EACCES", "unread EIO", "unread EACCES")
TWICE = 6
"""How often two processes are started at once."""
EDITS = 100
"""How many edits belong together: for these, runs are made to be edited."""
SLICE = 10.0
"""About how many seconds one part of the work takes."""


@dataclass
class Row:
    """A command and a fault: how many points there are, which were tried, and what went wrong."""

    command: str
    fault: str
    points: int
    tried: list[int] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    stray: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)

    def add(self, other: "Row") -> None:
        """Add the trials of another row."""
        self.points = max(self.points, other.points)
        self.tried = sorted({*self.tried, *other.tried})
        self.lost += other.lost
        self.stray += other.stray
        self.unclear += other.unclear


def in_memory() -> str | None:
    """A folder in memory, if there is one with room: the trials write much, and nothing of it must last."""
    place = "/dev/shm"
    return place if os.path.isdir(place) and shutil.disk_usage(place).free > 10**9 else None


def warm() -> None:
    """Import everything once, so that each forked process starts at once."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a GPU would be out of memory with many processes at once
    import torch
    from altair.utils import schemapi

    import attnlab
    import attnlab.studio.work
    from attnlab.benches.language import training
    from attnlab.evaluation.knowledge import asking
    from attnlab.report.charts import files
    from attnlab.text import train_tokenizer

    torch.set_num_threads(1)
    for each in pkgutil.walk_packages(attnlab.__path__, "attnlab."):
        if not each.name.endswith("__main__") and not each.name.startswith("attnlab.studio."):
            importlib.import_module(each.name)
    schemapi.DEBUG_MODE = False  # the other tests check charts against the schema
    train_tokenizer("words", "a word")  # computes the table of letters
    import torch._dynamo  # torch imports it for the first module without memory, which takes a second

    # The drawing of a chart takes a second and no file operation: its specification is written instead.
    files._rendered = lambda spec, *words: json.dumps([spec, words], sort_keys=True).encode()
    training.SAMPLED = 5  # a sample of 200 tokens takes longer than all the rest
    asking.LONGEST = 2  # so do long answers of models that have learnt nothing
    gc.collect()
    gc.freeze()  # a collection in a forked process would copy all of this memory


def main() -> int:
    """Try the faults, and tell what was lost or stray."""
    options = argparse.ArgumentParser()
    options.add_argument("--only", default="")
    options.add_argument("--faults", default=",".join((*FAULTS, "two")))
    options.add_argument("--most", type=int, default=0, help="the most points of a fault for each command; 0: all")
    options.add_argument("--random", type=int, default=0, help="kills at random moments, in all")
    options.add_argument("--edits", type=int, default=0, help="edits of run folders")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--seconds", type=float, default=float("inf"))
    options.add_argument("--json", type=Path)
    options.add_argument("--done", type=Path, nargs="+", default=[])
    options.add_argument("--merge", type=Path, nargs="+")
    asked = options.parse_args()
    began = time.monotonic()
    found = read_rows(asked.merge or asked.done)
    if not asked.merge:
        warm()
        with tempfile.TemporaryDirectory(dir=in_memory()) as place:
            try_all(asked, Path(place), began + asked.seconds, found)
    write_rows(asked.json, found)
    for row in found.values():
        show(row)
    points, tried = (
        sum(values) for values in zip(*((row.points, len(row.tried)) for row in found.values()), strict=True)
    )
    bad = sum(len(each.lost) + len(each.stray) + len(each.unclear) for each in found.values())
    print(f"{tried:,} of {points:,} points tried in {time.monotonic() - began:,.0f} seconds, {bad} of them wrong")
    return 1 if bad else 0


Rows = dict[tuple[str, str], Row]


def read_rows(files: list[Path]) -> Rows:
    """The rows of files that --json wrote, added up."""
    found: Rows = {}
    for each in (Row(**row) for file in files for row in json.loads(file.read_text())):
        add(found, each)
    return found


def write_rows(path: Path | None, found: Rows) -> None:
    """Write the rows to the file of --json."""
    if path:
        path.write_text(json.dumps([asdict(row) for row in found.values()]))


def add(found: Rows, row: Row) -> None:
    """Add a row to those of the same command and fault."""
    found.setdefault((row.command, row.fault), Row(row.command, row.fault, 0)).add(row)


@dataclass(frozen=True)
class Part:
    """A part of the work: some points of a command and a fault."""

    command: str
    fault: str
    all: int
    points: tuple[int, ...]
    seconds: float


def try_all(asked: argparse.Namespace, place: Path, end: float, found: Rows) -> None:
    """Run every command unbroken, then its parts with faults, in forked processes beside one another."""
    chosen = {name: case for name, case in cases().items() if not asked.only or name in asked.only.split(",")}
    runs: dict[str, Unbroken] = {}

    def prepare(name: str) -> Unbroken:
        return unbroken(chosen[name], place / f"unbroken-{list(chosen).index(name)}")

    for name, run in beside(list(chosen), prepare, place, asked.jobs, end):
        if isinstance(run, Unbroken):
            runs[name] = run
        else:
            add(found, Row(name, "none", 1, lost=[str(run)]))
    parts = [part for name in runs for part in parts_of(asked, name, chosen[name], runs[name], found, len(chosen))]
    for first in range(0, asked.edits, EDITS):
        some = tuple(range(first, min(first + EDITS, asked.edits)))
        parts.append(Part("opening a run", "edit", asked.edits, some, 2 * SLICE))
    for part in parts:
        add(found, Row(part.command, part.fault, part.all))

    def attempt(part: Part) -> Row:
        return tried(part, chosen, runs, place / f"part-{os.getpid()}")

    longest_first = asked.seconds == float("inf")  # else as many points as there is time for
    ordered = sorted(parts, key=lambda part: part.seconds / len(part.points), reverse=longest_first)
    for part, row in beside(ordered, attempt, place, asked.jobs, end):
        add(found, row if isinstance(row, Row) else Row(part.command, part.fault, part.all, lost=[str(row)]))
        write_rows(asked.json, found)


def parts_of(asked: Any, name: str, case: Case, run: Unbroken, found: Rows, commands: int) -> Iterator[Part]:
    """The work on one command, without what is done already, in parts of some seconds."""
    ways = {fault: run.points(fault) for fault in asked.faults.split(",") if fault != "two"}
    if "two" in asked.faults.split(",") and case.resume:
        ways["two"] = list(range(TWICE))
    if asked.random:
        ways["random"] = list(range(-(-asked.random // commands)))
    for fault, points in ways.items():
        left = [point for point in points if (name, fault) not in found or point not in found[name, fault].tried]
        if asked.most and len(left) > asked.most:
            left = sorted(random.Random(fault).sample(left, asked.most))
        size = max(1, int(SLICE / (2 * run.seconds + 0.1)))
        for first in range(0, len(left), size):
            some = tuple(left[first : first + size])
            yield Part(name, fault, len(points), some, len(some) * (2 * run.seconds + 0.1))


def tried(part: Part, chosen: dict[str, Case], runs: dict[str, Unbroken], place: Path) -> Row:
    """Do one part of the work."""
    if part.fault == "edit":
        return edited(part, place)
    trials, tally = Trials(chosen[part.command], runs[part.command], place), Tally()
    for point in part.points:
        if part.fault == "two":
            two_at_once(trials, point, tally)
        elif part.fault == "random":
            random_kill(trials, point, tally)
        else:
            trials.attempt(point, part.fault, tally)
    trials.remove()
    return Row(part.command, part.fault, part.all, list(part.points), tally.lost, tally.stray, tally.unclear)


def edited(part: Part, place: Path) -> Row:
    """Edit and open run folders."""
    from tests.faults.edits import make_runs, try_edits

    (place / "runs").mkdir(parents=True)
    wrong = try_edits(make_runs(place / "runs"), place / "edited", len(part.points), seed=part.points[0])
    shutil.rmtree(place)
    return Row(part.command, part.fault, part.all, list(part.points), unclear=wrong)


def beside(work: list[Any], do: Any, place: Path, jobs: int, end: float) -> Iterator[tuple[Any, Any]]:
    """Do each piece of work in a forked process, some at the same time, none begun after the end. Yields the work and
    what came of it: the words of an error if there was one."""
    running: dict[int, tuple[Any, Path]] = {}
    waiting = list(work)
    while waiting or running:
        while waiting and len(running) < jobs and time.monotonic() < end:
            each = waiting.pop(0)
            told = place / f"told-{len(work) - len(waiting)}"
            child = os.fork()
            if not child:
                _done_apart(do, each, told)
            running[child] = (each, told)
        if not running:
            return
        ended, _ = os.wait()
        each, told = running.pop(ended)
        yield each, pickle.loads(told.read_bytes()) if told.exists() else "the trials ended without a result"
        told.unlink(missing_ok=True)


def _done_apart(do: Any, each: Any, told: Path) -> None:
    """What a forked process does."""
    try:
        value = do(each)
    except BaseException:
        value = traceback.format_exc()[-1000:]
    told.write_bytes(pickle.dumps(value))
    os._exit(0)


def show(row: Row) -> None:
    """Print a row of the table, and what went wrong."""
    wrong = f"{len(row.lost)} | {len(row.stray)} | {len(row.unclear)}"
    print(f"| {row.command} | {row.fault} | {row.points} | {len(row.tried)} | {wrong} |")
    for kind, lines in (("lost", row.lost), ("stray", row.stray), ("unclear", row.unclear)):
        for line in lines[:5]:
            print(f"    {kind}: {line}")


if __name__ == "__main__":
    sys.exit(main())
