"""A power failure: what was written and renamed, but not yet synced, is lost."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Disk:
    """What a disk is sure to keep: the length of each file at its last fsync, and the names at that of their folder."""

    synced: dict[str, int] = field(default_factory=dict)
    pending: list[tuple[str, Callable[[], None]]] = field(default_factory=list)
    """The folder of each rename and removal that it has not kept yet, and how to undo it."""

    def note(self, name: str, place: str, source: str) -> None:
        """An operation that is about to happen."""
        if name == "open":
            self.synced.setdefault(place, os.path.getsize(place) if os.path.isfile(place) else 0)
        elif name == "fsync" and os.path.isdir(place):
            self.pending = [each for each in self.pending if each[0] != place]
        elif name == "fsync":
            self.synced[place] = os.path.getsize(place)
        elif name == "rename":
            old = Path(place).read_bytes() if os.path.isfile(place) else None
            self.pending.append((os.path.dirname(place), lambda: _rename_back(place, source, old)))
            for each in [each for each in self.synced if each == source or each.startswith(source + os.sep)]:
                self.synced[place + each[len(source) :]] = self.synced.pop(each)
        elif name == "remove" and os.path.isfile(place):
            content = Path(place).read_bytes()
            self.pending.append((os.path.dirname(place), lambda: _restore(place, content)))

    def fail(self, *, names: bool) -> None:
        """Lose what was not synced: data and, if asked for, names."""
        for place, length in self.synced.items():
            if os.path.isfile(place) and os.path.getsize(place) > length:
                os.truncate(place, length)
        for _, undo in reversed(self.pending if names else []):
            undo()


def _rename_back(place: str, source: str, old: bytes | None) -> None:
    if os.path.lexists(place) and not os.path.lexists(source) and os.path.isdir(os.path.dirname(source)):
        os.rename(place, source)
        if old is not None:
            _restore(place, old)


def _restore(place: str, content: bytes) -> None:
    if os.path.isdir(os.path.dirname(place)):
        Path(place).write_bytes(content)
