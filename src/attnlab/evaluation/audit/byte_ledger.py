"""Every byte of a raw file counted once: what its tokens cover, held against the file itself.

Bits per byte are only as good as their bytes. The total alone may be right by accident, so the running sum is compared
too, wherever it is known: at the places where the tokenizer lets a text be cut, and, if the text comes back from its
tokens, at the ends of tokens.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from jaxtyping import UInt

from attnlab.data.tokens.files import cut_again
from attnlab.evaluation.audit.byte_positions import first_misplaced
from attnlab.evaluation.audit.lost_information import NOTHING_LOST, LostInformation, what_is_lost
from attnlab.text import Encoding, Tokenizer
from attnlab.text.encoding import utf8

MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""The byte-order mark that some files begin with."""


@dataclass(frozen=True)
class ByteLedger:
    """A raw file and its tokens, counted.

    >>> from attnlab.text import train_tokenizer
    >>> found = byte_ledger(train_tokenizer("bytes", ""), "né\\r\\n")
    >>> found.file_bytes, found.covered, found.split_tokens, found.crlf, found.balanced
    (5, 5, 1, 1, True)
    """

    file_bytes: int
    """Of the raw file."""
    covered: int
    """Bytes that tokens cover."""
    first_bytes: int
    """Of them, what the first token covers."""
    tokens: int
    empty_tokens: int
    """Tokens that cover no byte, as special ones do."""
    split_tokens: int
    """Tokens that end inside a character."""
    mark_bytes: int
    """Of the byte-order mark."""
    invalid_bytes: int
    """Bytes that are no UTF-8."""
    crlf: int
    """Line ends that are two bytes, CR and LF."""
    characters: int
    words: int
    """Runs of anything but whitespace."""
    exact: bool
    """Whether the text comes back from its tokens as it was."""
    lost: LostInformation
    places: int
    """Where the running sum of bytes was compared."""
    faults: tuple[str, ...]
    """What does not add up, in words."""

    @property
    def balanced(self) -> bool:
        """Whether every byte is counted once, as far as that can be checked."""
        return not self.faults

    def __add__(self, other: "ByteLedger") -> "ByteLedger":
        """The ledger of this text and of one that follows it, where the tokenizer allows a cut between them."""
        begins = ("first_bytes", "mark_bytes")  # of which a text has one
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
    """The ledger of a text; `raw` is the file it was read from, by default just what the text is in UTF-8.

    `unknown` is the token for all that the tokenizer does not know.
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
    tokenizer: Tokenizer, pieces: Iterable[str], unknown: int | None = None, *, size: int | None = None
) -> ByteLedger | None:
    """The ledger of a text that comes in pieces, in bounded memory; none of one without any token.

    `size` is how many bytes the file has; that the pieces have others is a fault.
    """
    cut = (piece for piece in cut_again(tokenizer, pieces) if piece)
    first = next(cut, None)
    if first is None:
        return None
    rest = (byte_ledger(tokenizer, piece, unknown=unknown) for piece in cut)
    found = reduce(add, rest, byte_ledger(tokenizer, first, unknown=unknown))
    if size is None or found.file_bytes == size:
        return found
    wrong = f"the pieces that were read have {found.file_bytes:,} bytes, and the file {size:,}"
    return replace(found, file_bytes=size, faults=(*found.faults, wrong))


def _split(read: bytes, raw_bytes: UInt[np.ndarray, " tokens"]) -> int:
    """How many tokens end inside a character: the byte behind them continues one."""
    ends = raw_bytes.cumsum(dtype=np.int64)
    behind = np.frombuffer(read, np.uint8)[ends[(raw_bytes > 0) & (ends < len(read))]]
    return int((behind & 0xC0 == 0x80).sum())


def _unread(raw: bytes, read: bytes, counts: dict[str, int]) -> list[str]:
    """The words for a text that is not what the file holds."""
    if raw == read:
        return []
    if counts["invalid_bytes"]:
        return [f"{counts['invalid_bytes']:,} bytes of the file are no UTF-8, and no text can hold them"]
    return [f"the text is not what the file holds: {len(read):,} bytes of {len(raw):,}"]


def _miscounted(counts: dict[str, int]) -> list[str]:
    """The words for a total that is not that of the file, and what it may come from."""
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
