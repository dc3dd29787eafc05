"""Locks on files and folders. The system releases them when their process ends, however it ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attnlab.errors import FileError

PAUSES = (0.0, 0.01, 0.1)
"""The seconds between several attempts to lock something. Looking at a lock takes microseconds."""


def try_lock(number: int) -> bool:
    """Lock an open file or folder until it is closed. False if another process holds it, or the disk has no locks."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def hold(number: int, path: Path, what: str) -> None:
    """Lock an open file or folder until it is closed. Raises if another process holds it."""
    for pause in PAUSES:
        try:
            return fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(pause)  # somebody may only be looking whether it is held
        except OSError:
            return None  # some network disks have no locks
    raise FileError(path, f"another process is writing {what}; wait for its end, or stop it")


def is_held(path: Path) -> bool:
    """Whether a process holds a file or folder. Those who look at the same time do not disturb each other."""
    try:
        number = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(number)
    return False


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
