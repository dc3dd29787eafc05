"""Locks on files and folders. The system releases them when their process ends, however it ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attnlab.errors import FileError


def try_lock(number: int) -> bool:
    """Lock an open file or folder until it is closed. False if another process holds it, or the disk has no locks."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def hold(number: int, path: Path, what: str) -> None:
    """Lock an open file or folder until it is closed. Raises if another process holds it."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileError(path, f"another process is writing {what}; wait for its end, or stop it") from None
    except OSError:
        pass  # some network disks have no locks


@contextmanager
def writing_in(folder: Path) -> Iterator[None]:
    """Hold a folder while the block writes into it. Raises if another process holds it. Readers need no lock."""
    try:
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise FileError.unreadable(folder, error) from error
    try:
        hold(number, folder, "into this folder")
        yield
    finally:
        os.close(number)
