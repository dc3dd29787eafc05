"""Write files and folders completely or not at all, and read ordinary files and JSON, with clear errors."""

import errno
import hashlib
import json
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from io import BufferedReader
from pathlib import Path
from typing import Any

from attnlab.errors import FileError
from attnlab.locks import try_lock, writing_in

DEEPEST = 50
"""JSON files of the lab are nested less deep."""
HIDDEN = ".attnlab-"
"""The names of unfinished files and folders begin with this."""
MOST_JSON = 100_000_000
"""The most bytes of a JSON file. The largest tokenizers have 40 million."""
MOST_DIGITS = 20
"""The most characters of a whole number in JSON: 64 bits, and a sign."""
NOT_TEXT = {
    b"%PDF": "a PDF",
    b"PK\3\4": "a zip file, as .docx and .xlsx files are",
    b"\xff\xfe": "a file that looks like UTF-16",
    b"\xfe\xff": "a file that looks like UTF-16",
}
"""Files that people take for text, by their first bytes."""


def check_ordinary(path: Path) -> None:
    """Raise unless a path is an ordinary file, or a link to one. A pipe would make its reader wait for ever, and a
    device such as /dev/zero has no end. A missing file is an OSError, as when it is opened."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise FileError(path, f"expected a file, got a {_kind_of(path)}")


def open_file(path: Path) -> BufferedReader:
    """An ordinary file, opened to read its bytes. Every file that a user names or that lies in a folder of a user is
    opened here."""
    check_ordinary(path)
    return path.open("rb")


def content_of(path: Path, most: int | None = None) -> bytes:
    """The bytes of an ordinary file. Raises if there are more than `most`."""
    try:
        with open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            if most is not None and size > most:
                raise FileError(path, f"expected at most {most:,} bytes, got {size:,}")
            return file.read() if most is None else file.read(most)
    except OSError as error:
        raise FileError.unreadable(path, error) from error


def _kind_of(path: Path) -> str:
    return "folder" if path.is_dir() else "device or pipe"


def check_is_text(path: Path, content: bytes) -> None:
    """Raise if the content of a file begins as a PDF, a zip file or UTF-16 does, and say which."""
    for start, found in NOT_TEXT.items():
        if content.startswith(start):
            raise FileError(path, f"expected text in UTF-8, got {found}; save it as plain text in UTF-8")


def write_whole(path: Path, content: bytes | Iterable[bytes | memoryview]) -> None:
    """Write a file completely or not at all: to a temporary file first, which then gets the name. Create missing
    folders. Follow a link. Raise if the path is not an ordinary file, such as a device. Large content comes in pieces.
    """
    path = ordinary(path)
    with _explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _unfinished(path.parent, path.name) as beside:
            try:
                with beside.open("r+b") as file:
                    file.truncate()
                    file.writelines([content] if isinstance(content, bytes) else content)
                    file.flush()
                    os.fsync(file.fileno())  # only this shows that the disk is full
                os.replace(beside, path)
            except BaseException:  # even an interrupt must leave nothing behind
                beside.unlink(missing_ok=True)
                raise
        sync_folder(path.parent)


def remove(path: Path) -> None:
    """Remove a file, if it is there."""
    with _explained(path):
        path.unlink(missing_ok=True)


def ordinary(path: Path) -> Path:
    """The path of a file that is to be written, with links followed. Raises if a folder or a device is there."""
    path = path.resolve() if path.is_symlink() else path
    if path.exists() and not path.is_file():
        raise FileError(path, f"cannot be written: expected a file, got a {_kind_of(path)}")
    return path


@contextmanager
def _unfinished(parent: Path, name: str, *, folder: bool = False) -> Iterator[Path]:
    """A hidden file or folder for the content of `name`, which this process alone uses while the block runs.

    The hidden name depends on `name`, and a lock tells whether the process that made it still lives. So whoever writes
    `name` next uses what a killed process left behind. If a living process writes the same name, or the name is not
    ours, a random one is used.
    """
    found, number = parent / _hidden_name(name), -1
    with suppress(OSError):
        number = _opened(found, folder)
    if number < 0 or not (try_lock(number) and _is_own(number, found, folder)):
        if number >= 0:
            os.close(number)
        found = parent / f"{HIDDEN}{secrets.token_hex(8)}"
        number = _opened(found, folder)
    try:
        yield found
    finally:
        os.close(number)


def _hidden_name(name: str) -> str:
    return f"{HIDDEN}{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"


def _opened(path: Path, folder: bool) -> int:
    """Open a hidden file or folder; create it if it is missing."""
    if folder:
        path.mkdir(parents=True, exist_ok=True)
        try:
            return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            with suppress(OSError):
                path.rmdir()  # else it would stay: another name is used instead
            raise
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)


def _is_own(number: int, path: Path, folder: bool) -> bool:
    """Whether an open file or folder still has its name, and belongs to this user alone."""
    opened = os.fstat(number)
    with suppress(OSError):
        named = os.lstat(path)
        plain = folder or (stat.S_ISREG(opened.st_mode) and opened.st_nlink == 1)
        return plain and opened.st_uid == os.geteuid() and os.path.samestat(opened, named)
    return False


def sync_file(path: Path) -> None:
    """Make the content of a file last even if the power fails."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last even if the power fails. Some disks cannot do so."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.ENOSYS):
            raise
    finally:
        os.close(number)


