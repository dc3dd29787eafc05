"""Training in a job of the studio beside `attnlab train`, and the same with 20 open tabs on the run.

The runs alternate, with the same seed and the same steps. Speed is the median of the tokens a second in metrics.jsonl.
Processor seconds count from the first to the last line of that file, so that imports and drawings do not matter.
"""

import http.client
import itertools
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from attnlab.statistics import over_seeds
from studio_server import PATIENCE, Row, Server, processor_seconds, studio

OPTIONS = {"model.layers": "2", "model.width": "64", "model.context": "64", "seed": "1"}
TABS = 20
MOST = 0.03


@dataclass(frozen=True)
class Trained:
    """A training: its tokens a second, its processor seconds, and those of the server meanwhile, for each second."""

    speed: float
    seconds: float
    beside: float


def measure(rounds: int = 5, steps: int = 600, threads: str = "") -> Iterator[Row]:
    """The rows of this part. `threads`: the threads of torch; empty for its own choice."""
    own = {"OMP_NUM_THREADS": threads} if threads else {}
    found: dict[str, list[Trained]] = {"command": [], "job": [], "job with tabs": []}
    with TemporaryDirectory() as place, studio(Path(place), **own) as server:
        server.ask("GET", "runs")  # torch is imported
        numbers = itertools.count()
        for _ in range(rounds):
            found["command"].append(_command(server, f"runs/run-{next(numbers)}", steps, own))
            found["job"].append(_job(server, f"run-{next(numbers)}", steps, 0))
            found["job with tabs"].append(_job(server, f"run-{next(numbers)}", steps, TABS))
    speeds, seconds = ({name: [getattr(each, of) for each in runs] for name, runs in found.items()}
                       for of in ("speed", "seconds"))  # fmt: skip
    told = f"{statistics.median(speeds['command']):,.0f} tokens a second"
    yield Row(f"attnlab train, {steps} steps, {rounds} runs", told)
    goal = f"under {MOST:.0%}"
    tabs = f"with {TABS} tabs beside without"
    for what, one, other in (("a job beside the command", "command", "job"), (tabs, "job", "job with tabs")):
        slower, text = _ratio([a / b - 1 for a, b in zip(speeds[one], speeds[other], strict=True)])
        yield Row(f"{what}: slower by", text, goal, slower < MOST)
        more, text = _ratio([b / a - 1 for a, b in zip(seconds[one], seconds[other], strict=True)])
        yield Row(f"{what}: more processor seconds", text, goal, more < MOST)
    for name in ("job", "job with tabs"):
        share = statistics.median(each.beside for each in found[name])
        yield Row(f"the server beside a {name}", f"{share:.1%} of a core")


def _ratio(values: list[float]) -> tuple[float, str]:
    """The mean, and the mean in words: with its 95 % interval if there are enough runs, and if they differ."""
    shares = over_seeds([100 * each for each in values], 1, " %").replace("seed", "run")
    return statistics.fmean(values), shares


def _command(server: Server, run: str, steps: int, environment: dict[str, str]) -> Trained:
    """Train on the command line."""
    words = [word for name, value in (OPTIONS | {"steps": str(steps)}).items() for word in (f"--{name}", value)]
    command = [sys.executable, "-m", "attnlab", "train", "topics", "--out", run, "--sample-every", "0", *words]
    process = subprocess.Popen(
        command,
        cwd=server.folder,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    found = _watch(server, server.folder / run, process.pid)
    if process.wait():
        raise RuntimeError(f"{' '.join(command)}: exit status {process.returncode}")
    return found


def _job(server: Server, name: str, steps: int, tabs: int) -> Trained:
    """Train in a job, with some tabs on its run."""
    options = OPTIONS | {"steps": str(steps), "sample_every": "0"}
    told = server.ask("POST", "train/start", {"text": "topics", "name": name, "baseline": False, "options": options})
    with _tabs(server, told["run"], tabs):
        asked = json.loads((server.folder / "runs" / "jobs" / told["job"] / "job.json").read_text())
        found = _watch(server, server.folder / told["run"], asked["process"])
    while _alive(asked["process"]):  # it draws its files
        time.sleep(0.2)
    return found


def _alive(process: int) -> bool:
    place = Path(f"/proc/{process}/stat")
    return place.exists() and place.read_text().rpartition(")")[2].split()[0] != "Z"


@contextmanager
def _tabs(server: Server, run: str, count: int) -> Iterator[None]:
    """Streams of events, each read by a client of its own."""
    heard: list[int] = []
    readers = [threading.Thread(target=_read, args=(server, run, heard), daemon=True) for _ in range(count)]
    for each in readers:
        each.start()
    yield
    for each in readers:
        each.join(PATIENCE)
    if len(heard) != count or not all(heard):
        raise RuntimeError(f"expected {count} tabs with news, got {heard}")


def _read(server: Server, run: str, heard: list[int]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", f"/api/train/watch?{urlencode({'run': run})}", headers=server.headers)
    answer = connection.getresponse()
    heard.append(sum(line.startswith(b"data:") for line in answer))
    connection.close()


def _watch(server: Server, run: Path, process: int) -> Trained:
    """Wait until a training ends, and measure it from the first line of its metrics to the last."""
    metrics, seen, first, last = run / "metrics.jsonl", 0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    while not (run / "result.json").exists():
        size = metrics.stat().st_size if metrics.exists() else 0
        if size != seen:
            last = time.monotonic(), processor_seconds(process), processor_seconds(server.process.pid)
            first, seen = (last if not seen else first), size
        elif not _alive(process):
            raise RuntimeError(f"the training in {run} has failed")
        time.sleep(0.05)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    speeds = [each["tokens_per_second"] for each in lines if "tokens_per_second" in each]
    wall, own, beside = (after - before for before, after in zip(first, last, strict=True))
    return Trained(statistics.median(speeds[1:]), own, beside / wall)
