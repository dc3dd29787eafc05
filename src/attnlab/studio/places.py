"""The folders that the studio may read: the one that it was started in, and those that the user opened."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from attnlab.errors import FileError

SYSTEM = tuple(map(Path, ("/dev", "/proc", "/sys", "/run")))
"""Folders of devices and processes. Nothing of the lab is there, and reading them can have effects."""


@dataclass
class Places:
    """The folder of the studio, and the folders that were opened. Links are followed before a path is judged."""

    root: Path
    opened: list[Path] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.root = self.root.resolve()

    def folder(self, given: str) -> Path:
        """The folder with this path, from the root on. Raise unless it is below the root or an opened folder."""
        return self._checked(self._existing_folder(given), given)

    def within(self, given: str) -> Path:
        """The file or folder with this path, as `folder` does; it may be missing yet."""
        return self._checked(self._resolved(given, strict=False), given)

    def text(self, given: str) -> Path:
        """The file or folder with this path, as `folder` does. No device, and no pipe."""
        found = self._resolved(given)
        if not (found.is_dir() or found.is_file()):
            raise FileError(given, "expected a file or a folder, got a device or a pipe")
        return self._checked(found, given)

    def open(self, given: str) -> Path:
        """Let the studio read a folder, because the user asked for it by its path."""
        found = self._existing_folder(given)
        typed = Path(os.path.abspath(self.root / given))  # /proc/self/root is a link to /
        if any(each.is_relative_to(place) for place in SYSTEM for each in (found, typed)):
            raise FileError(given, "expected a folder with runs or models, got one of the system's devices")
        if any(place.is_relative_to(found) for place in SYSTEM):
            raise FileError(given, "expected a folder with runs or models, got one that holds the system's devices")
        if found not in (self.root, *self.opened):
            self.opened.append(found)
        return found

    def _checked(self, found: Path, given: str) -> Path:
        if not any(found.is_relative_to(place) for place in (self.root, *self.opened)):
            raise FileError(given, "is outside the folder of the studio; open it on the page Home first")
        return found

    def _resolved(self, given: str, strict: bool = True) -> Path:
        if not given.strip() or not given.isprintable():
            raise FileError(repr(given), "expected the path of a file or a folder")
        try:
            return Path(os.path.realpath(self.root / Path(given).expanduser(), strict=strict))
        except (OSError, RuntimeError, ValueError) as error:  # a RuntimeError: there is no such user for ~name
            raise FileError(given, "there is no such file or folder") from error

    def _existing_folder(self, given: str) -> Path:
        found = self._resolved(given)
        if not found.is_dir():
            raise FileError(given, "expected a folder, got a file, a device or a pipe")
        return found
