"""Files and folders: written whole or not at all, read as JSON, and with the words for what went wrong."""

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
    """Write a file whole or not at all: beside its place first, then into it. Missing folders are made.

    A link is followed; what is there and is no ordinary file, such as a device, stays as it is.
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
                os.fsync(file.fileno())  # a disk may say only now that it is full
            os.replace(beside, path)
        except BaseException:  # an interrupt, too, must leave nothing behind
            beside.unlink(missing_ok=True)
            raise
    except (FileExistsError, NotADirectoryError) as error:
        raise FileError(path, "cannot be written: what should be its folder is a file") from error
    except OSError as error:
        raise FileError.unwritable(path, error) from error


def read_json(path: Path, what: str) -> dict[str, Any]:
    """A JSON object from a file; `what` says in a message what was expected."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError.unreadable(path, error) from error
    except ValueError as error:
        raise FileError(path, f"expected {what}, got no JSON") from error
    if not isinstance(value, dict):
        raise FileError(path, f"expected {what}, got another JSON value")
    return value


@dataclass
class NewFolder:
    """A folder in the making: it is filled at `inside`; once it is whole, `path` says where it is."""

    inside: Path
    path: Path

    def write(self, name: str, content: bytes) -> None:
        """Write a file of the folder."""
        with _explained(self.path / name), (self.inside / name).open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # a disk may say only now that it is full


@contextmanager
def new_folder(path: Path, *, or_beside: bool = False) -> Iterator[NewFolder]:
    """A folder to fill, hidden until the block ends without an error; then it is at `path`.

    `path` must be new, or an empty folder, which is kept and filled. With `or_beside`, a path that is taken is left
    alone and the next free one is used: `path-2`, `path-3`, …. That it can be written is known before the block begins.
    An interrupt or an error in the block leaves nothing at all behind.
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
    except BaseException:  # an interrupt, too, must leave nothing behind
        shutil.rmtree(inside, ignore_errors=True)
        _remove_empty(missing)
        raise


def _check_free(path: Path) -> None:
    """Raise unless the path is new or an empty folder."""
    if path.is_dir():
        if any(path.iterdir()):
            raise FileError(path, "expected a new or an empty folder, got one with files in it")
    elif path.exists() or path.is_symlink():
        raise FileError(path, "expected a new or an empty folder, got a file")


def _remove_empty(folders: list[Path]) -> None:
    """Remove folders that were made here, unless somebody has put something into them meanwhile."""
    for each in folders:
        try:
            each.rmdir()
        except OSError:
            return


def _fill(inside: Path, path: Path) -> None:
    """Move the files, each of them whole, into a folder that was there and empty."""
    for each in sorted(inside.iterdir()):
        os.replace(each, path / each.name)
    inside.rmdir()


def _rename(folder: NewFolder, or_beside: bool) -> None:
    """Give the folder its name, or the next one that is free."""
    wanted, number = folder.path, 1
    while True:
        try:
            if not folder.path.exists():  # for a rename would take the place of an empty folder
                os.rename(folder.inside, folder.path)
                return
        except OSError:
            if not folder.path.exists():
                raise
        if not or_beside:
            raise FileError(wanted, "cannot be written: something of that name has come meanwhile")
        number += 1
        folder.path = wanted.with_name(f"{wanted.name}-{number}")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say of what goes wrong that it was the path that could not be written."""
    try:
        yield
    except (FileExistsError, NotADirectoryError) as error:
        raise FileError(path, "cannot be written: what should be its folder is a file") from error
    except OSError as error:
        raise FileError.unwritable(path, error) from error
