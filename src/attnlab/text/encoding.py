"""What a tokenizer makes of a text, and the words for what it cannot take."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Integer, UInt

from attnlab.errors import ArgumentError


@dataclass(frozen=True)
class Encoding:
    """A text as tokens: the id of each, and how many bytes of the raw text (in UTF-8) it covers.

    `raw_bytes` adds up to the size of the raw text, whatever was normalised away: this is what bits per byte, which
    compare across tokenizers, are divided by.
    """

    ids: UInt[np.ndarray, " tokens"]
    raw_bytes: UInt[np.ndarray, " tokens"]

    def __len__(self) -> int:
        """How many tokens there are."""
        return len(self.ids)


def id_dtype(size: int) -> np.dtype:
    """The type that holds the ids of a vocabulary of `size`: uint16, or uint32 for more than 65536 tokens.

    >>> id_dtype(65536), id_dtype(65537)
    (dtype('uint16'), dtype('uint32'))
    """
    return np.dtype(np.uint16 if size <= 1 << 16 else np.uint32)


def empty_encoding(size: int) -> Encoding:
    """No tokens, of a vocabulary of `size`: the encoding of the empty text."""
    return Encoding(np.empty(0, id_dtype(size)), np.empty(0, np.uint32))


def utf8(text: str) -> bytes:
    """The raw bytes of a text; half a surrogate pair, which UTF-8 cannot hold, is refused.

    >>> utf8("é")
    b'\\xc3\\xa9'
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _surrogate(text, error.start) from None


def code_points(text: str) -> UInt[np.ndarray, " characters"]:
    """The number that Unicode gives each character of a text.

    >>> code_points("aé").tolist()
    [97, 233]
    """
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    try:
        return np.frombuffer(text.encode("utf-32-le"), "<u4")
    except UnicodeEncodeError as error:
        raise _surrogate(text, error.start) from None


def byte_lengths(points: UInt[np.ndarray, " characters"]) -> UInt[np.ndarray, " characters"]:
    """How many bytes UTF-8 takes for each of some characters.

    >>> byte_lengths(code_points("aé€😀")).tolist()
    [1, 2, 3, 4]
    """
    lengths = np.ones(len(points), np.uint32)
    if points.dtype != np.uint8:  # else all are ASCII
        for first in (0x80, 0x800, 0x10000):  # the code points from which UTF-8 takes one more byte
            lengths += points >= first
    return lengths


def _surrogate(text: str, place: int) -> ArgumentError:
    lone = f"U+{ord(text[place]):04X} at character {place}, counted from 0"
    return ArgumentError("text", f"expected text that UTF-8 can hold, got half a surrogate pair, {lone}")


def checked_ids(ids: Sequence[int] | Integer[np.ndarray, " tokens"], size: int) -> Integer[np.ndarray, " tokens"]:
    """The ids as an array; an id outside of the vocabulary is refused."""
    array = np.asarray(ids)
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ArgumentError("ids", f"expected whole numbers in a row, got {array.dtype} of shape {array.shape}")
    for wrong in array[(array < 0) | (array >= size)][:1].tolist():
        raise ArgumentError("ids", f"expected numbers from 0 to {size - 1}, got {wrong}")
    return array
