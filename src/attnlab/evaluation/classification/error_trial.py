"""An error under experiment: the text is changed, the classifier asked again.

A change *puts it right* where the label gets ahead of the class that was said, in nats, by at least a tenth of what
that was ahead by before. There are no thresholds in nats, since some classifiers are bolder than others.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float, Integer

from attnlab.evaluation.classification.asking import Asker, log_odds
from attnlab.evaluation.classification.denials import denials
from attnlab.evaluation.classification.pushes import Pushes
from attnlab.evaluation.classification.reading import Read

RIGHT = 0.1
"""An error is put right where the label is ahead by such a share of what the class that was said was ahead by."""
FEW = 3
"""How many of the strongest words are taken out together."""

Ids = Integer[np.ndarray, " words"]


@dataclass(frozen=True)
class ErrorTrial:
    """One error under experiment."""

    asker: Asker
    text: Read
    label: int
    pushes: Pushes
    """How far words push the class that was said."""

    @property
    def said(self) -> int:
        """The class that was said."""
        return self.pushes.target

    @cached_property
    def groups(self) -> Ids:
        """The different words, numbered: for each word of the text the number of its."""
        return np.unique(self.text.ids, return_inverse=True)[1]

    @cached_property
    def each(self) -> Float[np.ndarray, " kinds"]:
        """How far each different word pushed, wherever it stands, by integrated gradients: they say which side a word
        is on, while taking out any word at all makes the others of an average louder."""
        return np.bincount(self.groups, self.pushes.gradients)

    def ask(self, *texts: Integer[np.ndarray, " _"]) -> tuple[list[float], list[float]]:
        """Of changed texts the log-odds of the class that was said, and how far it is ahead of the label, in nats."""
        logits = torch.from_numpy(self.asker.ask(texts))
        ahead = logits[:, self.said] - logits[:, self.label]
        return log_odds(logits, self.said).tolist(), ahead.tolist()

    @cached_property
    def turned(self) -> float:
        """How far ahead the class that was said still is, at most, where a change puts it right; below 0."""
        return -RIGHT * self.ask(self.text.ids)[1][0]

    def name(self, number: int) -> str:
        """A different word as it first stands in the text."""
        return self.text.forms[int(np.flatnonzero(self.groups == number)[0])]

    @cached_property
    def denied(self) -> set[int]:
        """The different words that only deny or are denied: which side they are on is not for them to say."""
        inside = {place for first, _, end in denials(self.text.forms) for place in range(first, end)}
        free = {int(group) for place, group in enumerate(self.groups) if place not in inside}
        return set(range(len(self.each))) - free

    def strongest(self, sign: int) -> list[int]:
        """The different words that pushed farthest for the class that was said (+1) or against it (−1)."""
        order = np.argsort(-sign * self.each, kind="stable")[:FEW].tolist()
        return [number for number in order if sign * self.each[number] > 0]

    def undenied(self, sign: int) -> list[int]:
        """The same of those that are not denied."""
        order = [
            number for number in np.argsort(-sign * self.each, kind="stable").tolist() if number not in self.denied
        ]
        return [number for number in order[:FEW] if sign * self.each[number] > 0]

    def less(self, numbers: list[int]) -> Ids:
        """The text with some different words made unknown, wherever they stand."""
        return np.where(np.isin(self.groups, numbers), 0, self.text.ids)

    def silent(self, numbers: list[int]) -> float:
        """The log-odds with some different words made silent: their places stay, so that others get no louder."""
        chosen = np.isin(self.groups, numbers).astype(np.int64)
        return float(self.pushes.silent(chosen)[-1]) if chosen.any() else self.pushes.score
