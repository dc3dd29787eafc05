"""Make the next thing in a thread while the caller uses the last."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def ahead(pool: Executor, make: Callable[[Item], Made], given: Sequence[Item]) -> Iterator[Made]:
    """`make(each)` for all of `given`; the pool makes the next one while the caller uses the last."""
    coming = deque(pool.submit(make, each) for each in given[:1])
    for place in range(len(given)):
        coming.extend(pool.submit(make, each) for each in given[place + 1 : place + 2])
        yield coming.popleft().result()
