"""Small files of this user's studios that outlive a server: its token, and what the user opened."""

import contextlib
import os
from hashlib import sha256
from pathlib import Path

from attnlab.errors import FileError
from attnlab.files import write_whole


def state_folder() -> Path | None:
    """The folder of such files; None without a home folder: then nothing is kept."""
    state = Path(os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state"))
    return state / "attnlab" if state.is_absolute() else None


def opened_file(root: Path) -> Path | None:
    """The file with what the user opened in the studio of a folder."""
    state = state_folder()
    return state / f"opened-{sha256(os.fsencode(root)).hexdigest()[:16]}" if state else None


def read_kept(place: Path | None) -> str:
    """The content of such a file; empty if there is none, or if another user could have read or written it."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if place is not None:
            about = place.stat()
            if about.st_uid == os.getuid() and not about.st_mode & 0o077:
                return place.read_text()
    return ""


def keep(place: Path | None, content: str) -> None:
    """Write such a file, which only the user can read. What cannot be kept lasts as long as the server."""
    if place is None:
        return
    old = os.umask(0o077)
    try:
        with contextlib.suppress(FileError):
            write_whole(place, content.encode())
    finally:
        os.umask(old)
