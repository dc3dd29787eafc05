"""How far each word pushed the log-odds of a class: by taking it out, and by integrated gradients.

Removal: the log-odds of the text less those of the text without the word and the n-grams that it is in; what stood on
both sides of it makes no new n-gram. It is exact, but what two words do together is counted for both or for neither.

Integrated gradients (Sundararajan et al. 2017): with s the sums of a text's rows and f the log-odds from it,

    push of a feature g = row_g · ∫₀¹ ∇f(α s) dα        so that together they are f(s) − f(0)

along the straight path from the empty average to the text's. An n-gram's push is shared evenly by its words.
"""

from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float, Integer
from numpy.polynomial.legendre import leggauss
from torch import Tensor

from attnlab.evaluation.classification.asking import Asker, Sums, log_odds
from attnlab.evaluation.classification.grams import Grams, grams_of
from attnlab.text.bags import Bags

AT_ONCE = 4096
"""Groups of words that are taken out together: one for each word, and a long text must not fill the memory."""
POINTS = (16, 64, 256)
"""On how many points the gradient is taken; more only where the pushes do not yet add up."""
CLOSE = 1e-9

Ids = Integer[np.ndarray, " words"]


class Pushes:
    """The pushes of one text's words on the log-odds of a class."""

    def __init__(self, asker: Asker, ids: Ids, target: int):
        self.asker, self.ids, self.target = asker, ids, target
        self.grams: Grams = grams_of(asker.features, ids)
        grams, weights = self.grams, self.grams.weights
        self.sums: Sums = asker.sums(Bags(grams.ids, np.array([0, len(grams.ids)])), weights)
        self.size = torch.tensor([grams.size])

    @cached_property
    def score(self) -> float:
        """The log-odds of the text."""
        return float(self._score(self.sums, self.size))

    @cached_property
    def empty(self) -> float:
        """The log-odds of a text without a known word."""
        return float(self._score([0 * each for each in self.sums], self.size))

    def without(self, groups: Ids) -> Float[np.ndarray, " groups"]:
        """The log-odds without the words of each group; `groups` has for each word the number of its group."""
        return self._less(groups, 1)

    def silent(self, groups: Ids) -> Float[np.ndarray, " groups"]:
        """The same, but their features still count, as ones that say nothing: those that are left get no louder."""
        return self._less(groups, 0)

    def _less(self, groups: Ids, counted: int) -> Float[np.ndarray, " groups"]:
        """The log-odds without the features of each group; the average is over `counted` times their number less."""
        count = int(groups.max()) + 1
        lost, times = self.grams.lost(groups, count)
        found = []
        for first in range(0, count, AT_ONCE):
            offsets = lost.offsets[first : min(first + AT_ONCE, count) + 1]
            inside = slice(offsets[0], offsets[-1])
            bags = Bags(lost.ids[inside], offsets - offsets[0])
            gone = np.concatenate([[0.0], np.cumsum(times[inside])])[bags.offsets]
            sums = [whole - each for whole, each in zip(self.sums, self.asker.sums(bags, times[inside]), strict=True)]
            counts = self.size - counted * torch.from_numpy(np.diff(gone).round().astype(np.int64))
            with torch.inference_mode():
                found.append(self._score(sums, counts).numpy())
        return np.concatenate(found)

    @cached_property
    def removal(self) -> Float[np.ndarray, " words"]:
        """How far each word pushed: how much lower the log-odds are without it."""
        return self.score - self.without(np.arange(len(self.ids)))

    @cached_property
    def gradients(self) -> Float[np.ndarray, " words"]:
        """How far each word pushed, by integrated gradients; together, the score less that of the empty text."""
        pushed = np.zeros(len(self.ids))
        if not len(self.grams.ids):
            return pushed
        wanted = self.score - self.empty
        rows, (grams, words) = self.asker.rows(self.grams.ids), self.grams.pairs()
        shares = np.zeros(len(self.grams.ids))
        for points in POINTS:
            slopes = self._slopes(points)
            each = sum((part @ slope for part, slope in zip(rows, slopes, strict=True)), start=torch.tensor(0.0))
            shares = each.numpy() * self.grams.weights / self.grams.lengths
            if abs(float((shares * self.grams.lengths).sum()) - wanted) < CLOSE * max(1.0, abs(wanted)):
                break
        return np.bincount(words, shares[grams], len(pushed))

    def slope(self) -> list[Float[Tensor, " _"]]:
        """The gradient of the log-odds by the sums, at the text itself."""
        return self._gradient(torch.ones(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64))

    def _slopes(self, points: int) -> list[Float[Tensor, " _"]]:
        """The mean of the gradient along the path, by Gauss and Legendre's rule."""
        places, weights = leggauss(points)
        return self._gradient(torch.from_numpy((places + 1) / 2), torch.from_numpy(weights / 2))

    def _gradient(self, places: Float[Tensor, " n"], weights: Float[Tensor, " n"]) -> list[Float[Tensor, " _"]]:
        path = [(places[:, None] * each).requires_grad_() for each in self.sums]
        score = self._score(path, self.size.expand(len(places))).sum()
        return [weights @ each for each in torch.autograd.grad(score, path)]

    def _score(self, sums: Sums, counts: Integer[Tensor, " texts"]) -> Float[Tensor, " texts"]:
        return log_odds(self.asker.logits(sums, counts), self.target)
