"""What a text costs a model, token by token, when the text is longer than the model can see at once.

A window of `context` tokens goes over the text in steps of `stride`, and each token is predicted once, in the first
window that reaches it. With stride = context the windows are disjoint: the first token of each is predicted from one
token alone. With a smaller stride every token but those of the first window has at least context − stride + 1 tokens
before it; stride 1 gives each token all the context that there is.

The last window is moved back so that it is full, as `lm-eval`'s rolling log-likelihood does. So all windows but a lone
first one have one length, nothing is padded, and no number depends on how many go at once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import torch
from jaxtyping import Float, Integer
from numpy.lib.stride_tricks import sliding_window_view

from attnlab.errors import ArgumentError
from attnlab.evaluation.predictors import LOGITS_AT_ONCE, Predictor

MOST_WINDOWS = 256
"""Windows that go at once at most; more gain nothing."""


@dataclass(frozen=True)
class Window:
    """Tokens `start` to `stop` are seen, and the last `predicted` of tokens start + 1 to stop + 1 are predicted."""

    start: int
    stop: int
    predicted: int


def windows(tokens: int, context: int, stride: int) -> Iterator[Window]:
    """The windows that predict all of `tokens` tokens but the first, each once.

    >>> [(w.start, w.stop, w.predicted) for w in windows(8, context=4, stride=4)]
    [(0, 4, 4), (3, 7, 3)]
    >>> [(w.start, w.stop, w.predicted) for w in windows(8, context=4, stride=2)]
    [(0, 4, 4), (2, 6, 2), (3, 7, 1)]
    """
    done = min(context, tokens - 1)
    if done > 0:
        yield Window(0, done, done)
    while 0 < done < tokens - 1:
        predicted = min(stride, tokens - 1 - done)
        done += predicted
        yield Window(done - context, done, predicted)


def token_nats(
    predictor: Predictor,
    ids: Integer[np.ndarray, " tokens"],
    *,
    context: int | None = None,
    stride: int | None = None,
    batch: int | None = None,
    advance: Callable[[int], None] = lambda tokens: None,
) -> Float[np.ndarray, " tokens-1"]:
    """−ln p of every token but the first. `context` defaults to all that the model can see, `stride` to the context;
    `batch`, how many windows go at once, changes nothing. `advance` is told how many tokens are done."""
    context = predictor.context if context is None else context
    if not 1 <= context <= predictor.context:
        raise ArgumentError("context", f"expected from 1 to the model's {predictor.context}, got {context}")
    stride = context if stride is None else stride
    if not 1 <= stride <= context:
        raise ArgumentError("stride", f"expected from 1 to the context of {context}, got {stride}")
    if context == predictor.context:
        everything = predictor.at_once(torch.from_numpy(np.asarray(ids, np.int64)))
        if everything is not None:
            advance(len(everything))
            return everything.cpu().double().numpy()
    found = np.empty(max(len(ids) - 1, 0))
    at_once = batch or max(1, min(MOST_WINDOWS, LOGITS_AT_ONCE // (stride * predictor.size)))
    for (length, predicted), alike in groupby(windows(len(ids), context, stride), _shape):
        for some in _batches(alike, at_once):
            starts = np.array([window.start for window in some])
            rows = torch.from_numpy(sliding_window_view(ids, length + 1)[starts].astype(np.int64))
            costs = predictor.nats(rows[:, :-1], rows[:, -predicted:]).cpu().double().numpy()
            places = starts[:, None] + length - predicted + np.arange(predicted)
            found[places] = costs
            advance(costs.size)
    return found


def _shape(window: Window) -> tuple[int, int]:
    return window.stop - window.start, window.predicted


def _batches(alike: Iterator[Window], at_once: int) -> Iterator[list[Window]]:
    some: list[Window] = []
    for window in alike:
        some.append(window)
        if len(some) == at_once:
            yield some
            some = []
    if some:
        yield some
