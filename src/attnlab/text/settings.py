"""The settings of tokenizers: a class for each kind, which trains a tokenizer."""

from collections.abc import Iterable
from typing import Annotated, Literal

from attnlab.settings import ByKind, Range, settings, tag
from attnlab.text.normalisation import Normalisation
from attnlab.text.tokenizers import Tokenizer, train_tokenizer


@settings
class CharacterTokens:
    """Characters as tokens."""

    kind: Literal["characters"] = tag(default="characters")

    def train(self, texts: Iterable[str]) -> Tokenizer:
        """The tokenizer for some texts."""
        return train_tokenizer("characters", texts)


@settings
class ByteTokens:
    """Bytes as tokens."""

    kind: Literal["bytes"] = tag(default="bytes")

    def train(self, texts: Iterable[str]) -> Tokenizer:
        """The tokenizer; it is the same for all texts."""
        return train_tokenizer("bytes", texts)


@settings
class WordTokens(Normalisation):
    """Words as tokens: the size of the vocabulary, and which words count as equal.

    >>> WordTokens(vocabulary=3, lower=True).train(["The end of the beginning"]).decode([1, 2, 0])
    'the beginning <unk>'
    """

    kind: Literal["words"] = tag(default="words")
    vocabulary: Annotated[int, Range(0)] = 0
    """The largest number of ids; 0: one for every word."""

    def train(self, texts: Iterable[str]) -> Tokenizer:
        """The tokenizer for some texts."""
        rule = Normalisation(**{name: getattr(self, name) for name in Normalisation.__dataclass_fields__})
        return train_tokenizer("words", texts, vocabulary=self.vocabulary or None, normalisation=rule)


@settings
class BytePairTokens:
    """Byte pairs as tokens."""

    kind: Literal["byte-pairs"] = tag(default="byte-pairs")
    vocabulary: Annotated[int, Range(1)] = 4096
    """The largest number of ids."""

    def train(self, texts: Iterable[str]) -> Tokenizer:
        """The tokenizer for some texts."""
        return train_tokenizer("byte-pairs", texts, vocabulary=self.vocabulary)


TokenSettings = CharacterTokens | ByteTokens | WordTokens | BytePairTokens
AnyTokens = Annotated[TokenSettings, ByKind()]
"""The settings of any kind of tokenizer."""
TOKENS: dict[str, type[TokenSettings]] = {
    "characters": CharacterTokens,
    "bytes": ByteTokens,
    "words": WordTokens,
    "byte-pairs": BytePairTokens,
}
