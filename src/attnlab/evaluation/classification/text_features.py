"""The features of one text, with the words that each is made of."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, Integer

from attnlab.text.bags import Bags
from attnlab.text.features import Features

Ids = Integer[np.ndarray, " words"]


@dataclass(frozen=True)
class TextGrams:
    """Every occurrence of a feature in a text: its id, the number of its first word, and its number of words."""

    ids: Integer[np.ndarray, " grams"]
    firsts: Integer[np.ndarray, " grams"]
    lengths: Integer[np.ndarray, " grams"]
    once: bool
    """Whether a feature counts once, however often it occurs."""

    @property
    def weights(self) -> Float[np.ndarray, " grams"]:
        """The weight of each occurrence: 1, or a total of 1 for the occurrences of a feature that counts once."""
        if not self.once:
            return np.ones(len(self.ids))
        _, which, times = np.unique(self.ids, return_inverse=True, return_counts=True)
        return 1 / times[which]

    @property
    def size(self) -> int:
        """The number of features of the text."""
        return len(np.unique(self.ids)) if self.once else len(self.ids)

    def pairs(self) -> tuple[Integer[np.ndarray, " pairs"], Integer[np.ndarray, " pairs"]]:
        """All pairs of a gram and one of its words, by number."""
        grams = np.repeat(np.arange(len(self.ids)), self.lengths)
        within = np.arange(len(grams)) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        return grams, self.firsts[grams] + within

    def lost(self, groups: Integer[np.ndarray, " words"], count: int) -> tuple[Bags, Float[np.ndarray, " features"]]:
        """For each of `count` groups of words: the features that disappear without these words, and how often.

        A feature that counts once disappears when its last occurrence does.
        """
        grams, words = self.pairs()
        met = np.unique(np.stack([groups[words], grams]), axis=1)  # a gram may contain two words of a group
        keys, times = np.unique(met[0].astype(np.int64) << 32 | self.ids[met[1]], return_counts=True)
        owners, ids = keys >> 32, keys & 0xFFFFFFFF
        if self.once:
            known, total = np.unique(self.ids, return_counts=True)
            gone = times == total[np.searchsorted(known, ids)]
            owners, ids, times = owners[gone], ids[gone], np.ones(int(gone.sum()))
        offsets = np.searchsorted(owners, np.arange(count + 1))
        return Bags(ids, offsets), times.astype(np.float64)


def grams_of(features: Features, ids: Ids) -> TextGrams:
    """The features of a text of at least one word, given as word ids."""
    found, firsts, lengths = [], [], []
    for length in range(1, min(features.settings.ngrams, len(ids)) + 1):
        windows = np.lib.stride_tricks.sliding_window_view(ids, length)
        starts = np.flatnonzero((windows > 0).all(1))
        bags = Bags(windows[starts].ravel(), np.arange(len(starts) + 1) * length)
        # The last feature of these words alone is the n-gram of all of them.
        alone = Features(features.tokenizer, replace(features.settings, ngrams=length, once=False)).of_words(bags)
        found.append(alone.ids[alone.offsets[1:] - 1])
        firsts.append(starts)
        lengths.append(np.full(len(starts), length))
    ids, firsts, lengths = (np.concatenate(each) for each in (found, firsts, lengths))
    return TextGrams(ids, firsts, lengths, features.settings.once)
