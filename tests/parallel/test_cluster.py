"""The same call on a Dask cluster: a real scheduler and two worker processes, one of which is killed on the way."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.parallel import work

from attnlab.benches.language import configuring, train_seeds
from attnlab.errors import ArgumentError, AttnlabError, FileError
from attnlab.parallel import Task, Workers, spread
from attnlab.progress import SILENT
from attnlab.runs.folder import Run

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
"""Seconds to wait for processes to begin, on a busy machine."""


class Cluster:
    """A scheduler, and worker processes that run one task at a time."""

    def __init__(self, folder: Path):
        self.folder = folder
        quiet = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
        paths = [str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
        self.environment = {**quiet, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self.address = self._wait("scheduler", r"Scheduler at:\s+(tcp://127.0.0.1:\d+)")
        self.workers: list[subprocess.Popen[bytes]] = []

    def add_worker(self, threads: int = 1) -> subprocess.Popen[bytes]:
        """Start a worker, and wait until the scheduler knows it."""
        name = f"worker-{len(self.workers)}"
        given = (self.address, "--nthreads", str(threads), "--no-nanny", "--no-dashboard", "--name", name)
        self.workers.append(self._start("worker", *given, log=name))
        self._wait(name, r"(Registered to:)")
        return self.workers[-1]

    def _start(self, *words: str, log: str = "scheduler") -> subprocess.Popen[bytes]:
        with (self.folder / log).open("wb") as file:
            command = [sys.executable, "-m", "dask", *words]
            return subprocess.Popen(command, stdout=file, stderr=file, env=self.environment, cwd=self.folder)

    def _wait(self, log: str, expected: str) -> str:
        until = time.monotonic() + PATIENCE
        while not (found := re.search(expected, (self.folder / log).read_text())):
            assert time.monotonic() < until, (self.folder / log).read_text()
            time.sleep(0.05)
        return found[1]

    def end(self) -> None:
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield found
    finally:
        found.end()


def test_a_cluster_without_workers_is_an_error(cluster: Cluster, monkeypatch):
    monkeypatch.setattr("attnlab.parallel.cluster.PATIENCE", 0.5)
    with pytest.raises(ArgumentError, match=r"^cluster: the scheduler has no workers; start them with dask worker"):
        list(spread(work.failing, [Task("one", (0,), 1.0)], Workers(cluster=cluster.address), SILENT))


def test_a_worker_that_runs_several_tasks_at_once_is_an_error(cluster: Cluster):
    process = cluster.add_worker(threads=2)
    try:
        with pytest.raises(
            ArgumentError, match=r"runs 2 tasks in one process; start it with .* --nthreads 1 --nworkers 2"
        ):
            list(spread(work.failing, [Task("one", (0,), 1.0)], Workers(cluster=cluster.address), SILENT))
    finally:
        process.kill()
        process.wait()


def test_one_of_two_workers_is_killed_and_nothing_is_lost_and_nothing_twice(cluster: Cluster, tmp_path):
    first, _ = cluster.add_worker(), cluster.add_worker()
    log = tmp_path / "log"

    def kill() -> None:
        while not (log.exists() and f" {first.pid}\n" in log.read_text()):
            time.sleep(0.02)
        first.kill()

    threading.Thread(target=kill, daemon=True).start()
    tasks = [Task(f"task {n}", (str(tmp_path), n), 1.0) for n in range(6)]
    found = list(spread(work.logged, tasks, Workers(cluster=cluster.address), SILENT))
    assert sorted(found) == [(n, n) for n in range(6)]
    first.wait()
    lines = [line.split() for line in log.read_text().splitlines()]
    assert Counter(number for word, number, _ in lines if word == "ended") == {str(n): 1 for n in range(6)}
    assert sum(word == "began" for word, *_ in lines) == 7, "one task began twice, because its worker was killed"


def test_seeds_on_a_cluster_are_those_of_one_process_also_if_a_worker_is_killed(
    cluster: Cluster, tmp_path, monkeypatch
):
    cluster.add_worker()
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("".join(f"{n} and {n * n % 97}.\n" for n in range(300)))
    shape = {"kind": "transformer", "layers": 1, "heads": 2, "width": 16, "context": 16}
    training = {
        "steps": 20,
        "batch": 4,
        "validate_every": 10,
        "keep_every": 10,
        "device": "cpu",
        "precision": "float32",
    }
    config = configuring.configure("text.txt", model=shape, tokens="characters", training=training)
    train_seeds(config, 2, "one", SILENT, Workers(1))
    monkeypatch.setattr("attnlab.benches.language.seeds._one", work.killed_at_a_checkpoint)
    train_seeds(config, 2, "cluster", SILENT, Workers(cluster=cluster.address))
    for seed in ("seed-0", "seed-1"):
        one, other = (Run(Path(name) / seed) for name in ("one", "cluster"))
        assert one.best().path.read_bytes() == other.best().path.read_bytes()
        assert one.result()["test"] == other.result()["test"]
    first, killed = Run(Path("cluster/seed-0")).checkpoints()[0], Path("cluster/seed-0/killed")
    assert first.step == 10
    assert first.path.stat().st_mtime_ns <= killed.stat().st_mtime_ns, "the run continued from its checkpoint"
    assert (
        json.loads(Path("one/result.json").read_text())["test"]
        == json.loads(Path("cluster/result.json").read_text())["test"]
    )


def test_an_error_on_a_worker_is_that_of_this_process(cluster: Cluster):
    tasks = [Task(f"task {n}", (n,), 1.0) for n in range(3)]
    with pytest.raises(FileError, match=r"^notes.txt, line 3: expected a number$"):
        list(spread(work.failing, tasks, Workers(cluster=cluster.address), SILENT))


def test_a_task_that_arrives_nowhere_is_an_error_of_its_own(cluster: Cluster):
    tasks = [Task("one", (work.Unreadable(),), 1.0)]
    with pytest.raises(RuntimeError, match="deserialization"):
        list(spread(work.failing, tasks, Workers(cluster=cluster.address), SILENT))


def test_a_folder_that_workers_do_not_see_is_an_error(cluster: Cluster, monkeypatch):
    monkeypatch.setattr("attnlab.parallel.cluster._described", lambda mark: ("0.1.0", False))
    with pytest.raises(ArgumentError, match=r"does not see .*; expected a folder that all machines share"):
        list(spread(work.failing, [Task("one", (0,), 1.0)], Workers(cluster=cluster.address), SILENT, files=True))


@pytest.mark.parametrize("saves", [False, True])
def test_a_task_that_kills_its_workers_is_given_up_and_does_not_wait_for_ever(cluster: Cluster, tmp_path, saves):
    for _ in range(2):
        cluster.add_worker()
    tasks, given = [Task(f"task {n}", (n,), 1.0) for n in range(2)], tmp_path if saves else None
    with pytest.raises(AttnlabError, match=r"^--cluster tcp://127.0.0.1:\d+: a task was given up: .* workers died"):
        list(spread(work.dying, tasks, Workers(cluster=cluster.address), SILENT, saves=given))


def test_an_address_where_nothing_answers_is_an_error(monkeypatch):
    monkeypatch.setattr("attnlab.parallel.cluster.PATIENCE", 0.2)
    with pytest.raises(
        ArgumentError, match=r"^cluster: expected the address of a Dask scheduler, .* 'tcp://127.0.0.1:1'"
    ):
        list(spread(work.failing, [Task("one", (0,), 1.0)], Workers(cluster="tcp://127.0.0.1:1"), SILENT))
