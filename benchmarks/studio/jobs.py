"""Training in a job of the studio beside `attnlab train`, and the same with 20 tabs of one Chromium on the run.

One tab is in sight, and draws the curves. The others are hidden, as in a browser with one window; a Chromium without a
window takes all tabs for visible, so `document.hidden` is set.

Each round trains the same few steps three times, with the same seed: by the command, in a job, and in a job with tabs.
The order changes with the round, so that a machine that grows slower or faster favours none. Only the time from the
first to the last line of metrics.jsonl counts, as the training itself wrote it; imports and the start of a process do
not. Rounds are trained until the minutes are over; the interval is that of the mean over the rounds.

`at_once` trains by the command and in a job at the same time, on one core each, which they swap from round to round.
So both meet the same changes of the machine's speed, and the interval is narrower.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import Page
from scipy.stats import t as student

from attnlab.numbers import format_signed, percent, whole_percent
from server import PATIENCE, Row, Server, chromium, processor_seconds, studio

OPTIONS = {"model.layers": "2", "model.width": "64", "model.context": "64", "seed": "1"}
TABS = 20
MOST = 0.03


KINDS = ("command", "job", "job with tabs")
FEWEST = 3
"""The fewest rounds: fewer give no useful interval."""


@dataclass(frozen=True)
class Trained:
    """A training: its milliseconds and its processor milliseconds for a step, and the share of a core that the server
    took meanwhile."""

    step: float
    processor: float
    beside: float


def measure(minutes: float = 5.0, steps: int = 240, threads: str = "") -> Iterator[Row]:
    """The rows of this part. `threads`: the threads of torch; empty for its own choice."""
    own = {"OMP_NUM_THREADS": threads} if threads else {}
    with TemporaryDirectory() as place, studio(Path(place), **own) as server, _tabs(server) as tabs:
        server.ask("GET", "runs")  # torch is imported
        _command(server, "runs/warm-up", steps, own)
        found = _rounds(server, tabs, 60 * minutes, steps, own)
    told = f"{statistics.median(each['command'].step for each in found):.1f} ms a step"
    yield Row(f"attnlab train, {steps} steps, {len(found)} rounds", told)
    beside = f"with {TABS} tabs, one in sight, beside without"
    for what, one, other in (("a job beside the command", "command", "job"), (beside, "job", "job with tabs")):
        for of, name in (("step", "slower by"), ("processor", "more processor time by")):
            yield _ratio(f"{what}: {name}", [(getattr(each[one], of), getattr(each[other], of)) for each in found])
    for name in KINDS[1:]:
        share = statistics.median(each[name].beside for each in found)
        yield Row(f"the server beside a {name}", f"{percent(share)} of a core")


def measure_at_once(minutes: float = 5.0, steps: int = 2400) -> Iterator[Row]:
    """The rows of a job and a command that train at the same time, with one thread each."""
    own, pairs = {"OMP_NUM_THREADS": "1"}, list[tuple[float, float]]()
    with TemporaryDirectory() as place, studio(Path(place), **own) as server, ThreadPoolExecutor(2) as both:
        server.ask("GET", "runs")  # torch is imported
        _command(server, "runs/warm-up", min(steps, 240), own)
        began = time.monotonic()
        while len(pairs) < FEWEST or (time.monotonic() - began) * (1 + 1 / len(pairs)) < 60 * minutes:
            number = len(pairs)
            core = number % 2
            command = both.submit(_command, server, f"runs/command-{number}", steps, own, core)
            job = both.submit(_job, server, f"job-{number}", steps, [], 1 - core)
            pairs.append((command.result().step, job.result().step))
    told = f"{statistics.median(one for one, _ in pairs):.1f} ms a step"
    yield Row(f"attnlab train, {steps} steps, {len(pairs)} rounds", told)
    yield _ratio("a job beside a command at the same time, one core each: slower by", pairs)


def _rounds(
    server: Server, tabs: list[Page], seconds: float, steps: int, own: dict[str, str]
) -> list[dict[str, Trained]]:
    """As many rounds as fit into the time."""
    began, found = time.monotonic(), []
    while len(found) < FEWEST or (time.monotonic() - began) * (1 + 1 / len(found)) < seconds:
        number = len(found)
        turned = [KINDS[(number + place) % 3] for place in range(3)][:: 1 if number % 2 else -1]
        each = {}
        for kind in turned:
            name = f"{kind.replace(' ', '-')}-{number}"
            if kind == "command":
                each[kind] = _command(server, f"runs/{name}", steps, own)
            else:
                each[kind] = _job(server, name, steps, tabs if kind == KINDS[2] else [])
        found.append(each)
    return found


def _ratio(what: str, pairs: list[tuple[float, float]]) -> Row:
    """How much larger the second number of a pair is: the mean over the rounds, and its 95 % interval. The goal is met
    if the whole interval is below it, and missed if all of it is above."""
    logs = [math.log(other / one) for one, other in pairs]
    mean = statistics.fmean(logs)
    away = float(student.ppf(0.975, len(logs) - 1)) * statistics.stdev(logs) / len(logs) ** 0.5
    low, high = math.expm1(mean - away), math.expm1(mean + away)
    met = True if high < MOST else False if low > MOST else None
    slower, least, most = (format_signed(100 * each, 2) for each in (math.expm1(mean), low, high))
    figure = f"{slower} % (from {least} to {most})" + ("" if met is not None else ": not decided, add --minutes")
    return Row(what, figure, f"under {whole_percent(MOST)}", met)


def _command(server: Server, run: str, steps: int, environment: dict[str, str], core: int | None = None) -> Trained:
    """Train on the command line, on one core if it is given."""
    words = [word for name, value in (OPTIONS | {"steps": str(steps)}).items() for word in (f"--{name}", value)]
    command = [sys.executable, "-m", "attnlab", "train", "topics", "--out", run, "--sample-every", "0", *words]
    process = subprocess.Popen(
        command,
        cwd=server.folder,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if core is not None:
        os.sched_setaffinity(process.pid, {core})
    found = _watch(server, server.folder / run, process.pid)
    if process.wait():
        raise RuntimeError(f"{' '.join(command)}: exit status {process.returncode}")
    return found


def _job(server: Server, name: str, steps: int, tabs: list[Page], core: int | None = None) -> Trained:
    """Train in a job, with some tabs on its run; on one core if it is given."""
    options = OPTIONS | {"steps": str(steps), "sample_every": "0"}
    told = server.ask("POST", "train/start", {"text": "topics", "name": name, "baseline": False, "options": options})
    for each in tabs:
        each.evaluate("(state) => { location.hash = state; }", f"train?{urlencode({'runs': told['run']})}")
    asked = json.loads((server.folder / "runs" / "jobs" / told["job"] / "job.json").read_text())
    if core is not None:
        os.sched_setaffinity(asked["process"], {core})
    found = _watch(server, server.folder / told["run"], asked["process"])
    if tabs:  # the one in sight has followed the run
        tabs[0].get_by_role("article").filter(has_text="finished").wait_for(timeout=1000 * PATIENCE)
    for each in tabs:
        each.evaluate("() => { location.hash = 'home'; }")
    while _alive(asked["process"]):  # it draws its files
        time.sleep(0.2)
    return found


def _alive(process: int) -> bool:
    place = Path(f"/proc/{process}/stat")
    return place.exists() and place.read_text().rpartition(")")[2].split()[0] != "Z"


@contextmanager
def _tabs(server: Server) -> Iterator[list[Page]]:
    """The tabs of one Chromium, at Home. All but the first are hidden."""
    with chromium() as browser:
        context = browser.new_context()
        tabs = [context.new_page() for _ in range(TABS)]
        for each in tabs[1:]:
            each.add_init_script("Object.defineProperty(document, 'hidden', { get: () => true });")
        for each in tabs:
            each.goto(server.url)
        yield tabs


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
    steps = lines[-1]["step"] - lines[0]["step"]
    seconds = lines[-1]["seconds"] - lines[0]["seconds"]
    wall, own, beside = (after - before for before, after in zip(first, last, strict=True))
    return Trained(1000 * seconds / steps, 1000 * own / steps, beside / wall)
