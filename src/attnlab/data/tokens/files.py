"""Token files: a text of any size as tokens on disk, memory-mapped.

Three files belong together: NAME.bin holds the ids, NAME.bytes.bin the number of raw bytes of each token, and NAME.json
describes both. The JSON file is written last and deleted first, so that it only ever describes complete files.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from jaxtyping import UInt

from attnlab.data.tokens.columns import writing_columns
from attnlab.errors import ArgumentError, FileError
from attnlab.files import write_whole
from attnlab.settings import Count, Range, read, read_file, settings, write
from attnlab.text.encoding import Encoding, id_dtype
from attnlab.text.tokenizers import Tokenizer, tokenizer_hash


@settings
class Description:
    """The JSON file that describes a token file."""

    tokenizer: str
    """The tokenizer's hash."""
    kind: str
    """The tokenizer's kind."""
    size: Count
    """The tokenizer's vocabulary size."""
    tokens: Count
    dtype: Literal["uint16", "uint32"]
    """The type of the ids."""
    raw_dtype: Literal["uint8", "uint16", "uint32"]
    """The type of the numbers of raw bytes."""
    raw_total: Annotated[int, Range(0)]
    """The size of the raw text in bytes."""
    format: Literal["attnlab tokens"] = "attnlab tokens"
    version: Literal[1] = 1


@dataclass(frozen=True)
class TokenFile:
    """A text as tokens, memory-mapped: the ids, and the number of raw bytes of each."""

    ids: UInt[np.ndarray, " tokens"]
    raw_bytes: UInt[np.ndarray, " tokens"]
    size: int
    """The tokenizer's vocabulary size."""
    raw_total: int
    """The size of the raw text in bytes."""
    tokenizer: str
    """The tokenizer's hash."""

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.ids)


def write_tokens(
    tokenizer: Tokenizer, pieces: Iterable[str], path: Path | str, progress: Callable[[int], None] | None = None
) -> TokenFile:
    """Encodes a text that comes in pieces into a token file, in bounded memory, and opens it.

    The tokens equal those of the whole text, wherever the pieces were cut. Memory is bounded by the pieces, but
    tokenizers of words and byte pairs hold a text without spaces whole. `progress` is called with the raw bytes done so
    far. If anything goes wrong, no incomplete token file is left.

    >>> from attnlab.text import train_tokenizer
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tokens = write_tokens(train_tokenizer("bytes", ""), ["to be ", "or not"], f"{folder}/small.bin")
    >>> len(tokens), int(tokens.raw_bytes.sum()), tokens.raw_total
    (12, 12, 12)
    """
    path = _checked(path)
    count = total = 0
    with writing_columns(path, (path, id_dtype(tokenizer.size)), (_raw_path(path), np.dtype(np.uint8))) as columns:
        for encoding in encode_pieces(tokenizer, pieces):
            columns[0].add(encoding.ids)
            columns[1].add(encoding.raw_bytes)
            count += len(encoding)
            total += int(encoding.raw_bytes.sum(dtype=np.int64))
            if progress:
                progress(total)
        if not count:
            raise ArgumentError("text", "expected at least one token, got an empty text")
        _sidecar(path).unlink(missing_ok=True)
    value = {
        "tokenizer": tokenizer_hash(tokenizer),
        "kind": tokenizer.kind,
        "size": tokenizer.size,
        "tokens": count,
        "dtype": columns[0].dtype.name,
        "raw_dtype": columns[1].dtype.name,
        "raw_total": total,
    }
    write_whole(_sidecar(path), (json.dumps(write(read(Description, value)), indent=1) + "\n").encode())
    return open_tokens(path)


def encode_pieces(tokenizer: Tokenizer, pieces: Iterable[str]) -> Iterator[Encoding]:
    """Yields the encodings of the pieces; together they are the encoding of the whole text."""
    return map(tokenizer.encode, cut_again(tokenizer, pieces))


def cut_again(tokenizer: Tokenizer, pieces: Iterable[str]) -> Iterator[str]:
    """Yields the text of the pieces, cut where the tokenizer allows a cut; the remainder goes with the last piece.

    So a single piece stays whole.
    """
    rest = ""
    for piece in pieces:
        place = tokenizer.cut(rest)
        if place:
            yield rest[:place]
            rest = rest[place:]
        rest += piece
    if rest:
        yield rest


def open_tokens(path: Path | str, tokenizer: Tokenizer | None = None) -> TokenFile:
    """Opens a token file, memory-mapped; if a tokenizer is given, the tokens must be its own."""
    path = _checked(path)
    if not _sidecar(path).exists():
        raise FileError(path, f"not a token file: expected {_sidecar(path).name} beside it")
    found = read_file(Description, _sidecar(path), "the description of a token file")
    if tokenizer is not None and tokenizer_hash(tokenizer) != found.tokenizer:
        raise FileError(path, f"its tokens come from another tokenizer ({found.kind}, {found.size} ids); remake it")
    ids, raw = (
        _mapped(each, np.dtype(dtype), found.tokens)
        for each, dtype in ((path, found.dtype), (_raw_path(path), found.raw_dtype))
    )
    return TokenFile(ids, raw, found.size, found.raw_total, found.tokenizer)


def _mapped(path: Path, dtype: np.dtype, count: int) -> np.ndarray:
    try:
        found = os.stat(path).st_size
        if found != count * dtype.itemsize:
            raise FileError(path, f"expected {count * dtype.itemsize} bytes, got {found}: cut short, or another file")
        return np.memmap(path, dtype, mode="r", shape=(count,))
    except OSError as error:
        raise FileError.unreadable(path, error) from error


def _checked(path: Path | str) -> Path:
    if Path(path).suffix != ".bin":
        raise FileError(path, "expected a file name that ends in .bin")
    return Path(path)


def _sidecar(path: Path) -> Path:
    return path.with_suffix(".json")


def _raw_path(path: Path) -> Path:
    return path.with_suffix(".bytes.bin")
