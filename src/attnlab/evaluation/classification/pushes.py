"""How far each word pushes the log-odds of a class: by removal, and by integrated gradients.

Removal: the log-odds of the text minus those of the text without the word and its n-grams. A repeated word is removed
from all its places: a classifier that counts each word once would not miss one of them. The words around a gap form no
new n-grams. Removal is exact, but an effect of two words together counts for both or for neither.

Integrated gradients (Sundararajan et al. 2017): with s the sums of a text's rows and f the log-odds as a function of s,

    push of a feature g = row_g · ∫₀¹ ∇f(α s) dα        all pushes sum to f(s) − f(0)

along the straight path from the empty average to the text's. The words of an n-gram share its push evenly.
"""

from functools import cached_property

import numpy as np
from jaxtyping import Float, Integer
from numpy.polynomial.legendre import leggauss

from attnlab.evaluation.classification.asking import Asker, Sums, log_odds
from attnlab.evaluation.classification.text_features import Grams, grams_of
from attnlab.text.bags import Bags

AT_ONCE = 4096
"""Groups of words per batch, so that a long text does not fill the memory."""
POINTS = (16, 64, 256)
"""The number of points for the integral; more points only if the pushes do not add up yet."""
CLOSE = 1e-9

Ids = Integer[np.ndarray, " words"]


class Pushes:
    """The pushes of a text's words on the log-odds of a class."""

    def __init__(self, asker: Asker, ids: Ids, target: int):
        self.asker, self.ids, self.target = asker, ids, target
        self.grams: Grams = grams_of(asker.features, ids)
        grams, weights = self.grams, self.grams.weights
        self.sums: Sums = asker.sums(Bags(grams.ids, np.array([0, len(grams.ids)])), weights)
        self.size = np.array([grams.size])

    @cached_property
    def score(self) -> float:
        """The log-odds of the text."""
        return float(self._score(self.sums, self.size)[0])

    @cached_property
    def empty(self) -> float:
        """The log-odds of a text without known words."""
        return float(self._score([0 * each for each in self.sums], self.size)[0])

    def without(self, groups: Ids) -> Float[np.ndarray, " groups"]:
        """The log-odds without the words of each group; `groups` has each word's group number."""
        return self._less(groups, 1)

    def silent(self, groups: Ids) -> Float[np.ndarray, " groups"]:
        """The same, but the removed features still count in the average, so the other words get no louder."""
        return self._less(groups, 0)

    def _less(self, groups: Ids, counted: int) -> Float[np.ndarray, " groups"]:
        """The log-odds without the features of each group; they count 1 − `counted` times in the average."""
        count = int(groups.max()) + 1
        lost, times = self.grams.lost(groups, count)
        found = []
        for first in range(0, count, AT_ONCE):
            offsets = lost.offsets[first : min(first + AT_ONCE, count) + 1]
            inside = slice(offsets[0], offsets[-1])
            bags = Bags(lost.ids[inside], offsets - offsets[0])
            gone = np.concatenate([[0.0], np.cumsum(times[inside])])[bags.offsets]
            sums = [whole - each for whole, each in zip(self.sums, self.asker.sums(bags, times[inside]), strict=True)]
            counts = self.size - counted * np.diff(gone).round().astype(np.int64)
            found.append(self._score(sums, counts))
        return np.concatenate(found)

    @cached_property
    def removal(self) -> Float[np.ndarray, " words"]:
        """The push of each word: how much lower the log-odds are if it is nowhere in the text."""
        _, groups = np.unique(self.ids, return_inverse=True)
        return self.score - self.without(groups)[groups]

    @cached_property
    def gradients(self) -> Float[np.ndarray, " words"]:
        """The push of each word by integrated gradients; they sum to the score minus the empty text's score."""
        pushed = np.zeros(len(self.ids))
        if not len(self.grams.ids):
            return pushed
        wanted = self.score - self.empty
        rows, (grams, words) = self.asker.rows(self.grams.ids), self.grams.pairs()
        shares = np.zeros(len(self.grams.ids))
        for points in POINTS:
            slopes = self._slopes(points)
            each = sum((part @ slope for part, slope in zip(rows, slopes, strict=True)), start=np.zeros(()))
            shares = each * self.grams.weights / self.grams.lengths
            if abs(float((shares * self.grams.lengths).sum()) - wanted) < CLOSE * max(1.0, abs(wanted)):
                break
        return np.bincount(words, shares[grams], len(pushed))

    def slope(self) -> list[Float[np.ndarray, " _"]]:
        """The gradient of the log-odds with respect to the sums, at the text."""
        return self._gradient(np.ones(1), np.ones(1))

    def _slopes(self, points: int) -> list[Float[np.ndarray, " _"]]:
        """The mean gradient along the path, by Gauss–Legendre quadrature."""
        places, weights = leggauss(points)
        return self._gradient((places + 1) / 2, weights / 2)

    def _gradient(
        self, places: Float[np.ndarray, " n"], weights: Float[np.ndarray, " n"]
    ) -> list[Float[np.ndarray, " _"]]:
        path = [places[:, None] * each for each in self.sums]
        return [weights @ each for each in self.asker.gradient(path, self.size.repeat(len(places)), self.target)]

    def _score(self, sums: Sums, counts: Integer[np.ndarray, " texts"]) -> Float[np.ndarray, " texts"]:
        return log_odds(self.asker.logits(sums, counts), self.target)
