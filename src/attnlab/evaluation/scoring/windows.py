"""The cost of each token of a text that is longer than the model's context.

A window of `context` tokens moves over the text in steps of `stride`. Each token is predicted once, in the first window
that reaches it. With stride = context the windows are disjoint: the first token of each is predicted from one token
alone. With a smaller stride, every token beyond the first window has at least context − stride + 1 tokens before it;
stride 1 gives each token the full context.

The last window is moved back so that it is full, as `lm-eval`'s rolling log-likelihood does. So all windows but a lone
first one have one length, nothing is padded, and no number depends on the batch size.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np
import torch
from jaxtyping import Float, Int, Integer
from numpy.lib.stride_tricks import sliding_window_view

from attnlab.errors import ArgumentError
from attnlab.evaluation.scoring.predictors import LOGITS_AT_ONCE, Predictor

MOST_WINDOWS = 256
"""The most windows in a batch; more do not make it faster."""
CHUNK = 1 << 22
"""Tokens per lookup, for models without windows."""
Batch = Callable[[], Float[np.ndarray, " predictions"]]
"""Computes the costs of some windows."""
Share = Callable[[Iterator[Batch]], Iterator[Float[np.ndarray, " predictions"]]]
"""Computes the costs of batches in their order. Several processes may share the batches; each gets all costs."""


def alone(batches: Iterator[Batch]) -> Iterator[Float[np.ndarray, " predictions"]]:
    """The costs of batches, all computed in this process."""
    return (batch() for batch in batches)


def token_nats(
    predictor: Predictor,
    ids: Integer[np.ndarray, " tokens"],
    *,
    context: int | None = None,
    stride: int | None = None,
    batch: int | None = None,
    advance: Callable[[int], None] = lambda tokens: None,
) -> Float[np.ndarray, " predictions"]:
    """−ln p of every token but the first. `context` defaults to the model's, `stride` to the context. `batch` is the
    number of windows at once and changes no number. `advance` is called with the number of tokens done."""
    chunks = (ids[place : place + CHUNK] for place in range(0, len(ids), CHUNK))
    found = []
    for nats in stream_nats(predictor, chunks, context=context, stride=stride, batch=batch):
        advance(len(nats))
        found.append(nats)
    return np.concatenate(found) if found else np.empty(0)


def stream_nats(
    predictor: Predictor,
    chunks: Iterable[Integer[np.ndarray, " _"]],
    *,
    context: int | None = None,
    stride: int | None = None,
    batch: int | None = None,
    share: Share = alone,
) -> Iterator[Float[np.ndarray, " _"]]:
    """Yields −ln p of every token but the first, for a text that comes in chunks; the chunks change no number, and
    neither do the processes that share the windows."""
    context = predictor.context if context is None else context
    if not 1 <= context <= predictor.context:
        raise ArgumentError(
            "context",
            f"expected 1 to {predictor.context:,} tokens, the most that the model sees at once; got {context}",
        )
    stride = context if stride is None else stride
    if not 1 <= stride <= context:
        raise ArgumentError("stride", f"expected 1 to {context:,} tokens, the context window; got {stride}")
    if not predictor.windowed:
        return _at_once(predictor.shortened(context), chunks)
    logits = LOGITS_AT_ONCE.get(predictor.device.type, LOGITS_AT_ONCE["cpu"])
    most = min(MOST_WINDOWS, logits // (stride * predictor.size), predictor.most_tokens // context)
    return share(_in_windows(predictor, chunks, context, stride, batch or max(1, most)))


def _at_once(predictor: Predictor, chunks: Iterable[Integer[np.ndarray, " _"]]) -> Iterator[Float[np.ndarray, " _"]]:
    """Each chunk, after the tokens before it that the model can see."""
    before = np.empty(0, np.int64)
    for chunk in filter(len, chunks):
        ids = np.concatenate([before, chunk.astype(np.int64)])
        nats = predictor.at_once(torch.from_numpy(ids))
        assert nats is not None
        yield nats.cpu().double().numpy()[max(len(before) - 1, 0) :]
        before = ids[-predictor.context :]


def _in_windows(
    predictor: Predictor, chunks: Iterable[Integer[np.ndarray, " _"]], context: int, stride: int, at_once: int
) -> Iterator[Batch]:
    """Window i sees `context` tokens from token i · stride on, and its targets end one token later."""
    held = np.empty(0, np.int64)
    done = 0  # 1 if the window at the start of `held` is done, else 0
    for chunk in chunks:
        held = np.concatenate([held, chunk.astype(np.int64)])
        whole = max(0, (len(held) - context - 1) // stride + 1)
        if whole and not done:
            yield partial(_nats, predictor, held[None, : context + 1], context)
            done = 1
        for first in range(done, whole, at_once):
            starts = np.arange(first, min(first + at_once, whole)) * stride
            yield partial(_nats, predictor, sliding_window_view(held, context + 1)[starts], stride)
        if whole:
            held = held[(whole - 1) * stride :]
    left = len(held) - 1 - done * context
    if left > 0:
        yield partial(_nats, predictor, held[None, -context - 1 :], left)


def _nats(
    predictor: Predictor, rows: Int[np.ndarray, "windows tokens"], predicted: int
) -> Float[np.ndarray, " predictions"]:
    """−ln p of the last tokens of some windows, in the order of the text."""
    tokens = torch.from_numpy(np.ascontiguousarray(rows))
    return predictor.nats(tokens[:, :-1], tokens[:, -predicted:]).cpu().double().numpy().reshape(-1)
