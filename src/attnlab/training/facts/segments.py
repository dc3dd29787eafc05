"""Rows of training data, made from segments: slices of one flat array of tokens. A model learns to predict the tokens
of a segment, or only reads them.

So an objective (the next token, a hidden span, an answer) only has to choose segments.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int, Integer

from attnlab.text.tokenizers import Tokenizer

Spans = Int[np.ndarray, "_ 2"]
"""For each row, the start and the length of a slice of the flat tokens."""


@dataclass(frozen=True)
class Segments:
    """The segments of rows; a segment may be empty."""

    starts: Int[np.ndarray, "rows segments"]
    lengths: Int[np.ndarray, "rows segments"]
    learnt: Bool[np.ndarray, "rows segments"]
    """Whether the model learns to predict the tokens of a segment; else it only reads them."""

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.starts)

    def every(self, step: int, first: int) -> "Segments":
        """The rows first, first + step, first + 2 · step, …"""
        return Segments(*(each[first::step] for each in (self.starts, self.lengths, self.learnt)))

    @property
    def longest(self) -> int:
        """The number of tokens in the longest row."""
        return int(self.lengths.sum(1).max())


def in_turn(*parts: tuple[Spans, bool]) -> Segments:
    """Rows of these segments in order. True: the model learns to predict them. A single span is used in all rows.

    >>> rows = in_turn((np.array([[0, 3], [5, 2]]), False), (np.array([[9, 1]]), True))
    >>> rows.starts.tolist(), rows.lengths.tolist(), rows.learnt.tolist()
    ([[0, 9], [5, 9]], [[3, 1], [2, 1]], [[False, True], [False, True]])
    """
    rows = max(len(spans) for spans, _ in parts)
    spans = np.stack([np.broadcast_to(spans, (rows, 2)) for spans, _ in parts], 1)
    learnt = np.broadcast_to(np.array([learns for _, learns in parts]), spans.shape[:2])
    return Segments(spans[..., 0], spans[..., 1], learnt)


def stacked(groups: Sequence[Segments]) -> Segments:
    """The rows of several groups, one group after the other; shorter rows get empty segments."""
    widest = max(each.starts.shape[1] for each in groups)

    def padded(array: np.ndarray) -> np.ndarray:
        return np.pad(array, ((0, 0), (0, widest - array.shape[1])))

    return Segments(
        *(np.concatenate([padded(getattr(each, name)) for each in groups]) for name in ("starts", "lengths", "learnt"))
    )


def part_of(
    spans: Spans, first: Integer[np.ndarray, " rows"] | int, length: Integer[np.ndarray, " rows"] | int | None = None
) -> Spans:
    """At most `length` tokens of each span from its token `first` on; without a length, all of them.

    >>> part_of(np.array([[10, 5], [20, 9]]), 2, 4).tolist(), part_of(np.array([[10, 5]]), 9).tolist()
    ([[12, 3], [22, 4]], [[15, 0]])
    """
    first = np.clip(first, 0, spans[:, 1])
    left = spans[:, 1] - first
    return np.stack([spans[:, 0] + first, left if length is None else np.clip(length, 0, left)], 1)


def laid_out(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[Int[np.ndarray, " tokens"], Spans]:
    """Texts as one flat array of tokens, and the span of each text in it."""
    encoded = [np.asarray(tokenizer.encode(text).ids, np.int64) for text in texts]
    lengths = np.array([len(each) for each in encoded], np.int64)
    return np.concatenate(encoded), np.stack([lengths.cumsum() - lengths, lengths], 1)
