"""The tokens that a model found likeliest at each place of a text."""

from collections.abc import Iterator
from itertools import groupby

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.lib.stride_tricks import sliding_window_view
from torch import Tensor

from attnlab.evaluation.audit.witness import seen_before
from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.predictors import Predictor
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.text import Encoding

Likeliest = tuple[list[int], list[float]]
"""Tokens with their probabilities, the likeliest first."""
CHUNK = 256
"""Contexts per lookup, for models without windows."""


def likeliest(subject: Subject, encoding: Encoding, policy: Policy, count: int) -> list[Likeliest]:
    """For each token of a text: the tokens that the model found likeliest there, in the windows of a policy.

    The list is empty for a first token if the model has no start token.
    """
    predictor = subject.predictor
    ids = encoding.ids.astype(np.int64)
    row = ids if subject.start is None else np.concatenate([[subject.start], ids])
    found: list[Likeliest] = [([], [])] if subject.start is None else []
    if not predictor.windowed:
        return found + _by_context(predictor, row, count)
    for start, stop, predicted in _windows(len(row), policy, predictor.context):
        logs = predictor.log_probs(torch.from_numpy(row[start:stop])[None])[0, -predicted:]
        found += _best(logs, count)
    return found


def _best(logs: Float[Tensor, "places vocab"], count: int) -> list[Likeliest]:
    """The likeliest tokens of each row."""
    best = logs.float().topk(min(count, logs.shape[-1]), dim=-1)
    return list(zip(best.indices.tolist(), best.values.exp().tolist(), strict=True))


def _by_context(predictor: Predictor, row: Int[np.ndarray, " tokens"], count: int) -> list[Likeliest]:
    """The same for a model without windows. It looks each context up once, however often the context occurs."""
    most, places = predictor.context, len(row) - 1
    found: list[Likeliest] = []
    for stop in range(1, min(most - 1, places) + 1):  # the contexts at the beginning are shorter
        found += _best(predictor.last_log_probs(torch.from_numpy(row[None, :stop])), count)
    if places < most:
        return found
    contexts, numbers = np.unique(sliding_window_view(row[:-1], most), axis=0, return_inverse=True)
    known: list[Likeliest] = []
    for first in range(0, len(contexts), CHUNK):
        known += _best(predictor.last_log_probs(torch.from_numpy(contexts[first : first + CHUNK])), count)
    return found + [known[number] for number in numbers.ravel().tolist()]


def _windows(tokens: int, policy: Policy, most: int) -> Iterator[tuple[int, int, int]]:
    """Yields the start and stop of each window, and how many tokens its last places predict."""
    context = policy.context or most
    places = range(1, tokens)
    starts = (place - seen_before(place, tokens, context, policy.stride or context) for place in places)
    for start, group in groupby(zip(starts, places, strict=True), key=lambda pair: pair[0]):
        predicted = [place for _, place in group]
        yield start, predicted[-1], len(predicted)
