"""Packed files: whatever is wrong with one, the error names it."""

import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attnlab.errors import FileError

DAMAGED = (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, UnicodeDecodeError)
"""What Python raises for a damaged archive. A RuntimeError: it is encrypted, or packed by an unknown method."""


@contextmanager
def reading_archive(path: Path, what: str) -> Iterator[None]:
    """Turn the errors of unpacking a file into errors that name it; `what` names the expected content."""
    try:
        yield
    except DAMAGED as error:
        raise FileError(path, f"not {what}, or the file is damaged or cut short: {error}") from error
    except OSError as error:
        raise FileError.unreadable(path, error) from error
