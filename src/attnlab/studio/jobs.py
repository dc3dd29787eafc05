"""Long work in processes of their own. A job survives the page and the server: all of its state is in its folder.

job.json        what was asked for, and the process; written before the process starts
lock            locked by the process as long as it lives, so no number of a dead process is ever mistaken for it
progress.json   how far it is
result.json     the result, once it is done; then result.html, .csv, .svg and .png are drawn, to download
error.json      the user's error that ended it
cancelled       empty: the user cancelled it
log.txt         what the process printed, such as a traceback
"""

import fcntl
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from attnlab.errors import ArgumentError, AttnlabError, FileError
from attnlab.files import files_in, read_json, write_whole
from attnlab.locks import is_held
from attnlab.settings import read_file, settings, write

FOLDER = Path("runs") / "jobs"
MOST_RUNNING = 4
"""More jobs at the same time would only wait for one another."""
GRACE = 5.0
"""The seconds that a cancelled process has to save its work before it is ended."""
LONG_GRACE = {"train": 120.0, "resume": 120.0}
"""Training ends its step and saves a checkpoint first, which takes longer for a large model."""

State = Literal["running", "done", "failed", "cancelled"]


@settings
class Order:
    """What a job was asked for: the content of job.json."""

    work: str
    """A name of `studio/work.py`."""
    arguments: dict[str, Any]
    started: str | None = None
    process: int | None = None


@settings
class Offered:
    """The part of every result.json that the studio reads: the endings of the files to download."""

    downloads: tuple[str, ...]


@settings
class Progress:
    """How far a job is: what it does, how much of how much is done (None if that is not known), and the last words that
    it said."""

    what: str
    done: float
    total: float | None
    said: str = ""


@dataclass(frozen=True)
class ToldJob:
    """What the page shows of a job: what was asked for, the state, and the progress."""

    id: str
    work: str
    """The kind of its work; empty if its files are damaged."""
    arguments: dict[str, Any]
    started: str | None
    state: State
    progress: Progress | None
    """None before the first news."""
    error: str = ""
    """Why it failed."""


@dataclass(frozen=True)
class Job:
    """A job, by its folder. Whoever made the folder of the studio may have written in it: nothing in it is trusted."""

    folder: Path

    @property
    def id(self) -> str:
        """Its name."""
        return self.folder.name

    def file(self, name: str) -> Path:
        """The path of one of its files. Raises if something else has that name: a link would lead out of the folder."""
        place = self.folder / name
        if place.is_symlink() or (place.exists() and not place.is_file()):
            raise FileError(place, "expected a file, got a link, a folder or a device")
        return place

    def asked(self) -> Order:
        """What it was asked for."""
        return read_file(Order, self.file("job.json"), "a job of the studio")

    @property
    def alive(self) -> bool:
        """Whether its process lives."""
        try:
            return is_held(self.file("lock"))
        except FileError:
            return False

    @property
    def state(self) -> State:
        """Where it stands."""
        if (self.folder / "result.json").is_file():
            return "done"
        if self.alive:
            return "running"
        if (self.folder / "result.json").is_file():  # it ended between the two questions
            return "done"
        return "cancelled" if (self.folder / "cancelled").exists() else "failed"

    def result(self) -> dict[str, Any]:
        """The content of result.json."""
        path = self.file("result.json")
        return _as_json(read_json(path, "the result of a job"), path)

    def downloads(self) -> tuple[str, ...]:
        """The endings of the files that a finished job offers."""
        return read_file(Offered, self.file("result.json"), "the result of a job").downloads

    def told(self) -> ToldJob:
        """What the page shows of it. A job whose files are damaged has failed."""
        try:
            found = self._told()
            _as_json(asdict(found), self.folder)
        except AttnlabError as error:
            return ToldJob(self.id, "", {}, None, "failed", None, str(error))
        return found

    def _told(self) -> ToldJob:
        asked, state, error = self.asked(), self.state, ""
        if state == "failed":
            told = self._read("error.json") or {}
            error = str(told.get("error") or f"the process ended; {self.folder / 'log.txt'} says why")
        return ToldJob(self.id, asked.work, asked.arguments, asked.started, state, self._progress(), error)

    def _progress(self) -> Progress | None:
        place = self.file("progress.json")
        return read_file(Progress, place, "the progress of a job") if place.is_file() else None

    def _read(self, name: str) -> dict[str, Any] | None:
        place = self.file(name)
        return read_json(place, "a file of a job") if place.is_file() else None


