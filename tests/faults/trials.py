"""Trials of one command: it runs in a forked process, a fault happens before its k-th file operation, it is continued,
and its files are compared with those of an unbroken run."""

import contextlib
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.counting import READS, Counter, install, uncounted

TIMES = {"seconds", "tokens_per_second", "share_of_peak", "seal", "started", "process"}
"""Entries of JSON files that differ between two equal runs: times, speeds, and checksums of files with times."""
LIMIT = 60
"""The most seconds of one process."""

NOTHING_YET = ("the folder is empty: make a run first", "there is no such folder", "with a plan.json in it")
"""The errors of --resume that say that there is nothing to continue."""

Words = Sequence[str]


@dataclass(frozen=True)
class Case:
    """A command to try: its words, the words that continue it, and what it needs in its folder."""

    name: str
    words: Words
    resume: Words = ()
    """Empty: the same command again continues it."""
    prepare: Callable[[Path], None] = lambda folder: None
    main: Callable[[list[str]], int] | None = None
    """What runs instead of the command line."""
    complete: str = ""
    """The error of the same command, if it had come to its end."""
    replaces: Words = ()
    """Files that are there before: whatever happens, each is as it was, or as it becomes."""


@dataclass(frozen=True)
class Ended:
    """How a process ended: its exit code (negative: the signal that killed it), its output, and its operations."""

    code: int
    out: str
    error: str
    seen: list[tuple[str, str]]
    strange: list[str]

    def one_line(self) -> bool:
        """Whether it said one line on stderr, and no traceback."""
        return "Traceback" not in self.error and len(self.error.strip().splitlines()) == 1


@dataclass
class Tally:
    """How often a fault was tried, and what went wrong."""

    points: int = 0
    lost: list[str] = field(default_factory=list)
    stray: list[str] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)


def run(case: Case, folder: Path, words: Words, at: int = 0, fault: str = "") -> Ended:
    """Run a command in a forked process, in a folder."""
    return finish(folder, start(case, folder, words, at=at, fault=fault))


def start(case: Case, folder: Path, words: Words, name: str = "notes", at: int = 0, fault: str = "") -> int:
    """Start a command in a forked process; its output goes to a folder beside its own."""
    notes = folder.with_name(f"{folder.name}.{name}")
    shutil.rmtree(notes, ignore_errors=True)
    notes.mkdir()
    for each in ("out", "error"):
        (notes / each).write_text("")
    child = os.fork()
    if not child:
        code = 99
        try:
            code = _inside(case, folder, notes, list(words), Counter(os.fspath(folder.resolve()), at, fault))
        finally:
            os._exit(code)
    return child


def finish(folder: Path, child: int, name: str = "notes") -> Ended:
    """Wait for the end of a process."""
    _, status = os.waitpid(child, 0)
    notes = folder.with_name(f"{folder.name}.{name}")
    told = json.loads((notes / "seen.json").read_text()) if (notes / "seen.json").exists() else {}
    out, error = ((notes / each).read_text(errors="replace") for each in ("out", "error"))
    seen = [(operation, path) for operation, path in told.get("seen", [])]
    return Ended(os.waitstatus_to_exitcode(status), out, error, seen, told.get("strange", []))


def _inside(case: Case, folder: Path, notes: Path, words: list[str], counter: Counter) -> int:
    """What the forked process does."""
    signal.alarm(LIMIT)
    with (notes / "out").open("w") as out, (notes / "error").open("w") as error:
        os.dup2(out.fileno(), 1)
        os.dup2(error.fileno(), 2)
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    os.chdir(folder)
    install(counter)
    code = 98
    try:
        from attnlab.cli import main

        code = (case.main or main)(words)
    except BaseException:
        import traceback

        traceback.print_exc()
    counter.active = False
    with contextlib.suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    told = {"seen": counter.seen, "strange": uncounted(counter, folder) if not counter.at else []}
    (notes / "seen.part").write_text(json.dumps(told))
    (notes / "seen.part").rename(notes / "seen.json")
    return code


def content(folder: Path) -> dict[str, Any]:
    """What is in a folder, by path, without times, and without the name of the folder."""
    here = os.fspath(folder.resolve()).encode()
    return {
        str(path.relative_to(folder)): _timeless(path, here) for path in sorted(folder.rglob("*")) if not path.is_dir()
    } | {f"{path.relative_to(folder)}/": "" for path in sorted(folder.rglob("*")) if path.is_dir()}


def _timeless(path: Path, here: bytes) -> Any:
    raw = path.read_bytes().replace(here, b"here")
    drop = TIMES | ({"sha256", "seal"} if path.parent.name == "checkpoints" else set())
    if path.suffix == ".json":
        return _without(json.loads(raw), drop)
    if path.suffix == ".jsonl":
        return [_without(json.loads(line), drop) for line in raw.splitlines()]
    return raw


