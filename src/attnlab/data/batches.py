"""Batches of tokens: windows at random places, a function of the seed and the step alone."""

import numpy as np
from jaxtyping import Int, Integer

from attnlab.errors import ArgumentError


def batch(
    tokens: Integer[np.ndarray, " tokens"],
    *,
    seed: int,
    step: int,
    rank: int = 0,
    ranks: int = 1,
    batch: int,
    context: int,
) -> tuple[Int[np.ndarray, "batch context"], Int[np.ndarray, "batch context"]]:
    """The inputs of a step, and the targets: the same windows one token on, both in int64.

    A pure function, so that a run that is resumed equals one that was not interrupted. `batch` counts the windows of
    all ranks together; each gets its share, and the shares in the order of ranks are the batch of one process. Places
    are drawn with replacement: windows may overlap, and an epoch has no meaning here.

    >>> inputs, targets = batch(np.arange(100, dtype=np.uint16), seed=0, step=5, batch=4, context=3)
    >>> inputs.shape, bool((targets == inputs + 1).all())
    ((4, 3), True)
    >>> second, _ = batch(np.arange(100), seed=0, step=5, rank=1, ranks=2, batch=4, context=3)
    >>> bool((second == inputs[2:]).all())
    True
    """
    for name, number, least in (
        ("seed", seed, 0),
        ("step", step, 0),
        ("ranks", ranks, 1),
        ("batch", batch, 1),
        ("context", context, 1),
    ):
        if number < least:
            raise ArgumentError(name, f"expected at least {least}, got {number}")
    if not 0 <= rank < ranks:
        raise ArgumentError("rank", f"expected 0 to {ranks - 1}, got {rank}")
    if batch % ranks:
        raise ArgumentError("batch", f"expected a multiple of the {ranks} processes, got {batch}")
    if len(tokens) < context + 1:
        raise ArgumentError(
            "context", f"expected less than the text's {len(tokens)} tokens, got {context}: each needs one that follows"
        )
    share = batch // ranks
    # Every rank draws the places of all, which costs nothing beside the model, and takes its own.
    places = np.random.default_rng((seed, step)).integers(len(tokens) - context, size=batch)
    windows = places[rank * share : (rank + 1) * share, None] + np.arange(context + 1)
    found = np.asarray(tokens[windows], dtype=np.int64)
    return found[:, :-1], found[:, 1:]
