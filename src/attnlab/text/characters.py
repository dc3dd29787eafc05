"""Characters as tokens, and one token for unknown characters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Integer, UInt

from attnlab.errors import ArgumentError
from attnlab.text.encoding import Encoding, byte_lengths, checked_ids, code_points, id_dtype

UNKNOWN = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class CharacterTokenizer:
    """Each character (Unicode code point) is a token: id 0 is the unknown character, then comes the sorted vocabulary.

    Known characters decode exactly; an unknown character decodes to �.

    >>> tokens = CharacterTokenizer.train(["banana"])
    >>> tokens.vocabulary, tokens.size
    ('abn', 4)
    >>> tokens.encode("né").ids.tolist(), tokens.encode("né").raw_bytes.tolist()
    ([3, 0], [1, 2])
    >>> tokens.decode([2, 1, 3, 0])
    'ban�'
    """

    vocabulary: str
    kind: ClassVar[str] = "characters"

    @classmethod
    def train(cls, texts: Iterable[str]) -> "CharacterTokenizer":
        """The tokenizer of all characters in some texts."""
        found: set[int] = set()
        for text in texts:
            found.update(np.unique(code_points(text)).tolist())
        if not found:
            raise ArgumentError("texts", "expected at least one character, got no characters")
        return cls("".join(map(chr, sorted(found))))

    @property
    def size(self) -> int:
        """The number of ids."""
        return len(self.vocabulary) + 1

    def encode(self, text: str) -> Encoding:
        """The text as tokens."""
        points = code_points(text)
        return Encoding(self._table[points], byte_lengths(points))

    def decode(self, ids: Sequence[int] | Integer[np.ndarray, " tokens"]) -> str:
        """The text of the tokens."""
        return "".join(map((UNKNOWN + self.vocabulary).__getitem__, checked_ids(ids, self.size).tolist()))

    def cut(self, text: str) -> int:
        """The last place where cutting the text does not change its tokens: its end."""
        return len(text)

    def to_json(self) -> dict[str, Any]:
        """The tokenizer as JSON."""
        return {"kind": self.kind, "vocabulary": self.vocabulary}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "CharacterTokenizer":
        """The tokenizer from its `to_json`."""
        vocabulary = value["vocabulary"]
        if not isinstance(vocabulary, str) or not vocabulary or "".join(sorted(set(vocabulary))) != vocabulary:
            raise ValueError("expected a vocabulary of sorted characters without repetition")
        code_points(vocabulary)  # raises on half a surrogate pair
        return cls(vocabulary)

    @cached_property
    def _table(self) -> UInt[np.ndarray, " points"]:
        """The id of each Unicode code point."""
        table = np.zeros(0x110000, id_dtype(self.size))
        table[code_points(self.vocabulary)] = np.arange(1, self.size)
        return table
