"""A back-off model: a table of n-grams with their probabilities, as ARPA files hold it (arpa/).

The probability of w after the context u = u₁…u_k is the table's if it has uw. Else the context is shortened by its
first token, and the back-off weight of u makes the probabilities add up to 1:

    p(w | u) = table(uw)    if the table has uw,    else    backoff(u) p(w | u′).

A context that the table does not have has the weight 1. Of a level, `shares` has table(uw), and `passed` backoff(u).

An interpolated model is a back-off model, exactly: with table(uw) = share(uw) + λ(u) p(w | u′) and backoff(u) = λ(u).
Source: S. M. Katz, Estimation of probabilities from sparse data for the language model component of a speech
recognizer, IEEE Transactions on Acoustics, Speech, and Signal Processing 35 (1987) 400–401.
"""

from dataclasses import dataclass

import numpy as np

from attnlab.errors import ArgumentError
from attnlab.models.ngrams.context_tree import ContextTree
from attnlab.models.ngrams.levels import Level
from attnlab.models.ngrams.ngram import NGram
from attnlab.models.ngrams.tables import Finder


@dataclass(frozen=True)
class Backoff(ContextTree):
    """A back-off model over integers below `size`.

    >>> counts = NGram.fit(np.array([0, 1, 2, 0, 1, 3, 0, 1, 2]), size=5, order=3)
    >>> Backoff.of(counts).next([0, 1]).round(3)
    array([0.115, 0.036, 0.583, 0.25 , 0.016])
    """

    adds = False
    """The probability of the table replaces the chance that the context passes on."""

    @classmethod
    def of(cls, model: NGram) -> "Backoff":
        """The same probabilities as a table. Every token gets a 1-gram, also if no text had it."""
        size = model.size
        levels = [Level(np.arange(size), model.next([]), np.ones(1))]
        numbers = model.levels[0].keys if model.levels else np.empty(0, np.int64)  # of each n-gram, in the new level
        shorter = np.zeros(numbers.size, np.int64)  # of each n-gram without its first token, in the new level below
        for level in model.levels[1:]:
            context, token = np.divmod(level.keys, size)
            below = levels[-1]
            shorter = Finder(below.keys, asked=token.size).find(shorter[context] * size + token)
            if (shorter < 0).any():
                raise ArgumentError("model", "expected every n-gram also without its first token; one is missing")
            passed = np.ones(below.keys.size)  # a context that was not seen passes everything on
            passed[numbers] = level.passed
            table = level.passed[context] * below.shares[shorter] + level.shares
            levels.append(Level(numbers[context] * size + token, table, passed))
            numbers = np.arange(token.size)
        return cls(size, tuple(levels), model.boundary)
