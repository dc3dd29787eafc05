"""make faults: try every fault before every file operation of every command, and print a table.

python -m tests.faults [--only NAME,…] [--faults kill,torn,…] [--most N] [--random N] [--edits N] [--jobs N] [--json F]
"""

import argparse
import gc
import importlib
import json
import os
import pkgutil
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from tests.faults.cases import cases
from tests.faults.moments import random_kills, two_at_once
from tests.faults.trials import Tally, Trials

FAULTS = ("kill", "torn", "power", "ENOSPC", "EIO", "EACCES")
Unit = tuple[str, str, Callable[[Path], Tally]]
"""A command, a fault, and what tries it in a folder."""


def warm() -> None:
    """Import everything once, so that each forked process starts at once."""
    import torch
    from altair.utils import schemapi

    import attnlab
    import attnlab.studio.work
    from attnlab.benches.language import training
    from attnlab.report.charts import files
    from attnlab.text import train_tokenizer

    torch.set_num_threads(1)
    for each in pkgutil.walk_packages(attnlab.__path__, "attnlab."):
        if not each.name.endswith("__main__") and not each.name.startswith("attnlab.studio."):
            importlib.import_module(each.name)
    schemapi.DEBUG_MODE = False  # the other tests check charts against the schema
    train_tokenizer("words", "a word")  # computes the table of letters
    # The drawing of a chart takes a second and no file operation: its specification is written instead.
    files._rendered = lambda spec, *words: json.dumps([spec, words], sort_keys=True).encode()
    training.SAMPLED = 5  # a sample of 200 tokens takes longer than all the rest
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
    options.add_argument("--json", type=Path)
    asked = options.parse_args()
    warm()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        found = tried_beside(units(asked), Path(place), asked.jobs)
    if asked.json:
        told = [{"command": name, "fault": fault, **asdict(tally)} for (name, fault), tally in found.items()]
        asked.json.write_text(json.dumps(told, indent=1))
    bad = sum(len(each.lost) + len(each.stray) + len(each.unclear) for each in found.values())
    points = sum(each.points for each in found.values())
    print(f"{points:,} points tried in {time.perf_counter() - began:,.0f} seconds, {bad} of them wrong")
    return 1 if bad else 0


def units(asked: argparse.Namespace) -> list[Unit]:
    """The parts of the work, the longest commands first."""
    chosen = {name: case for name, case in cases().items() if not asked.only or name in asked.only.split(",")}
    found: list[Unit] = []
    for name, case in chosen.items():
        for fault in asked.faults.split(","):
            if fault != "two":
                found.append((name, fault, lambda place, c=case, f=fault: every_point(Trials(c, place), f, asked.most)))
            elif case.resume:
                found.append((name, fault, lambda place, c=case: two_at_once(Trials(c, place))))
        if asked.random:
            each = -(-asked.random // len(chosen))
            found.append((name, "random", lambda place, c=case, n=each: random_kills(Trials(c, place), n)))
    if asked.edits:
        found.append(("opening a run", "edit", lambda place: edited(place, asked.edits)))
    return sorted(found, key=lambda unit: "knowledge run" not in unit[0])


def every_point(trials: Trials, fault: str, most: int) -> Tally:
    """Try a fault before every operation, or before some that are drawn."""
    points = [n for n, (name, _) in enumerate(trials.operations, 1) if fault != "torn" or name == "write"]
    if most and len(points) > most:
        points = sorted(random.Random(fault).sample(points, most))
    tally = Tally()
    for point in points:
        trials.attempt(point, fault, tally)
    return tally


def edited(place: Path, count: int) -> Tally:
    """Edit and open run folders."""
    from tests.faults.edits import make_runs, try_edits

    (place / "runs").mkdir(parents=True)
    wrong = try_edits(make_runs(place / "runs"), place / "edited", count)
    return Tally(count, unclear=wrong)


def tried_beside(work: list[Unit], place: Path, jobs: int) -> dict[tuple[str, str], Tally]:
    """Do the work in forked processes, some at the same time, and print a row for each part."""
    found: dict[tuple[str, str], Tally] = {}
    running: dict[int, tuple[Unit, Path]] = {}
    waiting = list(enumerate(work))
    while waiting or running:
        while waiting and len(running) < jobs:
            number, unit = waiting.pop(0)
            folder = place / str(number)
            child = os.fork()
            if not child:
                _work(unit, folder)
            running[child] = (unit, folder)
        ended, _ = os.wait()
        (name, fault, _), folder = running.pop(ended)
        told = folder.with_suffix(".json")
        lost = {"points": 0, "lost": ["the trials ended without a result"], "stray": [], "unclear": []}
        found[name, fault] = Tally(**(json.loads(told.read_text()) if told.exists() else lost))
        tell(name, fault, found[name, fault])
    return found


def _work(unit: Unit, folder: Path) -> None:
    """What a forked process does: one part of the work."""
    try:
        tally = unit[2](folder)
    except BaseException:
        tally = Tally(lost=[traceback.format_exc()[-1000:]])
    folder.with_suffix(".json").write_text(json.dumps(asdict(tally)))
    os._exit(0)


def tell(name: str, fault: str, tally: Tally) -> None:
    """Print a row of the table, and what went wrong."""
    print(f"| {name} | {fault} | {tally.points} | {len(tally.lost)} | {len(tally.stray)} | {len(tally.unclear)} |")
    for kind, lines in (("lost", tally.lost), ("stray", tally.stray), ("unclear", tally.unclear)):
        for line in lines[:5]:
            print(f"    {kind}: {line}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
