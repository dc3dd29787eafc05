"""Ctrl-C ends a run of claims with all its processes, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

PATIENCE = 40.0
"""Seconds to wait for processes to begin, on a busy machine."""


def processes(group: int) -> list[str]:
    """The command lines of the processes of a group that still run."""
    listed = subprocess.run(["ps", "-Aww", "-o", "pgid=,stat=,args="], capture_output=True, text=True, check=True)
    rows = (line.split(None, 2) for line in listed.stdout.splitlines())
    return [row[2] for row in rows if int(row[0]) == group and not row[1].startswith("Z")]


def wait(group: int, done: Callable[[list[str]], bool]) -> None:
    """Wait until `done` is true of the processes of a group."""
    end = time.monotonic() + PATIENCE
    while not done(processes(group)):
        assert time.monotonic() < end, processes(group)
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "killed"])
def test_no_process_and_no_file_is_left(number: signal.Signals, tmp_path: Path):
    """Ctrl-C reaches all processes, here while they start; a signal that kills reaches the first process alone."""
    command = [sys.executable, "-m", "attnlab", "run", "--jobs", "2", "--out", "report"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
        try:
            wait(run.pid, lambda found: sum("popen_loky_posix" in each for each in found) == 2)
            (os.killpg if number == signal.SIGINT else os.kill)(run.pid, number)
            _, told = run.communicate(timeout=PATIENCE)
            wait(run.pid, lambda found: not found)
        finally:
            if processes(run.pid):
                os.killpg(run.pid, signal.SIGKILL)
    if number == signal.SIGINT:
        assert told.splitlines() == ["attnlab run: interrupted"]
        assert run.returncode == 130
        assert list(tmp_path.iterdir()) == []
