"""The features of a text for a classifier: its words and, optionally, n-grams of words, hashed into buckets."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from attnlab.errors import ArgumentError
from attnlab.settings import Range, settings
from attnlab.text.bags import Bags, bounds, sorted_pairs
from attnlab.text.encoding import utf8
from attnlab.text.normalisation import Normalisation
from attnlab.text.pieces import Pieces
from attnlab.text.words import WordTokenizer

AT_ONCE = 256
"""Texts that are encoded together: many enough for numpy, few enough for the memory."""


@settings
class FeatureSettings:
    """The settings of features."""

    vocabulary: Annotated[int, Range(0)] = 30_000
    """The largest number of words, with the unknown word; 0: every word of the training texts."""
    ngrams: Annotated[int, Range(1, 10)] = 1
    """The largest number of words in a row that form one feature."""
    buckets: Annotated[int, Range(1, 1 << 28)] = 1 << 20
    """The number of features that all n-grams of two or more words share, by their hash."""
    once: bool = False
    """Count each feature once per text, however often it occurs."""
    lower: bool = True
    """Make all letters lower case."""
    numbers: bool = False
    """Treat all numbers as the same word."""

    def __post_init__(self):
        if self.vocabulary == 1:
            raise ArgumentError("vocabulary", "expected 0 (every word) or at least 2 words, got 1")


@dataclass(frozen=True)
class Features:
    """The features of texts: ids from 1 on for the words of the vocabulary, then the buckets of n-grams.

    A word that is not in the vocabulary is not a feature, and neither is an n-gram with such a word: a text of unknown
    words only has an empty bag. The words on both sides of an unknown word do not form an n-gram.

    >>> features = Features.train(["Not bad. Not good."], FeatureSettings(ngrams=2, buckets=1000))
    >>> features.tokenizer.vocabulary, features.size
    (('.', 'not', 'bad', 'good'), 1005)
    >>> features.words(["Good, not bad"]).ids.tolist()
    [4, 0, 2, 3]
    >>> features.encode(["Good, not bad"]).lengths.tolist()
    [4]
    """

    tokenizer: WordTokenizer
    settings: FeatureSettings

    @classmethod
    def train(cls, texts: Sequence[str], settings: FeatureSettings | None = None) -> "Features":
        """The features with the commonest words of some texts."""
        return cls.with_bags(texts, settings)[0]

    @classmethod
    def with_bags(cls, texts: Sequence[str], settings: FeatureSettings | None = None) -> tuple["Features", Bags]:
        """The features with the commonest words of some texts, and the bags of these texts, encoded on the way."""
        chosen = settings or FeatureSettings()
        rule = Normalisation(lower=chosen.lower, numbers=chosen.numbers)
        numbers: dict[str, int] = {}
        pieces = Pieces(rule, lambda word: numbers.setdefault(word, len(numbers)))
        found = list(pieces.of_each(_batches(texts)))
        counts = np.bincount(np.concatenate([each.ids for each in found] or [np.empty(0, int)]), minlength=len(numbers))
        utf8("".join(numbers))
        counted = Counter(dict(zip(numbers, counts.tolist(), strict=True)))
        made = cls(WordTokenizer.of_counts(counted, chosen.vocabulary or None, rule), chosen)
        ids = made.tokenizer.ids
        renumbered = np.array([ids.get(word, 0) for word in numbers], np.int32)
        pieces.renumber(renumbered, ids.get)  # all pieces of the texts are in the cache now
        made.__dict__["_pieces"] = pieces
        return made, joined([made.of_words(Bags(renumbered[each.ids], each.offsets)) for each in found])

    @property
    def size(self) -> int:
        """One more than the largest possible id."""
        return self.tokenizer.size + (self.settings.buckets if self.settings.ngrams > 1 else 0)

    def words(self, texts: Sequence[str]) -> Bags:
        """The ids of the words of texts, in order; 0 for an unknown word."""
        return self._pieces.words(texts)

    def encode(self, texts: Sequence[str]) -> Bags:
        """The features of texts."""
        return joined([self.of_words(words) for words in self._pieces.of_each(_batches(texts))])

    def of_words(self, words: Bags) -> Bags:
        """The features of texts, from the ids of their words: the words and their n-grams."""
        from attnlab.text import loops

        longest, ends = self.settings.ngrams, np.zeros(len(words) + 1, np.int64)
        found = np.empty(longest * len(words.ids), np.int32)
        given = words.ids.astype(np.int32, copy=False), words.offsets.astype(np.int64, copy=False)
        count = loops.write_grams(*given, longest, self.settings.buckets, self.tokenizer.size, found, ends)
        bags = Bags(found[:count].copy() if count < len(found) else found, ends)
        return _once(bags) if self.settings.once else bags

    def to_json(self) -> dict[str, Any]:
        """The features as JSON."""
        return {"settings": asdict(self.settings), "tokenizer": self.tokenizer.to_json()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Features":
        """The features from their `to_json`."""
        return cls(WordTokenizer.from_json(value["tokenizer"]), FeatureSettings(**value["settings"]))

    @cached_property
    def _pieces(self) -> Pieces:
        return Pieces(self.tokenizer.normalisation, self.tokenizer.ids.get)


def _batches(texts: Sequence[str]) -> list[Sequence[str]]:
    return [texts[first : first + AT_ONCE] for first in range(0, len(texts), AT_ONCE)]


def joined(bags: Sequence[Bags]) -> Bags:
    """Concatenate bags."""
    lengths = np.concatenate([each.lengths for each in bags] or [np.empty(0, np.int64)])
    return Bags(np.concatenate([each.ids for each in bags] or [np.empty(0, np.int32)]), bounds(lengths))


def _once(bags: Bags) -> Bags:
    """Bags with each id at most once per text."""
    owners, ids = sorted_pairs(bags.owners, bags.ids)
    new = np.append(True, (owners[1:] != owners[:-1]) | (ids[1:] != ids[:-1]))[: len(ids)]
    return Bags(ids[new], bounds(np.bincount(owners[new], minlength=len(bags))))
