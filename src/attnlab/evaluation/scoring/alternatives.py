"""The tokens that a model found likeliest at each place of a text."""

from collections.abc import Iterator
from itertools import groupby

import numpy as np
import torch

from attnlab.evaluation.audit.witness import seen_before
from attnlab.evaluation.scoring.costs import Policy
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.text import Encoding

Likeliest = tuple[list[int], list[float]]
"""Tokens with their probabilities, the likeliest first."""
CHUNK = 256
"""Tokens per lookup, for models without windows."""


def likeliest(subject: Subject, encoding: Encoding, policy: Policy, count: int) -> list[Likeliest]:
    """For each token of a text: the tokens that the model found likeliest there, in the windows of a policy.

    The list is empty for a first token if the model has no start token.
    """
    predictor = subject.predictor
    ids = encoding.ids.astype(np.int64)
    row = ids if subject.start is None else np.concatenate([[subject.start], ids])
    found: list[Likeliest] = [([], [])] if subject.start is None else []
    for start, stop, predicted in _windows(len(row), policy, predictor.context, predictor.windowed):
        logs = predictor.log_probs(torch.from_numpy(row[start:stop])[None])[0, -predicted:]
        best = logs.float().topk(min(count, predictor.size), dim=-1)
        found += list(zip(best.indices.tolist(), best.values.exp().tolist(), strict=True))
    return found


def _windows(tokens: int, policy: Policy, most: int, windowed: bool) -> Iterator[tuple[int, int, int]]:
    """Yields the start and stop of each window, and how many tokens its last places predict."""
    if not windowed:
        for first in range(0, tokens - 1, CHUNK):
            stop = min(first + CHUNK, tokens - 1)
            yield max(0, first - most), stop, stop - first
        return
    context = policy.context or most
    places = range(1, tokens)
    starts = (place - seen_before(place, tokens, context, policy.stride or context) for place in places)
    for start, group in groupby(zip(starts, places, strict=True), key=lambda pair: pair[0]):
        predicted = [place for _, place in group]
        yield start, predicted[-1], len(predicted)
