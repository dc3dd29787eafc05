"""Write files and folders completely or not at all, and read JSON files, with clear errors."""

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnlab.errors import FileError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file completely or not at all: to a temporary file first, which then gets the name. Create missing
    folders. Follow a link. Raise if the path is not an ordinary file, such as a device.
    """
    path = path.resolve() if path.is_symlink() else path
    if path.exists() and not path.is_file():
        kind = "folder" if path.is_dir() else "device or pipe"
        raise FileError(path, f"cannot be written: expected a file, got a {kind}")
    beside = path.with_name(f".attnlab-{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with beside.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())  # only this shows that the disk is full
            os.replace(beside, path)
        except BaseException:  # even an interrupt must leave nothing behind
            beside.unlink(missing_ok=True)
            raise
    except (FileExistsError, NotADirectoryError) as error:
        raise FileError(path, "cannot be written: its folder is a file") from error
    except OSError as error:
        raise FileError.unwritable(path, error) from error


def read_json(path: Path, what: str) -> dict[str, Any]:
    """A JSON object from a file; `what` names the expected content in an error."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    except (ValueError, RecursionError) as error:
        raise FileError(path, f"expected {what}, got no JSON") from error
    if not isinstance(value, dict):
        raise FileError(path, f"expected {what}, got another JSON value")
    return value


@dataclass
class NewFolder:
    """A folder that is being written: its files go to `inside`. When it is complete, it is at `path`."""

    inside: Path
    path: Path

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the folder."""
        with _explained(self.path / name), (self.inside / name).open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # only this shows that the disk is full


@contextmanager
def new_folder(path: Path, *, or_beside: bool = False) -> Iterator[NewFolder]:
    """A folder to fill. It is hidden until the block ends without an error; then it is at `path`.

    `path` must be new, or an empty folder, which is then filled. With `or_beside`, if `path` exists, the next free name
    is used: `path-2`, `path-3`, …. If the path cannot be written, this raises before the block begins. An interrupt or
    an error in the block leaves nothing behind.
    """
    with _explained(path):
        if not or_beside:
            _check_free(path)
        filling = not or_beside and path.is_dir()
        inside = (path if filling else path.parent) / f".attnlab-{secrets.token_hex(8)}"
        missing = [each for each in inside.parents if not each.exists()]
    folder = NewFolder(inside, path)
    try:
        with _explained(path):
            inside.mkdir(parents=True)
        yield folder
        with _explained(path):
            _fill(inside, path) if filling else _rename(folder, or_beside)
    except BaseException:  # even an interrupt must leave nothing behind
        shutil.rmtree(inside, ignore_errors=True)
        _remove_empty(missing)
        raise


def _check_free(path: Path) -> None:
    """Raise unless the path is new or an empty folder."""
    if path.is_dir():
        if any(path.iterdir()):
            raise FileError(path, "expected a new or an empty folder, got a folder with files in it")
    elif path.exists() or path.is_symlink():
        raise FileError(path, "expected a new or an empty folder, got a file")


def _remove_empty(folders: list[Path]) -> None:
    """Remove the folders that were created here, if they are still empty."""
    for each in folders:
        try:
            each.rmdir()
        except OSError:
            return


def _fill(inside: Path, path: Path) -> None:
    """Move the complete files into an empty folder that already exists."""
    for each in sorted(inside.iterdir()):
        os.replace(each, path / each.name)
    inside.rmdir()


def _rename(folder: NewFolder, or_beside: bool) -> None:
    """Give the folder its name, or the next free name."""
    wanted, number = folder.path, 1
    while True:
        try:
            if not folder.path.exists():  # because a rename would replace an empty folder
                os.rename(folder.inside, folder.path)
                return
        except OSError:
            if not folder.path.exists():
                raise
        if not or_beside:
            raise FileError(wanted, "cannot be written: another program has created it meanwhile")
        number += 1
        folder.path = wanted.with_name(f"{wanted.name}-{number}")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn the system's errors into errors about writing this path."""
    try:
        yield
    except (FileExistsError, NotADirectoryError) as error:
        raise FileError(path, "cannot be written: its folder is a file") from error
    except OSError as error:
        raise FileError.unwritable(path, error) from error


def path_from_here(path: str) -> str:
    """A path relative to the working folder if it is inside it, else the path as it is."""
    found = Path(path)
    return str(found.relative_to(Path.cwd())) if found.is_relative_to(Path.cwd()) else path


def is_utf8(name: str) -> bool:
    """Whether the name of a file is UTF-8. Python gives names with other bytes as halves of surrogate pairs.

    >>> is_utf8("café"), is_utf8("caf\\udce9")
    (True, False)
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
