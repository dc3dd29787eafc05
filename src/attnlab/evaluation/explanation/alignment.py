"""The shortest segments of a text that end where tokens of all models, and words, end."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int

from attnlab.evaluation.explanation.words import TextWords
from attnlab.text import Encoding


@dataclass(frozen=True)
class Alignment:
    """A text cut into segments: the first word of each, and for each model the segment of each token.

    A token that covers only spaces belongs to the next word.

    >>> from attnlab.text import train_tokenizer
    >>> from attnlab.evaluation.explanation.words import words_of
    >>> text = "low lower lowest"
    >>> pairs, whole = (train_tokenizer(kind, text).encode(text) for kind in ("byte-pairs", "words"))
    >>> found = segments(words_of(text), [pairs, whole])
    >>> found.first_words.tolist(), found.of_tokens[1].tolist()
    ([0, 1, 2], [0, 1, 2])
    """

    words: TextWords
    first_words: Int[np.ndarray, " segments"]
    of_tokens: tuple[Int[np.ndarray, " _"], ...]

    def __len__(self) -> int:
        """The number of segments."""
        return len(self.first_words)

    def sums(self, model: int, values: np.ndarray) -> Float[np.ndarray, " segments"]:
        """The sums of a model's token values over each segment."""
        return np.bincount(self.of_tokens[model], values.astype(float), len(self))

    @cached_property
    def forms(self) -> list[str]:
        """The text of each segment, without the space after it."""
        firsts = self.first_words.tolist()
        spans = pairwise([*firsts, len(self.words.forms)])
        return [self.words.forms[first] if stop == first + 1 else self.words.cut(first, stop) for first, stop in spans]


def segments(words: TextWords, encodings: Sequence[Encoding]) -> Alignment:
    """The segments that all the encodings of a text share."""
    places = [_places(words, encoding) for encoding in encodings]
    common = words.places
    for each in places:
        common = common[among(common, each)]
    of_tokens = tuple(np.searchsorted(common, each, side="right") - 1 for each in places)
    return Alignment(words, np.searchsorted(words.places, common), of_tokens)


def _places(words: TextWords, encoding: Encoding) -> Int[np.ndarray, " tokens"]:
    """Where each token begins, counted in bytes that are not spaces."""
    lengths = encoding.raw_bytes.astype(np.int64)
    return words.place_of_byte[np.cumsum(lengths) - lengths]


def among(some: Int[np.ndarray, " some"], others: Int[np.ndarray, " others"]) -> Bool[np.ndarray, " some"]:
    """Which of `some` are in `others`; both must be sorted, which makes this fast."""
    return others[np.minimum(np.searchsorted(others, some), len(others) - 1)] == some
