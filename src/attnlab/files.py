"""Files: written whole or not at all, read as JSON, and with the words for what went wrong."""

import json
import os
import secrets
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
