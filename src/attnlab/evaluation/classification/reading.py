"""A text as words: the place of each word, and whether the classifier knows it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Integer

from attnlab.errors import ArgumentError
from attnlab.text.features import Features


@dataclass(frozen=True)
class TextWord:
    """A word of a text, or a sign: text[start:stop]."""

    text: str
    start: int
    stop: int
    known: bool
    form: str
    """The word as the vocabulary writes it, for example in lower case."""


@dataclass(frozen=True)
class Read:
    """A text, its words, and their ids; 0 for an unknown word."""

    text: str
    words: tuple[TextWord, ...]
    ids: Integer[np.ndarray, " words"]

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """Each word as the vocabulary writes it."""
        return tuple(word.form for word in self.words)


def read(features: Features, text: str) -> Read:
    """The words of a text, as the features see them.

    >>> from attnlab.text.features import FeatureSettings
    >>> found = read(Features.train(["Not bad."], FeatureSettings()), "Not half bad")
    >>> [(word.text, word.start, word.known) for word in found.words]
    [('Not', 0, True), ('half', 4, False), ('bad', 9, True)]
    """
    rule = features.tokenizer.normalisation
    spans = [match.span() for match in rule.token.finditer(text)]
    if not spans:
        raise ArgumentError("text", "expected at least one word, got no words")
    ids = features.words([text]).ids
    parts = [text[start:stop] for start, stop in spans]
    known = (ids > 0).tolist()
    rows = zip(parts, spans, known, strict=True)
    return Read(text, tuple(TextWord(part, *span, there, rule.word(part)) for part, span, there in rows), ids)
