"""The byte ledger: does every byte of a raw file count once?

Bits per byte are only as good as their bytes. A total can be right by accident. So the running sum is compared
too, wherever it is known: where the tokenizer allows a cut, and, if decoding gives the text back, at token ends.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from jaxtyping import UInt

from attnlab.data.tokens.files import cut_again
from attnlab.evaluation.audit.lost_information import NOTHING_LOST, LostInformation, what_is_lost
from attnlab.evaluation.audit.positions import first_misplaced
from attnlab.text import Encoding, Tokenizer
from attnlab.text.encoding import utf8

MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""The byte-order mark that some files begin with."""


@dataclass(frozen=True)
class ByteLedger:
    """The counts of a raw file and of its tokens.

    >>> from attnlab.text import train_tokenizer
    >>> found = byte_ledger(train_tokenizer("bytes", ""), "né\\r\\n")
    >>> found.file_bytes, found.covered, found.split_tokens, found.crlf, found.balanced
    (5, 5, 1, 1, True)
    """

    file_bytes: int
    """Bytes of the raw file."""
    covered: int
    """Bytes that the tokens cover."""
    first_bytes: int
    """Bytes that the first token covers."""
    tokens: int
    empty_tokens: int
    """Tokens that cover no byte, such as special tokens."""
    split_tokens: int
    """Tokens that end inside a character."""
    mark_bytes: int
    """Bytes of the byte-order mark."""
    invalid_bytes: int
    """Bytes that are not UTF-8."""
    crlf: int
    """Line ends of two bytes, CR and LF."""
    characters: int
    words: int
    """Runs of characters that are not whitespace."""
    exact: bool
    """Whether decoding the tokens gives the text back."""
    lost: LostInformation
    places: int
    """The number of places where the running sum of bytes was compared."""
    faults: tuple[str, ...]
    """What does not add up, one sentence each."""

    @property
    def balanced(self) -> bool:
        """Whether every byte is counted once, as far as that can be checked."""
        return not self.faults

    def __add__(self, other: "ByteLedger") -> "ByteLedger":
        """The ledger of this text and the next one; the tokenizer must allow a cut between them."""
        begins = ("first_bytes", "mark_bytes")  # a text has only one of each
        names = [name for name in vars(self) if name not in (*begins, "exact", "lost")]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return replace(self, **sums, exact=self.exact and other.exact, lost=self.lost + other.lost)

    def to_dict(self) -> dict[str, Any]:
        """The ledger as JSON."""
        return {**asdict(self), "faults": [*self.faults]}


def byte_ledger(
    tokenizer: Tokenizer,
    text: str,
    encoding: Encoding | None = None,
    *,
    raw: bytes | None = None,
    unknown: int | None = None,
) -> ByteLedger:
    """Returns the ledger of a text; `raw` is the file that it was read from (default: the text in UTF-8).

    `unknown` is the tokenizer's token for unknown words or characters.
    """
    encoding = tokenizer.encode(text) if encoding is None else encoding
    read = utf8(text)
    raw = read if raw is None else raw
    ends = encoding.raw_bytes.cumsum(dtype=np.int64)
    covered = int(ends[-1]) if len(ends) else 0
    exact = tokenizer.decode(encoding.ids) == text
    places, wrong = first_misplaced(tokenizer, text, encoding.ids, ends, exact=exact)
    counts = {
        "file_bytes": len(raw),
        "covered": covered,
        "mark_bytes": len(MARK.encode()) if raw.startswith(MARK.encode()) else 0,
        "invalid_bytes": len(raw) - len(raw.decode("utf-8", errors="ignore").encode()) if raw != read else 0,
        "crlf": raw.count(b"\r\n"),
        "characters": len(text),
    }
    return ByteLedger(
        **counts,
        first_bytes=int(encoding.raw_bytes[0]) if len(encoding) else 0,
        tokens=len(encoding),
        empty_tokens=int((encoding.raw_bytes == 0).sum()),
        split_tokens=_split(read, encoding.raw_bytes),
        words=len(text.split()),
        exact=exact,
        lost=NOTHING_LOST if exact else what_is_lost(tokenizer, text, encoding, unknown),
        places=places,
        faults=(*_unread(raw, read, counts), *_miscounted(counts), *([wrong] if wrong else [])),
    )


def ledger_of_pieces(
    tokenizer: Tokenizer,
    pieces: Iterable[str],
    unknown: int | None = None,
    *,
    size: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> ByteLedger | None:
    """The ledger of a text that comes in pieces, in bounded memory; None if there are no tokens.

    `size` is the file's size in bytes; if the pieces have another size, that is a fault. `progress` is called with the
    bytes of each piece that was counted.
    """

    def counted(piece: str) -> ByteLedger:
        found = byte_ledger(tokenizer, piece, unknown=unknown)
        progress(found.file_bytes)
        return found

    cut = (piece for piece in cut_again(tokenizer, pieces) if piece)
    first = next(cut, None)
    if first is None:
        return None
    found = reduce(add, map(counted, cut), counted(first))
    if size is None or found.file_bytes == size:
        return found
    wrong = f"the pieces that were read have {found.file_bytes:,} bytes, but the file has {size:,}"
    return replace(found, file_bytes=size, faults=(*found.faults, wrong))


def _split(read: bytes, raw_bytes: UInt[np.ndarray, " tokens"]) -> int:
    """How many tokens end inside a character: a UTF-8 continuation byte follows them."""
    ends = raw_bytes.cumsum(dtype=np.int64)
    behind = np.frombuffer(read, np.uint8)[ends[(raw_bytes > 0) & (ends < len(read))]]
    return int((behind & 0xC0 == 0x80).sum())


def _unread(raw: bytes, read: bytes, counts: dict[str, int]) -> list[str]:
    """The fault if the text differs from the file."""
    if raw == read:
        return []
    if counts["invalid_bytes"]:
        return [f"{counts['invalid_bytes']:,} bytes of the file are not UTF-8, so no text can contain them"]
    return [f"the text ({len(read):,} bytes) is not the content of the file ({len(raw):,} bytes)"]


def _miscounted(counts: dict[str, int]) -> list[str]:
    """The fault if the tokens do not cover as many bytes as the file has, with its likely cause."""
    covered, held = counts["covered"], counts["file_bytes"]
    if covered == held:
        return []
    if covered > held:
        return [f"the tokens cover {covered:,} bytes, {covered - held:,} more than the file's {held:,}"]
    likely = {
        "mark_bytes": ", as many as its byte-order mark has",
        "crlf": ", as many as it has line ends of two bytes",
    }
    why = next((words for name, words in likely.items() if counts[name] == held - covered), "")
    if covered == counts["characters"]:
        why = ", since characters were counted, not bytes"
    return [f"the tokens cover {covered:,} of the file's {held:,} bytes: {held - covered:,} are not counted{why}"]