def _without(value: Any, drop: set[str]) -> Any:
    if isinstance(value, Mapping):
        return {name: _without(each, drop) for name, each in value.items() if name not in drop}
    return [_without(each, drop) for each in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class Unbroken:
    """An unbroken run of a command: what it needed, did, left behind and said."""

    before: Path
    """The folder that it began in, as it was."""
    seconds: float
    operations: list[tuple[str, str]]
    whole: dict[str, Any]
    said: Any

    def points(self, fault: str) -> list[int]:
        """The operations before which a fault can happen: writes alone can be torn, and reads alone be unread."""
        numbered = enumerate(self.operations, 1)
        if fault == "torn":
            return [n for n, (name, _) in numbered if name == "write"]
        return [n for n, (name, _) in numbered if (name in READS) == fault.startswith("unread")]


def unbroken(case: Case, place: Path) -> Unbroken:
    """Run a command to its end, in a folder of this place."""
    before, folder = place / "before", place / "case"
    before.mkdir(parents=True)
    case.prepare(before)
    shutil.copytree(before, folder)
    began = time.perf_counter()
    ended = run(case, folder, case.words)
    seconds = time.perf_counter() - began
    assert ended.code == 0, (case.name, ended.code, ended.error)
    unseen = [each for each in ended.strange if not (before / each).exists()]
    assert not unseen, (case.name, "written unseen", unseen)
    return Unbroken(before, seconds, ended.seen, content(folder), _told(ended.out))


class Trials:
    """A command with its unbroken run, to be tried again and again in a fresh folder of a place."""

    def __init__(self, case: Case, whole: Unbroken, place: Path):
        self.case, self.before, self.folder = case, whole.before, place / "case"
        self.seconds, self.operations, self.whole, self.said = whole.seconds, whole.operations, whole.whole, whole.said
        self.old = content(self.before) if case.replaces else {}
        assert all(self.old[name] != self.whole[name] for name in case.replaces), "nothing is replaced"
        place.mkdir(parents=True)

    def fresh(self) -> None:
        """The folder as it was before the command."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.before, self.folder)

    def remove(self) -> None:
        """Remove what the trials left."""
        shutil.rmtree(self.folder.parent, ignore_errors=True)

    def attempt(self, at: int, fault: str, tally: Tally) -> None:
        """Try one fault before one operation, continue, and compare."""
        self.fresh()
        broken = run(self.case, self.folder, self.case.words, at, fault)
        where = f"{self.case.name}, {fault} at {at} of {len(self.operations)}: {' '.join(self.operations[at - 1])}"
        self.judge(broken, where, tally)

    def judge(self, broken: Ended, where: str, tally: Tally) -> None:
        """Continue what was broken, and compare."""
        tally.points += 1
        if broken.code not in (0, 2, -signal.SIGKILL) or (broken.code == 2 and not broken.one_line()):
            tally.unclear.append(f"{where}: exit {broken.code}: {broken.error.strip()[-300:]}")
        for name in self.case.replaces:
            path = self.folder / name
            here = os.fspath(self.folder.resolve()).encode()
            there = path.read_bytes().replace(here, b"here") if path.exists() else None
            if there not in (self.old[name], self.whole[name]):
                tally.lost.append(f"{where}: {name} is neither the old one nor the new one")
        ended = self.go_on()
        found = content(self.folder)
        if ended.code and not (self.case.complete and self.case.complete in ended.error and found == self.whole):
            tally.lost.append(f"{where}: exit {ended.code}: {ended.error.strip()[-300:]}")
            return
        if not ended.code and self.said is not None and _told(ended.out) != self.said:
            tally.lost.append(f"{where}: prints {ended.out[:300]}")
        wrong = [name for name in self.whole if name not in found or found[name] != self.whole[name]]
        if wrong:
            tally.lost.append(f"{where}: {', '.join(wrong[:3])}")
        if extra := found.keys() - self.whole.keys():
            tally.stray.append(f"{where}: {', '.join(sorted(extra)[:3])}")

    def go_on(self) -> Ended:
        """Continue as a user would: --resume, or the same command if the error advises so."""
        if not self.case.resume:
            return run(self.case, self.folder, self.case.words)
        ended = run(self.case, self.folder, self.case.resume)
        if ended.code == 2 and any(each in ended.error for each in NOTHING_YET):
            return run(self.case, self.folder, self.case.words)
        return ended


def _told(out: str) -> Any:
    """What a command printed as JSON, without times; None for other output."""
    try:
        return _without(json.loads(out), TIMES)
    except ValueError:
        return None
