"""Bytes as tokens: 256 ids, no unknown token, and exact decoding."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Integer

from attnlab.text.encoding import Encoding, checked_ids, utf8


@dataclass(frozen=True)
class ByteTokenizer:
    """Each byte of the UTF-8 text is a token; its value is the id.

    >>> tokens = ByteTokenizer()
    >>> tokens.encode("né").ids.tolist()
    [110, 195, 169]
    >>> tokens.decode([110, 195, 169]), tokens.decode([110, 195])
    ('né', 'n�')
    """

    kind: ClassVar[str] = "bytes"

    @classmethod
    def train(cls, texts: Iterable[str]) -> "ByteTokenizer":
        """The tokenizer; it is the same for all texts."""
        return cls()

    @property
    def size(self) -> int:
        """The number of ids."""
        return 256

    def encode(self, text: str) -> Encoding:
        """The text as tokens."""
        ids = np.frombuffer(utf8(text), np.uint8).astype(np.uint16)
        return Encoding(ids, np.ones(len(ids), np.uint32))

    def decode(self, ids: Sequence[int] | Integer[np.ndarray, " tokens"]) -> str:
        """The text of the tokens; bytes that are not UTF-8, such as a part of a character, become �."""
        return checked_ids(ids, self.size).astype(np.uint8).tobytes().decode("utf-8", errors="replace")

    def cut(self, text: str) -> int:
        """The last place where cutting the text does not change its tokens: its end."""
        return len(text)

    def to_json(self) -> dict[str, Any]:
        """The tokenizer as JSON."""
        return {"kind": self.kind}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "ByteTokenizer":
        """The tokenizer from its `to_json`."""
        return cls()
