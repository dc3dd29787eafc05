"""A text classifier: a model, its features and the names of the classes."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnlab.errors import ArgumentError
from attnlab.models.averaging import AveragingNetwork
from attnlab.text.bags import Bags
from attnlab.text.features import Features

AT_ONCE = 256
"""Texts whose probabilities are computed together."""


@dataclass(frozen=True)
class Answers:
    """A classifier's probability of each class for each text, and the text's number of words and of known words."""

    probabilities: Float[np.ndarray, "texts classes"]
    words: Int[np.ndarray, " texts"]
    known: Int[np.ndarray, " texts"]


@dataclass(frozen=True)
class Classifier:
    """A model that gives a text the probability of each class."""

    classes: tuple[str, ...]
    features: Features
    model: AveragingNetwork

    def probabilities(self, texts: Sequence[str]) -> Float[np.ndarray, "texts classes"]:
        """The probability of each class for each text. A text without a known word gets that of an empty text."""
        return self.answers(texts).probabilities

    def answers(self, texts: Sequence[str]) -> Answers:
        """The probabilities, and the number of words and of known words."""
        batches = [texts[first : first + AT_ONCE] for first in range(0, len(texts), AT_ONCE)] or [()]
        with ThreadPoolExecutor(2) as beside:  # computes while the words of the next texts are looked up
            found = list(beside.map(self._answered, map(self.features.words, batches)))
        return Answers(*(np.concatenate(each) for each in zip(*found, strict=True)))

    def _answered(self, words: Bags) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        with np.errstate(over="ignore", invalid="ignore"):
            probabilities = self.of_bags(self.features.of_words(words))
        if not np.isfinite(probabilities).all():
            raise ArgumentError("model", "its probabilities are NaN: its weights are damaged, or training diverged")
        known = np.diff(np.concatenate([[0], np.cumsum(words.ids > 0)])[words.offsets])
        return probabilities, words.lengths, known

    def of_bags(self, bags: Bags) -> Float[np.ndarray, "texts classes"]:
        """The probability of each class for texts that are given as features."""
        logits = self.model(bags).astype(np.float64)
        odds = np.exp(logits - logits.max(1, keepdims=True))
        return odds / odds.sum(1, keepdims=True)
