"""Arrays that are memory-mapped files: give their memory back while they are used.

The pages of a mapped file that were read or written count as memory of the process, until the system needs them.
"""

import mmap
from collections.abc import Iterator

import numpy as np

AT_ONCE = 1 << 26
"""The bytes of an array that are in memory at a time."""


def let_go(*arrays: np.ndarray) -> None:
    """Take the pages of mapped files out of the memory of this process; they stay in their files. Other arrays, and
    mapped files whose changes are not written back, stay as they are."""
    for each in arrays:
        owner, private = each, False
        while isinstance(owner, np.ndarray):
            private |= getattr(owner, "mode", "") == "c"
            owner = owner.base
        if isinstance(owner, mmap.mmap) and not private and hasattr(mmap, "MADV_DONTNEED"):
            owner.madvise(mmap.MADV_DONTNEED)


def pieces_of(array: np.ndarray) -> Iterator[memoryview]:
    """The bytes of an array in pieces. Of a mapped array, one piece at a time is in memory.

    >>> [bytes(each) for each in pieces_of(np.arange(3, dtype=np.uint8))]
    [b'\\x00\\x01\\x02']
    """
    content = array.reshape(-1).view(np.uint8).data
    for start in range(0, len(content), AT_ONCE):
        yield content[start : start + AT_ONCE]
        let_go(array)
