"""A text that a model writes, piece by piece, with the probability of each piece."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import torch

from attnlab.evaluation.sampling import draws, stream
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.settings import Sampling
from attnlab.text import Tokenizer

LIKELIEST = 5


@dataclass(frozen=True)
class Drawn:
    """A piece of text: a token, or several tokens that share a character."""

    text: str
    probability: float
    """The probability that the model gave it, before temperature, top-k and top-p change it."""
    likeliest: tuple[tuple[str, float], ...]
    """The tokens that the model found likeliest in its place, with their probabilities."""


def drawn(
    subject: Subject, before: list[int], length: int, sampling: Sampling, ids: list[int] | None = None
) -> Iterator[Drawn]:
    """The pieces of the next `length` tokens after the tokens `before`, as they are drawn. The tokens are added to
    `ids`."""
    told = [] if ids is None else ids
    waiting: list[Drawn] = []

    def noted() -> Iterator[int]:
        for token, logits in islice(draws(subject.predictor, before, sampling), length):
            shares = torch.softmax(logits.double(), 0)
            told.append(token)
            waiting.append(Drawn("", float(shares[token]), _likeliest(shares, subject.tokenizer)))
            yield token

    for text in stream(subject.tokenizer, noted(), before):
        probability = 1.0
        for each in waiting:
            probability *= each.probability
        yield Drawn(text, probability, waiting[0].likeliest)
        waiting.clear()


def _likeliest(shares: torch.Tensor, tokenizer: Tokenizer) -> tuple[tuple[str, float], ...]:
    best = shares.topk(min(LIKELIEST, len(shares)))
    ids, values = best.indices.tolist(), best.values.tolist()
    return tuple((tokenizer.decode([id]), value) for id, value in zip(ids, values, strict=True))
