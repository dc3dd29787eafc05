"""Epochs of windows: each epoch has every window of a text once, in a new order and from a new first token."""

from functools import lru_cache

import numpy as np
from jaxtyping import Int

from attnlab.errors import ArgumentError


def starts(
    tokens: int, *, seed: int, step: int, rank: int = 0, ranks: int = 1, batch: int, context: int
) -> Int[np.ndarray, "share"]:
    """Where the windows of a step begin: this rank's share of the batch.

    A pure function: a resumed run equals one that never stopped, and the ranks' shares in order are the batch of a
    single process. Within an epoch windows do not overlap. Each epoch begins at another token, so that windows end
    everywhere.

    >>> places = [starts(100, seed=0, step=step, batch=3, context=10) for step in range(3)]
    >>> np.diff(sorted(np.concatenate(places)))  # one epoch: nine windows that do not overlap
    array([10, 10, 10, 10, 10, 10, 10, 10])
    """
    share = share_of(batch, ranks)
    check_length(tokens, context)
    phases = min(context, tokens - context)
    windows = (tokens - phases) // context
    first = step * batch + rank * share
    found = [_place(seed, *divmod(number, windows), windows, phases, context) for number in range(first, first + share)]
    return np.array(found, dtype=np.int64)


def check_length(tokens: int, context: int) -> None:
    """Raise unless a text has a window and the token after it."""
    if tokens < context + 1:
        problem = f"expected less than the text's {tokens} tokens, got {context}"
        raise ArgumentError("context", f"{problem}; use a shorter context or a longer text")


def share_of(batch: int, ranks: int) -> int:
    """How many rows of a batch each process takes.

    >>> share_of(batch=8, ranks=2)
    4
    """
    if batch % ranks:
        raise ArgumentError("batch", f"expected a multiple of the {ranks} processes, got {batch}")
    return batch // ranks


def _place(seed: int, epoch: int, number: int, windows: int, phases: int, context: int) -> int:
    phase, order = _epoch(seed, epoch, windows, phases)
    return phase + int(order[number]) * context


@lru_cache(maxsize=4)
def _epoch(seed: int, epoch: int, windows: int, phases: int) -> tuple[int, Int[np.ndarray, "windows"]]:
    random = np.random.default_rng((seed, epoch))
    return int(random.integers(phases)), random.permutation(windows)
