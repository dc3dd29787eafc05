"""Inputs by the hour: `make fuzz MINUTES=60`, or `python -m tests.fuzz --minutes 60 --seed 0 --kinds formulas,hf`.

A process tries one input after the other; if one takes too long, the process is ended, and the input counts as a hang.
Inputs that fail are kept in a folder. The same seed gives the same inputs.
"""

import argparse
import json
import select
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.fuzz.running import NAMES

PATIENCE, ROOM = 10.0, 2_000
"""An input may take so many seconds, and a process so many megabytes."""
SLOW = 6.0
"""A busy machine, and the first import of a library, may take so many times longer before the process is ended."""


class Worker:
    """A process that tries inputs."""

    def __init__(self, place: Path):
        command = [sys.executable, "-m", "tests.fuzz.worker", str(place)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def tried(self, kind: str, number: int) -> dict[str, Any]:
        """What became of an input."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{kind} {number}\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE * SLOW)
        line = self.process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        self.process.kill()
        ended = self.process.wait()
        return {"wrong": f"the process ended with {ended}" if ready else "hang", "seconds": PATIENCE * SLOW, "room": 0}


def main() -> int:
    """Try inputs until the time is over; print a table. Exit 1 if an input failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(NAMES))
    parser.add_argument("--keep", type=Path, default=Path("fuzz-failures"))
    asked = parser.parse_args()
    asked.keep.mkdir(parents=True, exist_ok=True)
    kinds, number, worker = asked.kinds.split(","), asked.seed * 10**9, Worker(asked.keep)
    count, wrong, worst, room = Counter(), Counter(), Counter(), Counter()
    end = time.monotonic() + 60 * asked.minutes
    while time.monotonic() < end:
        number += 1
        for kind in kinds:
            found = worker.tried(kind, number)
            count[kind] += 1
            worst[kind] = max(worst[kind], found["seconds"])
            room[kind] = max(room[kind], found["room"])
            if found["wrong"]:
                named = "hangs" if found["wrong"] == "hang" else "tracebacks"
                wrong[kind, named] += 1
                with (asked.keep / "failures.jsonl").open("a") as file:
                    file.write(json.dumps({"kind": kind, "number": number, **found}) + "\n")
            if worker.process.poll() is not None or found["room"] > ROOM:
                worker.process.kill()
                worker.process.wait()
                worker = Worker(asked.keep)
    worker.process.kill()
    worker.process.wait()
    print(f"{'kind':10} {'inputs':>8} {'tracebacks':>10} {'hangs':>6} {'worst s':>8} {'worst MB':>9}")
    for kind in kinds:
        cells = f"{wrong[kind, 'tracebacks']:10} {wrong[kind, 'hangs']:6} {worst[kind]:8.1f} {room[kind]:9,.0f}"
        print(f"{kind:10} {count[kind]:8,} {cells}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
