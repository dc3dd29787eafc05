"""The features of one text, each with the words that it is made of."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Integer

from attnlab.text.bags import Bags
from attnlab.text.features import Features

Ids = Integer[np.ndarray, " words"]


@dataclass(frozen=True)
class Grams:
    """Every place where a feature is in a text: its id, the number of its first word, and how many words it has."""

    ids: Integer[np.ndarray, " grams"]
    firsts: Integer[np.ndarray, " grams"]
    lengths: Integer[np.ndarray, " grams"]
    once: bool
    """A feature counts once, however often it is there."""

    @property
    def weights(self) -> Float[np.ndarray, " grams"]:
        """How much each place counts: 1, or together 1 for the places of a feature that counts once."""
        if not self.once:
            return np.ones(len(self.ids))
        _, which, times = np.unique(self.ids, return_inverse=True, return_counts=True)
        return 1 / times[which]

    @property
    def size(self) -> int:
        """How many features the text has."""
        return len(np.unique(self.ids)) if self.once else len(self.ids)

    def pairs(self) -> tuple[Integer[np.ndarray, " pairs"], Integer[np.ndarray, " pairs"]]:
        """Each gram with each of its words: the numbers of both."""
        grams = np.repeat(np.arange(len(self.ids)), self.lengths)
        within = np.arange(len(grams)) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        return grams, self.firsts[grams] + within

    def lost(self, groups: Integer[np.ndarray, " words"], count: int) -> tuple[Bags, Float[np.ndarray, " features"]]:
        """For each of `count` groups of words, the features that are gone without them, and how often each.

        A feature that counts once is gone when none of its places is left.
        """
        grams, words = self.pairs()
        met = np.unique(np.stack([groups[words], grams]), axis=1)  # a gram may have two words of a group
        keys, times = np.unique(met[0].astype(np.int64) << 32 | self.ids[met[1]], return_counts=True)
        owners, ids = keys >> 32, keys & 0xFFFFFFFF
        if self.once:
            known, total = np.unique(self.ids, return_counts=True)
            gone = times == total[np.searchsorted(known, ids)]
            owners, ids, times = owners[gone], ids[gone], np.ones(int(gone.sum()))
        offsets = np.searchsorted(owners, np.arange(count + 1))
        return Bags(ids, offsets), times.astype(np.float64)


def grams_of(features: Features, ids: Ids) -> Grams:
    """The features of a text of at least one word; the words are given by their ids."""
    found, firsts, lengths = [], [], []
    for length in range(1, min(features.settings.ngrams, len(ids)) + 1):
        windows = np.lib.stride_tricks.sliding_window_view(ids, length)
        starts = np.flatnonzero((windows > 0).all(1))
        bags = Bags(windows[starts].ravel(), np.arange(len(starts) + 1) * length)
        # Of the features of these words alone, the last is the n-gram of all of them.
        alone = Features(features.tokenizer, replace(features.settings, ngrams=length, once=False)).of_words(bags)
        found.append(alone.ids[alone.offsets[1:] - 1])
        firsts.append(starts)
        lengths.append(np.full(len(starts), length))
    ids, firsts, lengths = (np.concatenate(each) for each in (found, firsts, lengths))
    return Grams(ids, firsts, lengths, features.settings.once)
