"""Training on one thread: sums are then added up in the same order on every machine."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """As long as the block runs, torch has one thread; steps so small lose nothing by it, since two threads mostly
    wait for one another."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