def parse_json(text: str) -> Any:
    """The JSON value of a text. Raises a ValueError also for a value that others could not read, because it is nested
    too deep, or for a whole number too large to count anything.

    >>> parse_json('{"a": [1]}')
    {'a': [1]}
    """
    try:
        value = json.loads(text, parse_int=_whole_number)
    except RecursionError as error:
        raise ValueError("JSON that is nested too deep") from error
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return value
    raise ValueError("JSON that is nested too deep")


def _whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError("a number too large")
    return int(digits)


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def read_json(path: Path, what: str) -> dict[str, Any]:
    """A JSON object from a file; `what` names the expected content in an error."""
    content = content_of(path, MOST_JSON)
    try:
        value = parse_json(content.decode("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FileError(path, f"expected {what}, got no JSON") from error
    except ValueError as error:
        raise FileError(path, f"expected {what}, got {error}") from error
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

    def make(self, name: str) -> None:
        """Make an empty folder in it."""
        with _explained(self.path / name):
            (self.inside / name).mkdir()


@contextmanager
def new_folder(path: Path, *, or_beside: bool = False) -> Iterator[NewFolder]:
    """A folder to fill. It is hidden until the block ends without an error; then it is at `path`.

    `path` must be new, or an empty folder, which is then filled: `config.json` comes last. With `or_beside`, if `path`
    exists, the next free name is used: `path-2`, `path-3`, …. If the path cannot be written, this raises before the
    block begins. An interrupt or an error in the block leaves nothing behind, and the next process that writes `path`
    removes what a killed one left.
    """
    with _explained(path), ExitStack() as held:
        if not or_beside:
            _check_free(path)
        filling = not or_beside and path.is_dir()
        if filling:
            held.enter_context(writing_in(path))
            _check_free(path)  # now nobody else can fill it
        parent = path if filling else path.parent
        missing = [each for each in (parent, *parent.parents) if not each.exists()]
        # All folders that may get the next free name share one hidden name: their own names have the time in them.
        inside = held.enter_context(_unfinished(parent, "" if or_beside else path.name, folder=True))
        keeping = held.pop_all()
    with keeping:
        folder = NewFolder(inside, path)
        try:
            with _explained(path):
                _empty(inside)
            yield folder
            with _explained(path):
                _fill(inside, path) if filling else _rename(folder, or_beside)
        except BaseException:  # even an interrupt must leave nothing behind
            shutil.rmtree(inside, ignore_errors=True)
            _remove_empty(missing)
            raise
    with _explained(folder.path):
        sync_folder(folder.path.parent)


@contextmanager
def hidden_folder(parent: Path, name: str) -> Iterator[Path]:
    """An empty hidden folder for the unfinished file `name`, as long as the block runs. It takes the place of one that
    a killed process left."""
    with _unfinished(parent, name, folder=True) as found:
        try:
            _empty(found)
            yield found
        finally:
            shutil.rmtree(found, ignore_errors=True)


def remove_hidden_folder(path: Path) -> None:
    """Remove the hidden folder of a finished file, if a process was killed before it could."""
    if (path.parent / _hidden_name(path.name)).is_dir():
        with hidden_folder(path.parent, path.name):
            pass


def files_in(folder: Path, pattern: str = "*") -> list[Path]:
    """What is in a folder and has a name of this pattern, by name. Raises if the folder cannot be read: a glob would
    find nothing then. A missing folder is empty."""
    try:
        return sorted(folder / name for name in os.listdir(folder) if fnmatchcase(name, pattern))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise FileError.unreadable(folder, error) from error


def is_empty(folder: Path) -> bool:
    """Whether a folder has no files, except those that a killed process left when it began to fill it."""
    found = list(folder.iterdir())
    hidden = [each for each in found if each.name.startswith(HIDDEN)]
    return len(hidden) == len(found) or any(each.is_dir() for each in hidden)


def check_new_file(path: Path) -> None:
    """Raise unless the file is new or empty: an old one is not overwritten."""
    try:
        if path.is_file() and path.stat().st_size:
            raise FileError(path, "expected a new or empty file, got a file with content; remove it or name another")
    except OSError as error:
        raise FileError.unreadable(path, error) from error


def check_can_be_written(path: Path) -> None:
    """Raise if a file cannot be written at a path, before the work whose result it will hold."""
    with _explained(path):
        above = next(each for each in ordinary(path).absolute().parents if each.exists())
        if not above.is_dir():
            raise NotADirectoryError
        if not os.access(above, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _check_free(path: Path) -> None:
    """Raise unless the path is new or an empty folder."""
    if path.is_dir():
        if not is_empty(path):
            raise FileError(path, "expected a new or empty folder, got a folder with files in it")
    elif path.exists() or path.is_symlink():
        raise FileError(path, "expected a new or empty folder, got a file")


def _empty(folder: Path) -> None:
    """Remove what a killed process left in a hidden folder."""
    for each in folder.iterdir():
        shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()


def _remove_empty(folders: list[Path]) -> None:
    """Remove the folders that were created here, if they are still empty."""
    for each in folders:
        try:
            each.rmdir()
        except OSError:
            return


def _fill(inside: Path, path: Path) -> None:
    """Move the complete files into an empty folder that already exists. The hidden folder goes last: as long as it is
    there, the folder counts as empty."""
    for each in sorted(inside.iterdir(), key=lambda each: (each.name == "config.json", each.name)):
        os.replace(each, path / each.name)
    sync_folder(path)
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
