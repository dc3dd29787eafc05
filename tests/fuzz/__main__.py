"""Inputs by the hour: `make fuzz MINUTES=60`, or python -m tests.fuzz --jobs 12 --inputs 1000000 --json found.json.

The process imports everything once and forks one worker for each job. A worker forks a process for each batch of
inputs, so that a crash, or an input that takes too long, costs no more than that process. The same seed gives the same
inputs. `--merge` adds up the tables of several runs.
"""

import argparse
import gc
import importlib
import json
import multiprocessing
import os
import pkgutil
import random
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.faults.__main__ import in_memory
from tests.fuzz.running import NAMES, REQUESTS, Outcome, last_drawn, routes, try_batch

PATIENCE, ROOM = 10.0, 2_000
"""The most processor seconds of an input, and the most megabytes that a process may grow."""
WALL = 60.0
"""The seconds without an answer after which a process is ended, even if it does not use the processor."""
BATCH = {"command": 25, "reader": 250, "hypothesis": 250}
SHARES = {
    ("formulas", "command"): 20, ("formulas", "reader"): 110, ("formulas", "hypothesis"): 60,
    ("problems", "command"): 5, ("problems", "reader"): 25, ("problems", "hypothesis"): 60,
    ("classes", "command"): 5, ("classes", "reader"): 50, ("classes", "hypothesis"): 60,
    ("matrices", "command"): 15, ("matrices", "reader"): 60, ("matrices", "hypothesis"): 60,
    ("texts", "command"): 5, ("texts", "reader"): 35, ("texts", "hypothesis"): 30,
    ("tables", "command"): 15, ("tables", "reader"): 50, ("tables", "hypothesis"): 50,
    ("facts", "command"): 15, ("facts", "reader"): 50, ("facts", "hypothesis"): 50,
    ("runs", "command"): 10, ("runs", "reader"): 40, ("runs", "hypothesis"): 20,
    ("hf", "command"): 10, ("hf", "reader"): 15, ("hf", "hypothesis"): 10,
    ("options", "command"): 5, ("options", "reader"): 60, ("options", "hypothesis"): 30,
    ("arpa", "command"): 15, ("http", "command"): 20, ("jobs", "command"): 5,
}  # fmt: skip
"""How often each kind takes each route. What takes little time is tried more often."""
KEPT = 12
"""The most failures of one kind and route that are kept, with what was given. The same number is the same input; of
inputs that hypothesis drew, it is the seed of their batch."""

Row = dict[str, Any]


