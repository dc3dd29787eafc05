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
from attnlab.evaluation.classification.text_features import TextGrams, grams_of
from attnlab.text.bags import Bags

AT_ONCE = 4096
"""Groups of words per batch, so that a long text does not fill the memory."""
POINTS = 16
"""The number of points for the integral over a panel of the path."""
HALVINGS = 40
CLOSE = 1e-9
"""A panel is halved until the pushes along it add up to what the log-odds gain there, to this share of the whole.
Smooth log-odds need one panel. A layer that switches on within the path is a bend, and halving closes in on it."""

Ids = Integer[np.ndarray, " words"]


class Pushes:
    """The pushes of a text's words on the log-odds of a class."""

    def __init__(self, asker: Asker, ids: Ids, target: int):
        self.asker, self.ids, self.target = asker, ids, target
        self.grams: TextGrams = grams_of(asker.features, ids)
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
        rows, (grams, words) = self.asker.rows(self.grams.ids), self.grams.pairs()
        each = sum((part @ slope for part, slope in zip(rows, self._slopes(), strict=True)), start=np.zeros(()))
        shares = each * self.grams.weights / self.grams.lengths
        return np.bincount(words, shares[grams], len(pushed))

    def slope(self) -> list[Float[np.ndarray, " _"]]:
        """The gradient of the log-odds with respect to the sums, at the text."""
        return [each[0] for each in self.asker.gradient(self.sums, self.size, self.target)]

    def _slopes(self) -> list[Float[np.ndarray, " _"]]:
        """The mean gradient along the path, by Gauss–Legendre quadrature over panels."""
        mean = [np.zeros(each.shape[1]) for each in self.sums]
        starts, width = np.zeros(1), 1.0
        for halvings in range(HALVINGS + 1):
            slopes = self._panels(starts, width)
            added = sum((slope @ each[0] for slope, each in zip(slopes, self.sums, strict=True)), start=np.zeros(()))
            gained = self._along(starts + width) - self._along(starts)
            bent = np.abs(added - gained) > CLOSE * max(1.0, abs(self.score - self.empty))
            done = ~bent if halvings < HALVINGS else np.ones_like(bent)
            mean = [whole + slope[done].sum(0) for whole, slope in zip(mean, slopes, strict=True)]
            starts, width = starts[~done], width / 2
            if not len(starts):
                break
            starts = np.concatenate([starts, starts + width])
        return mean

    def _panels(self, starts: Float[np.ndarray, " panels"], width: float) -> list[Float[np.ndarray, "panels _"]]:
        """For each part of the model: the integral of the gradient over each panel."""
        places, weights = leggauss(POINTS)
        points = (starts[:, None] + width * (places + 1) / 2).ravel()
        found = self.asker.gradient(self._path(points), self.size.repeat(len(points)), self.target)
        return [width / 2 * np.einsum("p,npd->nd", weights, each.reshape(len(starts), POINTS, -1)) for each in found]

    def _along(self, places: Float[np.ndarray, " places"]) -> Float[np.ndarray, " places"]:
        """The log-odds at some places of the path, from 0 (no words) to 1 (the text)."""
        return self._score(self._path(places), self.size.repeat(len(places)))

    def _path(self, places: Float[np.ndarray, " places"]) -> Sums:
        return [places[:, None] * each for each in self.sums]

    def _score(self, sums: Sums, counts: Integer[np.ndarray, " texts"]) -> Float[np.ndarray, " texts"]:
        return log_odds(self.asker.logits(sums, counts), self.target)
