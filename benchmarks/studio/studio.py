"""How fast the studio is, how many users it bears, and whether it refuses what it should.

.venv/bin/python benchmarks/studio/studio.py                    everything: some fifteen minutes
.venv/bin/python benchmarks/studio/studio.py --only drag map    some parts

start: from `attnlab studio` to a usable page, and the code of its first load
drag: from a hand on the page Attention to the drawn law
map: frames a second while one scrolls through the maps of 144 heads on 1,024 tokens
jobs: training in a job beside `attnlab train`, alone and with 20 tabs of one Chromium
at-once: a job and `attnlab train` at the same time, on one core each
hostile: 1,000 requests that must be refused
users: 50 users who move sliders for a minute

The browser is a Chromium without a window. Run it while nothing else runs: all figures but those of hostile are times.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial

from rich.console import Console
from rich.table import Table

import drag
import hostile
import jobs
import maps
import start
import users
from server import Row


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ("start", "drag", "map", "jobs", "at-once", "hostile", "users")
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--rounds", type=int, default=5, help="the rounds of start")
    parser.add_argument("--minutes", type=float, default=5.0, help="how long jobs trains")
    parser.add_argument("--steps", type=int, default=240, help="the steps of each training of jobs")
    parser.add_argument("--threads", default="", help="the threads of each training of jobs; else torch's choice")
    parser.add_argument("--requests", type=int, default=1000, help="the requests of hostile")
    parser.add_argument("--seed", type=int, default=0, help="the seed of hostile")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long users move their sliders")
    options = parser.parse_args()
    parts: dict[str, Callable[[], Iterator[Row]]] = {
        "start": partial(start.measure, options.rounds),
        "drag": drag.measure,
        "map": maps.measure,
        "jobs": partial(jobs.measure, options.minutes, options.steps, options.threads),
        "at-once": partial(jobs.measure_at_once, options.minutes, options.steps),
        "hostile": partial(hostile.measure, options.requests, options.seed),
        "users": partial(users.measure, options.seconds),
    }
    met = [_tell(name, parts[name]()) for name in names if name in options.only]
    sys.exit(not all(met))


def _tell(name: str, rows: Iterator[Row]) -> bool:
    """Print a part, and return whether it met its goals."""
    load = f"load average before: {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} cores"
    table, console = Table(title=f"{name} ({load})"), Console(width=150)
    for column in ("", "measured", "goal", "met"):
        table.add_column(column)
    found = list(rows)
    for row in found:
        table.add_row(row.what, row.figure, row.goal, {True: "yes", False: "NO", None: ""}[row.met])
    console.print(table)
    return all(row.met is not False for row in found)


if __name__ == "__main__":
    main()
