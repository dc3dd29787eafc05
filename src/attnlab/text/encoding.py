"""Encodings: the output of a tokenizer, checks of its input, and where to cut it."""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Integer, UInt

from attnlab.errors import ArgumentError

SAFE = re.compile(r"(?<=\S)[ \n]")
"""Where a text can be cut without cutting a word."""


@dataclass(frozen=True)
class Encoding:
    """A text as tokens: the id of each token, and how many bytes of the raw text (in UTF-8) it covers.

    `raw_bytes` adds up to the size of the raw text, whatever was normalised. Bits per byte, which are comparable across
    tokenizers, are divided by it.
    """

    ids: UInt[np.ndarray, " tokens"]
    raw_bytes: UInt[np.ndarray, " tokens"]

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.ids)


def id_dtype(size: int) -> np.dtype:
    """The dtype for the ids of a vocabulary of `size`: uint16, or uint32 for more than 65,536 tokens.

    >>> id_dtype(65536), id_dtype(65537)
    (dtype('uint16'), dtype('uint32'))
    """
    return np.dtype(np.uint16 if size <= 1 << 16 else np.uint32)


def empty_encoding(size: int) -> Encoding:
    """The encoding of the empty text, for a vocabulary of `size`."""
    return Encoding(np.empty(0, id_dtype(size)), np.empty(0, np.uint32))


def utf8(text: str) -> bytes:
    """The raw bytes of a text; raises on half a surrogate pair, which UTF-8 cannot encode.

    >>> utf8("é")
    b'\\xc3\\xa9'
    """
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _surrogate(text, error.start) from None


def code_points(text: str) -> UInt[np.ndarray, " characters"]:
    """The Unicode code point of each character of a text.

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
    """The number of UTF-8 bytes of each character.

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
    return ArgumentError("text", f"expected text that UTF-8 can encode; got half a surrogate pair, {lone}")


def checked_ids(ids: Sequence[int] | Integer[np.ndarray, " tokens"], size: int) -> Integer[np.ndarray, " tokens"]:
    """The ids as an array; raises on an id that is not in the vocabulary."""
    array = np.asarray(ids)
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ArgumentError("ids", f"expected whole numbers in a row, got {array.dtype} of shape {array.shape}")
    for wrong in array[(array < 0) | (array >= size)][:1].tolist():
        raise ArgumentError("ids", f"expected numbers from 0 to {size - 1}, got {wrong}")
    return array


def before_last_space(text: str) -> int:
    """The last place before a space or an end of line that follows a visible character; 0 if there is no such place.

    >>> before_last_space("one two  three")
    7
    """
    for width in (1 << 10, len(text)):  # usually found near the end
        last = deque(SAFE.finditer(text, max(len(text) - width, 0)), maxlen=1)
        if last:
            return last[0].start()
    return 0
