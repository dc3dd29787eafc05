"""Batches of rows made from segments of the facts' tokens, on the device of the model."""

from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Int, Integer
from torch import Tensor

from attnlab.data.tokens.epochs import share_of
from attnlab.training.facts.segments import Segments
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.step import Batch
from attnlab.training.targets import NOT_LEARNT


def feed_rows(
    ids: Integer[np.ndarray, " tokens"],
    draw: Callable[[np.random.Generator, int], Segments],
    training: Training,
    context: int,
    process: Process,
) -> Callable[[int], Batch]:
    """A function from a step to this process's share of its batch of rows. `draw(random, rows)` chooses the segments of
    the rows; every process draws the whole batch, so that the shares of several processes are the batch of one.

    A captured or compiled step needs batches of one shape: the context window. Any other step is faster if a batch is
    only as long as its longest row.
    """
    share_of(training.batch, process.ranks)  # raises here if the processes cannot share the batch
    held = torch.from_numpy(ids.astype(np.int64)).to(process.device)
    one_shape = process.device.type != "cpu" or training.compile

    def batch_at(step: int) -> Batch:
        segments = draw(np.random.default_rng((training.seed, step, 0)), training.batch)
        segments = segments.every(process.ranks, process.rank)
        return put_together(held, segments, context if one_shape else min(context, segments.longest - 1))

    return batch_at


def put_together(ids: Int[Tensor, " tokens"], segments: Segments, context: int) -> Batch:
    """The inputs and targets of rows, cut or padded to `context` tokens.

    Tokens that are only read, and the padding of short rows, have no target.

    >>> from attnlab.training.facts.segments import in_turn
    >>> rows = in_turn((np.array([[0, 2]]), False), (np.array([[5, 2]]), True))
    >>> [each.tolist() for each in put_together(torch.arange(10), rows, 5)]
    [[[0, 1, 5, 6, 0]], [[-100, 5, 6, -100, -100]]]
    """
    starts, lengths, learnt = (
        torch.tensor(each).to(ids.device, non_blocking=True)
        for each in (segments.starts, segments.lengths, segments.learnt)
    )
    ends = lengths.cumsum(1)
    places = torch.arange(context + 1, device=ids.device).expand(len(segments), -1).contiguous()
    number = torch.searchsorted(ends, places, right=True).clamp(max=starts.shape[1] - 1)
    inside = places < ends[:, -1:]
    found = ids[torch.where(inside, (starts - ends + lengths).gather(1, number) + places, 0)]
    targets = torch.where(inside & learnt.gather(1, number), found, NOT_LEARNT)
    return found[:, :-1], targets[:, 1:]
