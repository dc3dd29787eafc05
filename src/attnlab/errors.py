"""The errors that a user can cause.

AttnlabError
├── ArgumentError   an argument or option that cannot be used: its name, what was expected, what was given
├── FileError       a file that cannot be read or written: its path, the line if there is one, what was expected
├── UsageError      a command line that cannot be read
└── DivergedError   training whose loss or weights are lost: the step, and what was seen

StoppedError, a KeyboardInterrupt, is not the user's error: it tells how to continue the interrupted work.

The code that knows the user's word for the problem raises these errors. The command line catches them, prints one line
and exits with 2; it does the same if memory is too small. Any other exception is a bug and shows its traceback.
"""

import errno
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
"""The system's errors that only writing meets."""
LONGEST_WORD = 60
"""The most characters that an error shows of a word that was given."""


class AttnlabError(Exception):
    """The base class of every error that a user can cause. It can be sent to another process."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (type(self), self.args, self.__dict__)


def _remade(cls: type[AttnlabError], args: tuple[Any, ...], values: dict[str, Any]) -> AttnlabError:
    """An error of another process. Its class takes other arguments than Python keeps, so it is not called."""
    found = cls.__new__(cls, *args)
    found.__dict__.update(values)
    return found


class UsageError(AttnlabError):
    """A command line that cannot be read."""


class ArgumentError(AttnlabError):
    """An argument or option that cannot be used.

    >>> raise ArgumentError("keys", "expected at least 2, got 1")
    Traceback (most recent call last):
    attnlab.errors.ArgumentError: keys: expected at least 2, got 1
    """

    def __init__(self, argument: str, message: str):
        super().__init__(f"{argument}: {message}")
        self.argument = argument
        self.message = message

    @classmethod
    def unknown(cls, argument: str, given: Any, known: Iterable[str]) -> "ArgumentError":
        """The error for a word that is none of the known words: all of them, and the one that was probably meant.

        >>> raise ArgumentError.unknown("tokens", "word", ["characters", "bytes", "words"])
        Traceback (most recent call last):
        attnlab.errors.ArgumentError: tokens: expected characters, bytes or words; got 'word'; did you mean words?
        """
        words = [*known]
        return cls(argument, f"expected {either(words)}; got {shortened(given)}{meant(given, words)}")


class StoppedError(KeyboardInterrupt):
    """Work that was interrupted and saved. The message tells how to continue."""


class FileError(AttnlabError):
    """A file that cannot be read or written.

    >>> raise FileError("keys.csv", "expected a number, got 'x'", line=3)
    Traceback (most recent call last):
    attnlab.errors.FileError: keys.csv, line 3: expected a number, got 'x'
    """

    def __init__(self, path: str | Path, message: str, line: int | None = None):
        where = f"{path}, line {line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {message}")
        self.path = Path(path)
        self.line = line

    @classmethod
    def unreadable(cls, path: str | Path, error: OSError) -> "FileError":
        """The error for a file that is not there, or that the system cannot read, with the system's message."""
        missing = isinstance(error, FileNotFoundError)
        return cls(path, "there is no such file" if missing else f"cannot be read: {system_words(error)}")

    @classmethod
    def unknown(cls, path: str | Path, kinds: Sequence[str], known: Sequence[str]) -> "FileError":
        """The error for a word that is neither a path nor a known name: all names, and the one that was probably meant.

        >>> raise FileError.unknown("topic", ("file", "folder"), ["topics", "repeats"])
        Traceback (most recent call last):
        attnlab.errors.FileError: topic: there is no such file or folder; expected a file, a folder or a name: topics \
or repeats; did you mean topics?
        """
        places = ", ".join(f"a {each}" for each in kinds)
        wanted = f"expected {places} or a name: {either(known)}{meant(Path(path).name, known)}"
        return cls(path, f"there is no such {either(kinds)}; {wanted}")

    @classmethod
    def of(cls, error: OSError) -> "FileError":
        """The error for the system's error about a file that it names: at the two edges, the command line and the
        functions that a person calls, for an error that nobody has worded before."""
        path = os.fsdecode(error.filename)
        return cls.unwritable(path, error) if error.errno in FULL else cls.unreadable(path, error)

    @classmethod
    def unwritable(cls, path: str | Path, error: OSError) -> "FileError":
        """The error for a file that the system cannot write, with the system's message."""
        return cls(path, f"cannot be written: {system_words(error)}")


class DivergedError(AttnlabError):
    """Training that diverged: the loss or a weight is NaN or infinite, or the loss is far above its start."""

    def __init__(self, step: int, what: str):
        super().__init__(f"training diverged at step {step}: {what}")
        self.step, self.what = step, what


def either(words: Iterable[str]) -> str:
    """Words to choose from.

    >>> either(["characters", "bytes", "words"])
    'characters, bytes or words'
    """
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def meant(given: Any, known: Sequence[str]) -> str:
    """The end of an error about an unknown word: the known word that was probably meant, if there is one.

    >>> meant("layer", ["heads", "layers"])
    '; did you mean layers?'
    """
    close = nearest(given, known)
    return f"; did you mean {close}?" if close else ""


def nearest(given: Any, known: Iterable[str]) -> str | None:
    """The known word that was probably meant: the only one that begins like this, or the most similar one.

    >>> nearest("--heads", ["--threads", "--model.heads"]), nearest("Shake", ["quick", "shakespeare"])
    ('--model.heads', 'shakespeare')
    """
    from difflib import get_close_matches

    plain = {_plain(word): word for word in known}
    wanted = _plain(str(given)[:LONGEST_WORD])
    begun = [word for word in plain if len(wanted) > 2 and word.startswith(wanted)]
    close = begun if len(begun) == 1 else get_close_matches(wanted, plain, n=1)
    return plain[close[0]] if close else None


def _plain(word: str) -> str:
    """A word to compare with others, in small letters. Of an option only its last name, `layers` of
    `--model.layers=4`: every option has dashes, so all options would look alike."""
    if word.startswith("-"):
        word = word.partition("=")[0].strip("-").rpartition(".")[2]
    return word.lower().replace("_", "-")


def shortened(given: Any) -> str:
    """A given value as Python writes it, on one line, cut if it is long."""
    shown = repr(given[:LONGEST_WORD]) if isinstance(given, str) else " ".join(repr(given).split())
    return shown[: 2 * LONGEST_WORD]


def system_words(error: OSError) -> str:
    """The system's message about an error, as part of a sentence.

    >>> system_words(PermissionError(13, "Permission denied"))
    'permission denied'
    """
    return (error.strerror or str(error)).lower()


def is_out_of_memory(error: Exception) -> bool:
    """Whether an error means too little memory. Python, torch on a CPU and torch on a GPU raise different errors.

    >>> is_out_of_memory(MemoryError()), is_out_of_memory(RuntimeError("shapes do not fit"))
    (True, False)
    """
    of_torch = type(error).__name__ == "OutOfMemoryError" or "can't allocate memory" in str(error)
    return of_torch or isinstance(error, MemoryError)