def _as_json(value: dict[str, Any], path: Path) -> dict[str, Any]:
    """The value, which a page can be told. Raises if it has NaN, infinity or half of a surrogate pair: Python reads
    them in JSON, and browsers do not."""
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except ValueError as error:
        raise FileError(path, f"expected finite numbers and whole characters: {error}") from error
    return value


class Jobs:
    """The jobs of a folder."""

    def __init__(self, root: Path, program: Sequence[str] = ("-m", "attnlab.studio.work")):
        self.root, self.place, self.program = root, root / FOLDER, program
        self._starting = threading.Lock()

    def all(self) -> list[Job]:
        """Every job, the newest first; those in folders outside of the studio's are none of its jobs."""
        found = (Job(each) for each in reversed(files_in(self.place)) if (each / "job.json").is_file())
        return [job for job in found if self._is_here(job)]

    def ordered(self) -> Iterator[tuple[Job, Order]]:
        """Every job with what it was asked for. A damaged one is left out: its own page says what is wrong."""
        for job in self.all():
            with suppress(AttnlabError):
                yield job, job.asked()

    def _is_here(self, job: Job) -> bool:
        return job.folder.resolve().is_relative_to(self.root.resolve())

    def find(self, id: str) -> Job:
        """The job with this name."""
        found = Job(self.place / id)
        named = re.fullmatch(r"[a-z0-9_-]{1,80}", id)
        if not (named and (found.folder / "job.json").is_file() and self._is_here(found)):
            raise ArgumentError("job", f"there is no job {id!r} in {self.place}")
        return found

    def start(self, work: str, arguments: Mapping[str, Any]) -> Job:
        """Start work in a process of its own. `work` is a name of `studio/work.py`."""
        with self._starting:
            running = sum(job.state == "running" for job in self.all())
            if running >= MOST_RUNNING:
                raise ArgumentError("job", f"{running} jobs run already; wait for one, or cancel one")
            folder = self.place / f"{datetime.now():%Y%m%d-%H%M%S}-{work}-{secrets.token_hex(3)}"
            asked = Order(work, dict(arguments), datetime.now().isoformat("T", "seconds"))
            write_whole(folder / "job.json", json.dumps(write(asked)).encode())
            process = _start_process(self.program, folder, self.root)
            write_whole(folder / "job.json", json.dumps(write(replace(asked, process=process.pid))).encode())
        threading.Thread(target=process.wait, daemon=True).start()  # or it would stay a zombie
        return Job(folder)

    def cancel(self, job: Job) -> None:
        """Interrupt a job as Ctrl-C does, so that it can save its work; after a moment, end it."""
        if job.state != "running":
            return
        write_whole(job.folder / "cancelled", b"")
        _signal(job, signal.SIGINT)
        threading.Thread(target=_end, args=(job,), daemon=True).start()


def _start_process(program: Sequence[str], folder: Path, root: Path) -> subprocess.Popen[bytes]:
    """The process of a job. It inherits the lock, and a session of its own: it does not hear this server's Ctrl-C."""
    with (folder / "lock").open("w") as lock, (folder / "log.txt").open("wb") as log:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return subprocess.Popen(
            [sys.executable, *program, str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[lock.fileno()],
            start_new_session=True,
            cwd=root,
        )


def _signal(job: Job, number: signal.Signals) -> None:
    """Send a signal to the processes of a job, if they live."""
    process = job.asked().process
    if process is not None and process > 1 and job.alive:
        try:
            os.killpg(process, number)
        except (ProcessLookupError, PermissionError):
            return


def _end(job: Job) -> None:
    """End a process that has not ended by itself."""
    until = time.monotonic() + LONG_GRACE.get(job.asked().work, GRACE)
    while job.alive and time.monotonic() < until:
        time.sleep(0.1)
    _signal(job, signal.SIGKILL)
