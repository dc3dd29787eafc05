"""How many threads torch uses. On one thread it adds numbers in the same order on every machine."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import torch


def one_thread() -> AbstractContextManager[None]:
    """Let torch use one thread inside the block. Small steps do not get slower, as threads mostly wait there."""
    return using_threads(1)


@contextmanager
def using_threads(count: int | None) -> Iterator[None]:
    """Let torch use this many threads inside the block; None: as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