def warm() -> None:
    """Import everything once, and read one input of each kind, so that each forked process starts at once.

    No command runs here: torch would start its threads, which a forked process does not have and would wait for.
    """
    import torch

    import attnlab

    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    here = [os.path.abspath(each) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    os.environ["PYTHONPATH"] = os.pathsep.join(here)  # the studio starts processes in another folder
    torch.set_num_threads(1)
    for each in pkgutil.walk_packages(attnlab.__path__, "attnlab."):
        if not each.name.endswith("__main__"):
            importlib.import_module(each.name)
    with tempfile.TemporaryDirectory() as place:
        for kind in NAMES:
            for route in routes(kind)[1:]:
                try_batch(kind, route, 0, 3, Path(place), lambda _: None)
    gc.collect()
    gc.freeze()  # a collection in a forked process would copy all of this memory


def plan(kinds: list[str], inputs: int, seed: int) -> list[tuple[str, str, int, int]]:
    """Batches of inputs: kind, route, first number, count. Every beginning of the list has the kinds in shares."""
    shares = {each: share for each, share in SHARES.items() if each[0] in kinds}
    found, draws = [], random.Random(seed)
    for (kind, route), share in shares.items():
        count = -(-inputs * share // sum(shares.values()))
        size = min(BATCH["reader" if kind in REQUESTS else route], count)  # a studio starts processes of its own
        for first in range(0, count, size):
            found.append(
                ((first + size * draws.random()) / count, kind, route, seed * 10**9 + first, min(size, count - first))
            )
    return [each[1:] for each in sorted(found)]


def work(batches: list[tuple[str, str, int, int]], taken: Any, end: float, place: Path, told: Path) -> None:
    """What a worker does: batch after batch, until there are none, or the time is over."""
    rows: dict[tuple[str, str], Row] = {}
    failures: list[Row] = []
    while time.monotonic() < end:
        with taken.get_lock():
            at, taken.value = taken.value, taken.value + 1
        if at >= len(batches):
            break
        kind, route, first, count = batches[at]
        row = rows.setdefault((kind, route), new_row(kind, route))
        while count > 0:
            done = 0
            for found in in_a_process(kind, route, first, count, place):
                note(row, found, failures, first if route == "hypothesis" else first + done)
                done += 1
            if route == "hypothesis":  # draws fewer if there are no more
                break
            first, count = first + done, count - done
        write(
            told, {"rows": list(rows.values()), "failures": failures}
        )  # of a run that is stopped, this is what is left


def write(path: Path, found: dict[str, list[Row]]) -> None:
    """Write a table and its failures, whole: somebody may be reading."""
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(found, indent=1))
    beside.replace(path)


def new_row(kind: str, route: str) -> Row:
    """A row of the table without inputs."""
    worst = {"seconds": 0.0, "worst_seconds": 0.0, "worst_megabytes": 0.0}
    return {"kind": kind, "route": route, "inputs": 0, "tracebacks": 0, "hangs": 0, **worst}


def note(row: Row, found: Row, failures: list[Row], number: int) -> None:
    """Count an input."""
    row["inputs"] += 1
    row["seconds"] += found["seconds"]
    row["worst_seconds"] = max(row["worst_seconds"], found["seconds"])
    row["worst_megabytes"] = max(row["worst_megabytes"], found["room"])
    wrong = found["wrong"]
    if not wrong and found["grown"] > ROOM:
        wrong = f"takes {found['grown']:,.0f} MB"
    if wrong:
        row["hangs" if wrong.startswith("hang") else "tracebacks"] += 1
        if sum(each["kind"] == row["kind"] and each["route"] == row["route"] for each in failures) < KEPT:
            failures.append(
                {"kind": row["kind"], "route": row["route"], "number": number, **found, "wrong": wrong[-4000:]}
            )


def in_a_process(kind: str, route: str, first: int, count: int, place: Path) -> Iterator[Row]:
    """What became of each input of a batch, tried in a forked process. If that dies, its last input has killed it."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        _in_child(theirs, kind, route, first, count, place)
    os.close(theirs)
    rest, silent = b"", False
    while True:
        if not select.select([ours], [], [], WALL)[0]:
            silent = True
            os.kill(child, signal.SIGKILL)
        raw = os.read(ours, 65536)
        *lines, rest = (rest + raw).split(b"\n")
        yield from map(json.loads, lines)
        if not raw:
            break
    os.close(ours)
    _, status, used = os.wait4(child, 0)
    if status:
        code = os.waitstatus_to_exitcode(status)
        hang = silent or code == -signal.SIGPROF
        wrong = f"hang: more than {PATIENCE if not silent else WALL:g} s" if hang else f"the process ended with {code}"
        room, given = used.ru_maxrss / 1000, last_drawn(kind, route, place)
        yield {"wrong": wrong, "seconds": PATIENCE if hang else 0.0, "given": given, "room": room, "grown": 0.0}


def _in_child(pipe: int, kind: str, route: str, first: int, count: int, place: Path) -> None:
    """What the forked process does: a line of JSON for each input. The system ends it if an input takes too long."""
    code = 1
    try:
        at_first = _room()
        resource.setrlimit(resource.RLIMIT_DATA, (6 * 10**9, 6 * 10**9))  # a fault must not end the machine
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        quiet = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(quiet, number)

        def tell(found: Outcome) -> None:
            room = _room()
            line = json.dumps({**asdict(found), "room": room, "grown": room - at_first})
            os.write(pipe, f"{line}\n".encode("utf-8", "replace"))
            signal.setitimer(signal.ITIMER_PROF, PATIENCE)

        signal.setitimer(signal.ITIMER_PROF, PATIENCE)
        try_batch(kind, route, first, count, place, tell)
        code = 0
    finally:
        os._exit(code)


def _room() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def merged(found: list[dict[str, list[Row]]]) -> dict[str, list[Row]]:
    """The tables of several workers or runs, added up."""
    rows: dict[tuple[str, str], Row] = {}
    for row in (row for each in found for row in each["rows"]):
        into = rows.setdefault((row["kind"], row["route"]), new_row(row["kind"], row["route"]))
        for name in ("inputs", "tracebacks", "hangs", "seconds"):
            into[name] += row[name]
        for name in ("worst_seconds", "worst_megabytes"):
            into[name] = max(into[name], row[name])
    failures: list[Row] = []
    for failure in (failure for each in found for failure in each["failures"]):
        alike = sum(each["kind"] == failure["kind"] and each["route"] == failure["route"] for each in failures)
        failures += [failure] if alike < KEPT else []
    return {"rows": [rows[each] for each in SHARES if each in rows], "failures": failures}


def show(found: dict[str, list[Row]]) -> None:
    """Print the table and the first failures."""
    heading = ("inputs", "tracebacks", "hangs", "ms each", "worst s", "worst MB")
    print(f"{'kind':10} {'route':11}", *(f"{name:>10}" for name in heading))
    for row in found["rows"]:
        each = 1000 * row["seconds"] / max(row["inputs"], 1)
        numbers = (f"{row[name]:10,}" for name in ("inputs", "tracebacks", "hangs"))
        worst = f"{each:10.1f} {row['worst_seconds']:10.1f} {row['worst_megabytes']:10,.0f}"
        print(f"{row['kind']:10} {row['route']:11}", *numbers, worst)
    for failure in found["failures"][:20]:
        print(f"\n{failure['kind']} {failure['route']} {failure['number']}: {failure['given'][:300]}")
        print(failure["wrong"][-600:])
    inputs, tracebacks, hangs = (sum(row[name] for row in found["rows"]) for name in ("inputs", "tracebacks", "hangs"))
    print(f"{inputs:,} inputs, {tracebacks} tracebacks, {hangs} hangs")


def main() -> int:
    """Try inputs until all are tried or the time is over; print a table. Exit 1 if an input failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=10**6)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(NAMES))
    parser.add_argument("--json", type=Path, help="write the table and the failures to this file")
    parser.add_argument("--merge", type=Path, nargs="+", help="only add up these files of --json")
    asked = parser.parse_args()
    began = time.monotonic()
    if asked.merge:
        found = merged([json.loads(each.read_text()) for each in asked.merge])
    else:
        found = tried_beside(asked, began + asked.seconds)
    if asked.json:
        write(asked.json, found)
    show(found)
    print(f"{time.monotonic() - began:,.0f} seconds")
    return 1 if found["failures"] else 0


def tried_beside(asked: argparse.Namespace, end: float) -> dict[str, list[Row]]:
    """Try the inputs in forked workers."""
    warm()
    batches = plan(asked.kinds.split(","), asked.inputs, asked.seed)
    taken = multiprocessing.get_context("fork").Value("l", 0)
    with tempfile.TemporaryDirectory(dir=in_memory()) as place:
        workers = {}
        for number in range(asked.jobs):
            told = Path(place) / f"{number}.json"
            child = os.fork()
            if not child:
                try:
                    work(batches, taken, end, Path(place) / str(number), told)
                finally:
                    os._exit(0)
            workers[child] = told

        def found() -> dict[str, list[Row]]:
            return merged([json.loads(told.read_text()) for told in workers.values() if told.exists()])

        left = set(workers)
        while left:
            time.sleep(1)
            left -= {child for child in left if os.waitpid(child, os.WNOHANG)[0]}
            if asked.json:
                write(asked.json, found())
        return found()


if __name__ == "__main__":
    sys.exit(main())
