"""What a classifier sees of a text: its words and, as an option, n-grams of them, hashed into buckets."""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from jaxtyping import Integer, UInt

from attnlab.errors import ArgumentError
from attnlab.text.bags import Bags, bounds
from attnlab.text.encoding import utf8
from attnlab.text.normalisation import Normalisation
from attnlab.text.words import WordTokenizer

AT_ONCE = 1000
"""Texts that are turned into features together: enough for numpy, few enough for the memory."""


@dataclass(frozen=True)
class FeatureSettings:
    """What can be set of features."""

    vocabulary: int = 30_000
    """How many words at most, with the unknown one; 0: every word of the training texts."""
    ngrams: int = 1
    """Up to how many words in a row are one feature."""
    buckets: int = 1 << 20
    """How many features all n-grams of two words or more share, by their hash."""
    once: bool = False
    """Each feature counts once a text, however often it is there."""
    lower: bool = True
    """Small letters only."""
    numbers: bool = False
    """Every number is the same word."""

    def __post_init__(self):
        if self.vocabulary < 0 or self.vocabulary == 1:
            raise ArgumentError("vocabulary", f"expected 0 or at least 2, got {self.vocabulary}")
        if not 1 <= self.ngrams <= 10:
            raise ArgumentError("ngrams", f"expected from 1 to 10, got {self.ngrams}")
        if not 1 <= self.buckets <= 1 << 28:
            raise ArgumentError("buckets", f"expected from 1 to {1 << 28}, got {self.buckets}")


@dataclass(frozen=True)
class Features:
    """The features of texts: ids from 1 for the words of the vocabulary, behind them the buckets of n-grams.

    A word that is not in the vocabulary is no feature, nor is an n-gram with such a word in it: a text of unknown words
    alone has an empty bag. Their place counts: what stands on both sides of an unknown word makes no n-gram.

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
        chosen = settings or FeatureSettings()
        rule = Normalisation(lower=chosen.lower, numbers=chosen.numbers)
        counts: Counter[str] = Counter()
        for piece, count in Counter(chain.from_iterable(map(str.split, texts))).items():
            utf8(piece)
            for part in rule.parts(piece):
                counts[rule.word(part)] += count
        return cls(WordTokenizer.of_counts(counts, chosen.vocabulary or None, rule), chosen)

    @property
    def size(self) -> int:
        """One more than the largest id there can be."""
        return self.tokenizer.size + (self.settings.buckets if self.settings.ngrams > 1 else 0)

    def words(self, texts: Sequence[str]) -> Bags:
        """The words of texts by id, in their order; 0 for one that is not known."""
        pieces = [text.split() for text in texts]
        ends = bounds(np.fromiter(map(len, pieces), np.int64, len(pieces)))
        found = self._pieces.look_up(chain.from_iterable(pieces), int(ends[-1]))
        return Bags(found.ids, found.offsets[ends])

    def encode(self, texts: Sequence[str]) -> Bags:
        """The features of texts."""
        firsts = range(0, len(texts), AT_ONCE)
        return joined([self.of_words(self.words(texts[first : first + AT_ONCE])) for first in firsts])

    def of_words(self, words: Bags) -> Bags:
        """The features of texts whose words are given by their ids: the words, and the n-grams of them."""
        owners, known = words.owners, words.ids > 0
        ids, texts = [words.ids[known]], [owners[known]]
        hashes = _mixed(words.ids.astype(np.uint64))
        for length in range(2, self.settings.ngrams + 1):
            more = length - 1
            hashes = _mixed(hashes[:-1] * np.uint64(length) + words.ids[more:].astype(np.uint64))
            known = known[:-1] & (words.ids[more:] > 0)
            whole = known & (owners[:-more] == owners[more:])
            ids.append(
                (hashes[whole] % np.uint64(self.settings.buckets)).astype(np.int32) + np.int32(self.tokenizer.size)
            )
            texts.append(owners[:-more][whole])
        if self.settings.once:
            return _once(np.concatenate(texts), np.concatenate(ids), len(words))
        return _grouped(np.concatenate(texts), np.concatenate(ids), len(words))

    def to_json(self) -> dict[str, Any]:
        """The features as JSON."""
        return {"settings": asdict(self.settings), "tokenizer": self.tokenizer.to_json()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Features":
        """The features that `to_json` saved."""
        return cls(WordTokenizer.from_json(value["tokenizer"]), FeatureSettings(**value["settings"]))

    @cached_property
    def _pieces(self) -> "_Pieces":
        return _Pieces(self.tokenizer)


class _Pieces(dict[str, int]):
    """What stands between two spaces, each looked at once: no word goes beyond it. To split a text at its spaces and
    look up the pieces is several times faster than to look for words in all of it."""

    MOST = 1 << 20
    """How many pieces are remembered: a long stream of texts must not fill the memory."""

    def __init__(self, tokenizer: WordTokenizer):
        super().__init__()
        self._rule = tokenizer.normalisation
        self._ids = {word: id for id, word in enumerate(tokenizer.vocabulary, start=1)}
        self._forget()

    def look_up(self, pieces: Iterable[str], count: int) -> Bags:
        """The words of some pieces by id."""
        if len(self) > self.MOST:
            self._forget()
        rows = np.fromiter(map(self.__getitem__, pieces), np.int64, count)
        return Bags(np.frombuffer(self._words, np.int32), np.frombuffer(self._ends, np.int64)).take(rows)

    def __missing__(self, piece: str) -> int:
        self._words.extend([self._ids.get(self._rule.word(part), 0) for part in self._rule.parts(piece)])
        row = self[piece] = len(self._ends) - 1
        self._ends.append(len(self._words))
        return row

    def _forget(self) -> None:
        self.clear()
        self._words, self._ends = array("i", [0]), array("q", [1])  # numpy takes no empty buffer


def joined(bags: Sequence[Bags]) -> Bags:
    """Bags one behind the other."""
    lengths = np.concatenate([each.lengths for each in bags] or [np.empty(0, np.int64)])
    return Bags(np.concatenate([each.ids for each in bags] or [np.empty(0, np.int32)]), bounds(lengths))


def _mixed(number: UInt[np.ndarray, " words"]) -> UInt[np.ndarray, " words"]:
    """Numbers scattered over 64 bits (the finaliser of splitmix64; Steele et al. 2014): the same on every machine."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


def _grouped(owners: Integer[np.ndarray, " n"], ids: Integer[np.ndarray, " n"], texts: int) -> Bags:
    """Bags of ids that come in any order of texts."""
    order = np.argsort(owners, kind="stable")
    return Bags(ids[order], bounds(np.bincount(owners, minlength=texts)))


def _once(owners: Integer[np.ndarray, " n"], ids: Integer[np.ndarray, " n"], texts: int) -> Bags:
    """Bags in which each id is once."""
    keys = np.sort(owners.astype(np.int64) << 32 | ids)
    keys = keys[np.diff(keys, prepend=-1) != 0]
    return Bags(keys.astype(np.int32), bounds(np.bincount(keys >> 32, minlength=texts)))
