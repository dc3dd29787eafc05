"""make faults: try every fault before every file operation of every command, and print a table.

python -m tests.faults [--only NAME,…] [--faults kill,torn,ENOSPC,EIO,EACCES] [--most N] [--json FILE]
"""

import argparse
import importlib
import json
import pkgutil
import random
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from tests.faults.cases import cases
from tests.faults.trials import Tally, Trials

FAULTS = ("kill", "torn", "ENOSPC", "EIO", "EACCES")


def warm() -> None:
    """Import everything once, so that each forked process starts at once."""
    import torch

    torch.set_num_threads(1)
    import altair

    import attnlab
    import attnlab.studio.work
    from attnlab.report.charts import files

    for each in pkgutil.walk_packages(attnlab.__path__, "attnlab."):
        if not each.name.endswith("__main__") and not each.name.startswith("attnlab.studio."):
            importlib.import_module(each.name)
    altair.Chart(altair.Data(values=[])).mark_line().to_dict()  # reads its schemas

    # The drawing of a chart takes a second and no file operation: its specification is written instead.
    files._rendered = lambda spec, *words: json.dumps([spec, words], sort_keys=True).encode()


def main() -> int:
    """Try the faults, and tell what was lost or stray."""
    options = argparse.ArgumentParser()
    options.add_argument("--only", default="")
    options.add_argument("--faults", default=",".join(FAULTS))
    options.add_argument("--most", type=int, default=0, help="the most points of a fault for each command; 0: all")
    options.add_argument("--json", type=Path)
    asked = options.parse_args()
    warm()
    found, began = {}, time.perf_counter()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        for name, case in cases().items():
            if asked.only and name not in asked.only.split(","):
                continue
            trials = Trials(case, Path(place) / name.replace(" ", "-"))
            for fault in asked.faults.split(","):
                found[name, fault] = tally = tried(trials, fault, asked.most)
                tell(name, fault, tally)
    if asked.json:
        told = [{"command": name, "fault": fault, **asdict(tally)} for (name, fault), tally in found.items()]
        asked.json.write_text(json.dumps(told, indent=1))
    bad = sum(len(each.lost) + len(each.stray) + len(each.unclear) for each in found.values())
    points = sum(each.points for each in found.values())
    print(f"{points:,} points tried in {time.perf_counter() - began:,.0f} seconds, {bad} of them wrong")
    return 1 if bad else 0


def tried(trials: Trials, fault: str, most: int) -> Tally:
    """Try a fault before every operation, or before some that are drawn."""
    points = [n for n, (name, _) in enumerate(trials.operations, 1) if fault != "torn" or name == "write"]
    if most and len(points) > most:
        points = sorted(random.Random(fault).sample(points, most))
    tally = Tally()
    for point in points:
        trials.attempt(point, fault, tally)
    return tally


def tell(name: str, fault: str, tally: Tally) -> None:
    """Print a row of the table, and what went wrong."""
    print(f"| {name} | {fault} | {tally.points} | {len(tally.lost)} | {len(tally.stray)} | {len(tally.unclear)} |")
    for kind, lines in (("lost", tally.lost), ("stray", tally.stray), ("unclear", tally.unclear)):
        for line in lines[:5]:
            print(f"    {kind}: {line}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
