"""The data that a claim was tested on: its name and its hash, so that two findings can be compared."""

import hashlib
from dataclasses import dataclass
from functools import cache

from attnlab.data.texts.prose import prose, prose_version


@dataclass(frozen=True)
class Source:
    """A text or a data set, and the hash of its content."""

    name: str
    sha256: str


def source(name: str, content: str) -> Source:
    """The source with this content.

    >>> source("a passage", "To be, or not to be").sha256[:8]
    '80ed7fc2'
    """
    return Source(name, hashlib.sha256(content.encode()).hexdigest())


@cache
def topics() -> tuple[Source, ...]:
    """The lab's default text."""
    return (source(prose_version(), prose()),)
