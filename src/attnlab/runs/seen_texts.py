"""Short hashes of the texts that a classifier has seen in training, in its run's folder; without torch.

The file has eight bytes for each different text, sorted, after the SHA-256 of all of them: 200 kB for 25,000 reviews.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from attnlab.errors import FileError
from attnlab.files import content_of, write_whole

NAME = "seen.bin"
HASH = np.dtype("<u8")
CHECKSUM = hashlib.sha256().digest_size

Hashes = NDArray[np.uint64]


def hashes_of(texts: Sequence[str]) -> Hashes:
    """A hash of each text. Two of a million different texts have one hash with probability 3e-8."""
    found = (hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(found), HASH)


def save_seen(folder: Path, texts: Sequence[str]) -> None:
    """Write the hashes of the texts into the folder of a run."""
    content = np.unique(hashes_of(texts)).tobytes()
    write_whole(folder / NAME, hashlib.sha256(content).digest() + content)


def load_seen(folder: Path) -> Hashes | None:
    """The hashes of the texts that a run has seen; None if its folder has none: older labs wrote none."""
    path = folder / NAME
    if not path.exists():
        return None
    whole = content_of(path)
    checksum, content = whole[:CHECKSUM], whole[CHECKSUM:]
    if hashlib.sha256(content).digest() != checksum or len(content) % HASH.itemsize:
        raise FileError(path, "was changed after the lab wrote it; restore it, or remove it to evaluate without it")
    return np.frombuffer(content, HASH)
