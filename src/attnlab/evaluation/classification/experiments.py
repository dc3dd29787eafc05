"""Experiments on an error: change the text and ask the classifier again.

A change *fixes the error* if afterwards the label leads the predicted class, in nats, by at least a tenth of the lead
that the predicted class had before. No threshold is in nats, because some classifiers are more extreme than others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from jaxtyping import Float, Integer

from attnlab.evaluation.classification.asking import Asker, log_odds
from attnlab.evaluation.classification.denials import denials
from attnlab.evaluation.classification.pushes import Pushes
from attnlab.evaluation.classification.reading import Read
from attnlab.numbers import format_signed

RIGHT = 0.1
"""A change fixes an error if the label's lead is at least this share of the predicted class's lead before."""
AT_ONCE = 1 << 20
"""The most words to ask at once, unless one text has more."""
FEW = 3
"""How many of the strongest words are removed together."""

Ids = Integer[np.ndarray, " words"]
signed = partial(format_signed, decimals=2)


@dataclass(frozen=True)
class ErrorTrial:
    """An error to experiment on."""

    asker: Asker
    text: Read
    label: int
    pushes: Pushes
    """How far words push the predicted class."""

    @property
    def said(self) -> int:
        """The predicted class."""
        return self.pushes.target

    @cached_property
    def groups(self) -> Ids:
        """The number of the distinct word, for each word of the text."""
        return np.unique(self.text.ids, return_inverse=True)[1]

    @cached_property
    def each(self) -> Float[np.ndarray, " kinds"]:
        """The push of each distinct word, over all its places, by integrated gradients. They tell which side a word is
        on; removal does not, because removing any word makes the other words of an average louder."""
        return np.bincount(self.groups, self.pushes.gradients)

    def ask(self, *texts: Integer[np.ndarray, " _"]) -> tuple[list[float], list[float]]:
        """For changed texts: the log-odds of the predicted class, and its lead over the label in nats."""
        logits = np.concatenate([self.asker.ask(some) for some in _batches(texts)])
        ahead = logits[:, self.said] - logits[:, self.label]
        return log_odds(logits, self.said).tolist(), ahead.tolist()

    @cached_property
    def turned(self) -> float:
        """The lead of the predicted class, below 0, at or under which an error counts as fixed."""
        return -RIGHT * self.ask(self.text.ids)[1][0]

    def name(self, number: int) -> str:
        """A distinct word, as it first appears in the text."""
        return self.text.forms[int(np.flatnonzero(self.groups == number)[0])]

    @cached_property
    def denied(self) -> set[int]:
        """The distinct words that only negate or are negated: their own push does not tell their side."""
        inside = {place for first, _, end in denials(self.text.forms) for place in range(first, end)}
        free = {int(group) for place, group in enumerate(self.groups) if place not in inside}
        return set(range(len(self.each))) - free

    def strongest(self, sign: int) -> list[int]:
        """The distinct words that push farthest for the predicted class (+1) or against it (−1)."""
        order = np.argsort(-sign * self.each, kind="stable")[:FEW].tolist()
        return [number for number in order if sign * self.each[number] > 0]

    def undenied(self, sign: int) -> list[int]:
        """The same, among words that are not negated."""
        order = [
            number for number in np.argsort(-sign * self.each, kind="stable").tolist() if number not in self.denied
        ]
        return [number for number in order[:FEW] if sign * self.each[number] > 0]

    def less(self, numbers: list[int]) -> Ids:
        """The text with these distinct words replaced by unknown words, wherever they are."""
        return np.where(np.isin(self.groups, numbers), 0, self.text.ids)

    def silent(self, numbers: list[int]) -> float:
        """The log-odds with these distinct words silent: their places stay, so the other words get no louder."""
        chosen = np.isin(self.groups, numbers).astype(np.int64)
        return float(self.pushes.silent(chosen)[-1]) if chosen.any() else self.pushes.score


def _batches(texts: Sequence[Integer[np.ndarray, " _"]]) -> Iterator[list[Integer[np.ndarray, " _"]]]:
    """The texts in order, some at a time: many words at once would fill the memory."""
    batch, words = [], 0
    for text in texts:
        if batch and words + len(text) > AT_ONCE:
            yield batch
            batch, words = [], 0
        batch.append(text)
        words += len(text)
    yield batch
