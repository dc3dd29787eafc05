"""Writing files: whole or not at all, and with the words for what went wrong."""

import os
import secrets
from pathlib import Path

from attnlab.errors import FileError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: beside its place first, then into it. Missing folders are made."""
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
