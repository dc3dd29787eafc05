"""What can be set of tokens: a small class for each kind of tokenizer, which trains one."""

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
        """The tokenizer, which is the same for all texts."""
        return train_tokenizer("bytes", texts)


@settings
class WordTokens(Normalisation):
    """Words as tokens: which of them there are, and which count as the same.

    >>> WordTokens(vocabulary=3, lower=True).train(["The end of the beginning"]).decode([1, 2, 0])
    'the beginning <unk>'
    """

    kind: Literal["words"] = tag(default="words")
    vocabulary: Annotated[int, Range(0)] = 0
    """How many ids at most; 0: one for every word."""

    def train(self, texts: Iterable[str]) -> Tokenizer:
        """The tokenizer for some texts."""
        rule = Normalisation(**{name: getattr(self, name) for name in Normalisation.__dataclass_fields__})
        return train_tokenizer("words", texts, vocabulary=self.vocabulary or None, normalisation=rule)


@settings
class BytePairTokens:
    """Byte pairs as tokens."""

    kind: Literal["byte-pairs"] = tag(default="byte-pairs")
    vocabulary: Annotated[int, Range(1)] = 4096
    """How many ids at most."""

    def train(self, texts: Iterable[str]) -> Tokenizer:
        """The tokenizer for some texts."""
        return train_tokenizer("byte-pairs", texts, vocabulary=self.vocabulary)


TokenSettings = CharacterTokens | ByteTokens | WordTokens | BytePairTokens
AnyTokens = Annotated[TokenSettings, ByKind()]
"""The settings of tokens, of whichever kind."""
TOKENS: dict[str, type[TokenSettings]] = {
    "characters": CharacterTokens,
    "bytes": ByteTokens,
    "words": WordTokens,
    "byte-pairs": BytePairTokens,
}
