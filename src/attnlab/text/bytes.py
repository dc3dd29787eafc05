"""Bytes as tokens: 256 of them, nothing is unknown, nothing is lost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Integer

from attnlab.text.encoding import Encoding, checked_ids, utf8


@dataclass(frozen=True)
class ByteTokenizer:
    """Each byte of the UTF-8 text is a token, and its value the id.

    >>> tokens = ByteTokenizer()
    >>> tokens.encode("né").ids.tolist()
    [110, 195, 169]
    >>> tokens.decode([110, 195, 169]), tokens.decode([110, 195])
    ('né', 'n�')
    """

    kind: ClassVar[str] = "bytes"

    @classmethod
    def train(cls, texts: Iterable[str]) -> "ByteTokenizer":
        """The tokenizer, which is the same for all texts: they are not looked at."""
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
        """The text of the tokens; bytes that are no UTF-8, such as a part of a character, become �."""
        return checked_ids(ids, self.size).astype(np.uint8).tobytes().decode("utf-8", errors="replace")

    def cut(self, text: str) -> int:
        """The last place where the text can be cut so that its parts encode as the whole does: anywhere."""
        return len(text)

    def to_json(self) -> dict[str, Any]:
        """The tokenizer as JSON."""
        return {"kind": self.kind}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "ByteTokenizer":
        """The tokenizer that `to_json` saved."""
        return cls()
