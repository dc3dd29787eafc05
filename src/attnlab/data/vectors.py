"""The file of word vectors that a model starts with: GloVe's, or a file in its format."""

import hashlib
from pathlib import Path

from attnlab.data.sets import files_of
from attnlab.errors import FileError
from attnlab.files import open_file

VECTORS_HASH = "vectors_sha256"
"""The hash of the file of word vectors, among the data in config.json."""


def vectors_file(source: str) -> Path:
    """The file of word vectors: that of the data set glove, or the file itself."""
    return next(iter(files_of("glove").values())) if source == "glove" else Path(source)


def vectors_hash(source: str) -> str:
    """The sha256 of the file of word vectors."""
    path = vectors_file(source)
    try:
        with open_file(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileError.unreadable(path, error) from error
