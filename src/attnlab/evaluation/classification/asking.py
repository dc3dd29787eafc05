"""Queries a classifier by word ids, in float64, so that small changes show and sums agree."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Integer

from attnlab.models.classifier import Classifier
from attnlab.text.bags import Bags, bounds

Sums = list[Float[np.ndarray, "texts _"]]


class Asker:
    """A classifier that returns log-odds."""

    def __init__(self, classifier: Classifier):
        self.classes, self.features, self.model = classifier.classes, classifier.features, classifier.model.in_double()

    def rows(self, ids: Integer[np.ndarray, " features"]) -> list[Float[np.ndarray, "features _"]]:
        """For each part of the model: the rows of its table for these features."""
        return [part.table[ids].astype(np.float64) for part in self.model.parts]

    def sums(self, bags: Bags, weights: Float[np.ndarray, " features"] | None = None) -> Sums:
        """For each part of the model: the weighted sum of the rows of each bag."""
        few, places = np.unique(bags.ids, return_inverse=True)
        factors = np.ones(len(places)) if weights is None else weights
        filled = np.flatnonzero(bags.lengths)
        found = [np.zeros((len(bags), part.table.shape[1])) for part in self.model.parts]
        for sums, rows in zip(found, self.rows(few), strict=True):
            if len(filled):
                sums[filled] = np.add.reduceat(factors[:, None] * rows[places], bags.offsets[filled])
        return found

    def logits(self, sums: Sums, counts: Integer[np.ndarray, " texts"]) -> Float[np.ndarray, "texts classes"]:
        """The logits from the sums, as in the model, but in float64."""
        return self.model.logits(sums, counts)

    def gradient(self, sums: Sums, counts: Integer[np.ndarray, " texts"], target: int) -> Sums:
        """The gradient of the log-odds of a class with respect to the sums of each text."""
        logits = self.logits(sums, counts)
        logits[:, target] = -np.inf
        slope = -_softmax(logits)
        slope[:, target] = 1
        parts = zip(self.model.parts, sums, strict=True)
        return [part.backward(part.forward(each, counts), slope)[0] for part, each in parts]

    def ask(self, texts: Sequence[Integer[np.ndarray, " _"]]) -> Float[np.ndarray, "texts classes"]:
        """The logits of texts that are given as word ids."""
        lengths = np.array([len(each) for each in texts])
        bags = self.features.of_words(Bags(np.concatenate(texts), bounds(lengths)))
        return self.logits(self.sums(bags), bags.lengths)


def log_odds(logits: Float[np.ndarray, "texts classes"], target: int) -> Float[np.ndarray, " texts"]:
    """ln(p / (1 − p)) of one class; with two classes, the difference of their logits."""
    return logits[:, target] - np.logaddexp.reduce(np.delete(logits, target, 1), axis=1)


def _softmax(logits: Float[np.ndarray, "texts classes"]) -> Float[np.ndarray, "texts classes"]:
    odds = np.exp(logits - logits.max(1, keepdims=True))
    return odds / odds.sum(1, keepdims=True)
