"""Every error a user can cause.

AttnlabError
├── ArgumentError   an argument or option that cannot be used: its name, what was expected, what came
└── FileError       a file that cannot be read or written: its path, the line where there is one, what was expected

StoppedError, a KeyboardInterrupt, is not an error of anybody's: it says how to go on with what was interrupted.

They are raised where the user's noun is known and caught at the edge: the command line prints one line and exits
with 2, as it does where the memory is too small. Any other exception is a bug of ours and shows its traceback.
"""

from pathlib import Path


class AttnlabError(Exception):
    """The root of every error a user can cause."""


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


class StoppedError(KeyboardInterrupt):
    """Work that was interrupted and saved; its words say how to go on."""


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
        """A file that the system does not let us read, in its words."""
        return cls(path, f"cannot be read: {system_words(error)}")

    @classmethod
    def unwritable(cls, path: str | Path, error: OSError) -> "FileError":
        """A file that the system does not let us write, in its words."""
        return cls(path, f"cannot be written: {system_words(error)}")


def system_words(error: OSError) -> str:
    """What the system says is wrong, as part of a sentence.

    >>> system_words(PermissionError(13, "Permission denied"))
    'permission denied'
    """
    return (error.strerror or str(error)).lower()


def is_out_of_memory(error: Exception) -> bool:
    """Whether there was too little memory: Python's, or torch's on a CPU or a GPU, which say so each in their way.

    >>> is_out_of_memory(MemoryError()), is_out_of_memory(RuntimeError("shapes do not fit"))
    (True, False)
    """
    said = type(error).__name__ == "OutOfMemoryError" or "can't allocate memory" in str(error)
    return said or isinstance(error, MemoryError)
