"""Slices of text: a part of some files or bytes, read piece by piece."""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from attnlab.errors import FileError
from attnlab.files import check_is_text, open_file
from attnlab.text.encoding import before_last_space

BLOCK = 1 << 22  # bytes per read
LONGEST = 1 << 22  # a piece without spaces may be cut anywhere after this many characters

Source = Path | bytes


@dataclass(frozen=True)
class TextSlice:
    """Bytes `start` to `stop` of some sources, which are joined with line ends.

    >>> whole = TextSlice.of([b"one two", b"three"])
    >>> whole.size, whole.read(), TextSlice(whole.sources, 4, 10).read()
    (13, 'one two\\nthree', 'two\\nth')
    """

    sources: tuple[tuple[Source, int], ...]
    """Each source with its size in bytes."""
    start: int
    stop: int

    @classmethod
    def of(cls, sources: Iterable[Source]) -> "TextSlice":
        """All of the sources. Files are read once to check that they are UTF-8; bytes are not checked."""
        sized = tuple((source, len(source) if isinstance(source, bytes) else check_text(source)) for source in sources)
        return cls(sized, 0, sum(size for _, size in sized) + max(len(sized) - 1, 0))

    @property
    def size(self) -> int:
        """The size of the text in bytes."""
        return self.stop - self.start

    def read(self) -> str:
        """The whole text."""
        return "".join(self.pieces())

    def pieces(self) -> Iterator[str]:
        """Yields the text in pieces of some megabytes, cut before a space or a line end if there is one.

        The last block is not cut, so a short text is one piece.
        """
        decode = codecs.getincrementaldecoder("utf-8")().decode
        rest = ""
        for block in self.blocks():
            place = before_last_space(rest) or (len(rest) if len(rest) > LONGEST else 0)
            if place:
                yield rest[:place]
                rest = rest[place:]
            rest += decode(block)
        if rest:
            yield rest

    def blocks(self) -> Iterator[bytes]:
        """Yields the raw bytes of the text, block by block."""
        begins = 0
        for place, (source, size) in enumerate(self.sources):
            first, last = max(self.start - begins, 0), min(self.stop - begins, size)
            if first < last:
                yield from _blocks_of(source, first, last)
            ends = begins + size
            if place + 1 < len(self.sources) and self.start <= ends < self.stop:
                yield b"\n"
            begins = ends + 1

    def split(self, *parts: float) -> list["TextSlice"]:
        """Cuts the slice at these fractions: at the next line if one is near, and never inside a character."""
        places = [self.start, *(self._near(self.start + int(part * self.size)) for part in parts), self.stop]
        return [TextSlice(self.sources, first, last) for first, last in pairwise(places)]

    def _near(self, place: int) -> int:
        """The next beginning of a line within 1 % of the text, or else the next character."""
        ahead = min(place + max(min(self.size // 100, 1 << 16), 4), self.stop)
        window = b"".join(TextSlice(self.sources, place, ahead).blocks())
        line = window.find(b"\n") + 1
        if line:
            return place + line
        continued = len(window) - len(window.lstrip(bytes(range(0x80, 0xC0))))
        return place + continued


def _blocks_of(source: Source, first: int, last: int) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield from (source[place : min(place + BLOCK, last)] for place in range(first, last, BLOCK))
        return
    try:
        with open_file(source) as file:
            file.seek(first)
            while first < last:
                block = file.read(min(BLOCK, last - first))
                if not block:
                    raise FileError(source, "the file became shorter while it was read; read it again")
                first += len(block)
                yield block
    except OSError as error:
        raise FileError.unreadable(source, error) from error


def check_text(path: Path) -> int:
    """The size in bytes of a UTF-8 text file; raises on any other file."""
    try:
        with open_file(path) as file:
            return check_blocks(iter(lambda: file.read(BLOCK), b""), path)
    except OSError as error:
        raise FileError.unreadable(path, error) from error


def check_blocks(blocks: Iterable[bytes], path: Path) -> int:
    """The size in bytes of a UTF-8 text in blocks; raises an error about `path` if it is something else."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    size, lines = 0, 1
    for block in blocks:
        if not size:
            check_is_text(path, block)
        if b"\0" in block:
            line = lines + block[: block.index(b"\0")].count(b"\n")
            raise FileError(path, "expected text, got a zero byte: this looks like a binary file", line)
        _decode(decoder, block, path, lines)
        size += len(block)
        lines += block.count(b"\n")
    _decode(decoder, b"", path, lines, final=True)
    return size


def _decode(decoder: codecs.IncrementalDecoder, block: bytes, path: Path, lines: int, final: bool = False) -> None:
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError as error:
        # The bytes begin with the incomplete character, if any, that the last block ended with.
        line = lines + error.object[: error.start].count(b"\n")
        found = f"the byte 0x{error.object[error.start]:02x}"
        raise FileError(path, f"expected text in UTF-8, got {found}", line) from None
