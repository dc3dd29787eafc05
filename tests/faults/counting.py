"""Counts the file operations of this process, and kills it, or lets one operation fail, before the k-th.

An operation changes what is on the disk: open for writing, each write, reserving room, fsync, truncate, rename, remove,
mkdir, rmdir.
Opening to read, and listing a folder, change nothing: they are counted too, but can only fail. Python's audit events
tell of all but the writes and fsync; those are seen by wrapping `open` and `os.fsync`.
"""

import builtins
import contextlib
import errno
import io
import os
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.power import Disk

ERRORS = {
    "ENOSPC": errno.ENOSPC,
    "EIO": errno.EIO,
    "EACCES": errno.EACCES,
    "unread EIO": errno.EIO,
    "unread EACCES": errno.EACCES,
}
READS = ("read", "list")
"""The operations that change nothing; an unread fault lets one of them fail, and the other faults none."""
NEEDS_ROOM = ("open", "write", "reserve", "fsync", "mkdir")
"""A full disk stays full: from the k-th operation on, all of these fail. The other errors happen once."""
EVENTS = {
    "os.rename": "rename",
    "os.remove": "remove",
    "os.mkdir": "mkdir",
    "os.rmdir": "rmdir",
    "os.truncate": "truncate",
    "os.link": "link",
    "os.symlink": "symlink",
    "os.listdir": "list",
    "os.scandir": "list",
}
CREATES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


@dataclass
class Counter:
    """The operations below a folder: how many, which, and what happens before the k-th."""

    root: str
    at: int = 0
    """The operation before which something happens; 0: nothing happens."""
    fault: str = ""
    """kill, torn (half of a write is done, then the process is killed), power (what is not yet synced is lost, too),
    or the name of an error."""
    seen: list[tuple[str, str]] = field(default_factory=list)
    active: bool = True
    disk: Disk = field(default_factory=Disk)

    def operation(self, name: str, path: Any, folder: int = -1, source: Any = None) -> bool:
        """Note an operation. Returns whether a write is to be torn."""
        place = _absolute(path, folder)
        if not self.active or not (place == self.root or place.startswith(self.root + os.sep)):
            return False
        self.seen.append((name, place[len(self.root) + 1 :]))
        number = len(self.seen)
        if number == self.at and self.fault == "power":
            self.active = False
            self.disk.fail(names=bool(number % 2))
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault == "power":
            self.disk.note(name, place, _absolute(source, -1) if source else "")
        if number == self.at and self.fault == "torn" and name == "write":
            return True
        if number == self.at and self.fault in ("kill", "torn"):
            os.kill(os.getpid(), signal.SIGKILL)
        again = self.fault == "ENOSPC" and 0 < self.at < number
        if self.fault in ERRORS and (number == self.at or again) and self._fails(name):
            raise OSError(ERRORS[self.fault], os.strerror(ERRORS[self.fault]), place)
        return False

    def _fails(self, name: str) -> bool:
        return self.fault != "ENOSPC" or name in NEEDS_ROOM


def _absolute(path: Any, folder: int) -> str:
    with contextlib.suppress(OSError, TypeError, ValueError):
        if isinstance(path, int):
            return os.readlink(f"/proc/self/fd/{path}")
        place = os.fsdecode(path)
        base = os.readlink(f"/proc/self/fd/{folder}") if folder >= 0 else os.getcwd()
        return os.path.normpath(os.path.join(base, place))
    return ""


def install(counter: Counter) -> None:
    """Let a counter see the operations of this process from now on."""
    sys.addaudithook(lambda event, arguments: _heard(counter, event, arguments))
    real_sync, real_open, real_reserve = os.fsync, io.open, os.posix_fallocate

    def sync(number: int) -> None:
        counter.operation("fsync", number)
        real_sync(number)

    def reserve(number: int, offset: int, length: int) -> None:
        counter.operation("reserve", number)
        real_reserve(number, offset, length)

    def opened(file: Any, mode: str = "r", *more: Any, **named: Any) -> Any:
        given = dict(zip(("buffering", "encoding", "errors", "newline", "closefd", "opener"), more, strict=False))
        given |= named
        if not any(each in mode for each in "wxa+") or given.get("buffering", -1) == 0:
            return real_open(file, mode, **given)
        raw = Written(file, mode.replace("b", "").replace("t", ""), given.get("closefd", True), given.get("opener"))
        raw.counter = counter
        whole = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        if "b" in mode:
            return whole
        text = {name: given[name] for name in ("encoding", "errors", "newline") if name in given}
        return io.TextIOWrapper(whole, **text)

    os.fsync, os.posix_fallocate, io.open, builtins.open = sync, reserve, opened, opened


def _heard(counter: Counter, event: str, arguments: tuple[Any, ...]) -> None:
    """An audit event of Python."""
    if event == "open":
        path, mode, flags = arguments
        writes = any(each in mode for each in "wxa+") if mode else bool((flags or 0) & CREATES)
        if not isinstance(path, int):
            counter.operation("open" if writes else "read", path)
    elif event in EVENTS:
        folders = [each for each in arguments[1:] if isinstance(each, int)]
        relative = event in ("os.remove", "os.rmdir") and bool(folders)
        named = arguments[1] if event == "os.rename" else arguments[0]
        source = arguments[0] if event == "os.rename" else None
        counter.operation(EVENTS[event], named, folders[0] if relative else -1, source)


class Written(io.FileIO):
    """A file whose writes are counted."""

    counter: Counter

    def write(self, data: Any) -> int:
        if self.counter.operation("write", self.name):
            super().write(bytes(data)[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return super().write(data)


def uncounted(counter: Counter, root: Path) -> list[str]:
    """The files below a folder that no counted operation has made: the counter would not see such a writer."""
    made = {place for name, place in counter.seen if name in ("open", "rename")}
    found = []
    for path in root.rglob("*"):
        place = path.relative_to(root)
        if path.is_file() and not {str(place), *map(str, place.parents)} & made:
            found.append(str(place))
    return found
