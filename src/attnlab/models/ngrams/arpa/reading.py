"""Reading ARPA files: every line is checked, and an error names the line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
from jaxtyping import Bool, Float, Int

from attnlab.errors import FileError
from attnlab.files import open_file
from attnlab.models.ngrams.arpa import BEGIN, BLOCK, END, MISSING, NEVER, UNKNOWN, Arpa
from attnlab.models.ngrams.backoff import Backoff
from attnlab.models.ngrams.levels import Level
from attnlab.models.ngrams.tables import Finder

LONGEST_LINE = 1 << 20
LONGEST_NGRAM = 64
MOST_SHOWN = 60
MOST_WEIGHT = 300
"""log₁₀ of a back-off weight is smaller: 10³⁰⁸ is the largest float."""
SPACE = np.isin(np.arange(256), [*b" \t\n\v\f\r"])


def read_arpa(path: Path) -> Arpa:
    """The model in an ARPA file. Raises a FileError that names the line if it is not as expected."""
    try:
        with open_file(path) as file:
            return _Reader(path, file, path.stat().st_size).read()
    except OSError as error:
        raise FileError.unreadable(path, error) from error


@dataclass(frozen=True)
class _Entries:
    """Some n-grams of one length, line by line: the fields of all lines, and the place of the first of each line."""

    line: int
    fields: np.ndarray
    firsts: Int[np.ndarray, " lines"]
    weighted: Bool[np.ndarray, " lines"]
    """Which lines have a back-off weight."""

    def column(self, place: int) -> list[bytes]:
        return self.fields[self.firsts + place].tolist()


class _Reader:
    """Reads a file line by line, and knows the number of the line."""

    def __init__(self, path: Path, file: BinaryIO, size: int):
        self.path, self.size, self.number = path, size, 0
        self.lines = iter(partial(file.readline, LONGEST_LINE), b"")
        self.weights = np.ones(1)  # the back-off weights of the level that was read last

    def read(self) -> Arpa:
        self.heading("\\data\\", ", the first line of an ARPA file")
        counts, after = self.counts()
        words, boundary, level = self.unigrams(counts[0], after)
        levels, ids = [level], _Ids({word.encode(): id for id, word in enumerate((UNKNOWN, *words))})
        ids[b"<UNK>"] = 0
        if boundary is not None:
            ids[BEGIN.encode()] = boundary
        for n, count in enumerate(counts[1:], start=2):
            self.heading(f"\\{n}-grams:")
            levels.append(self.longer(n, count, ids, levels, last=n == len(counts)))
        self.heading("\\end\\")
        return Arpa(words, Backoff(len(words) + 1, tuple(levels), boundary))

    def counts(self) -> tuple[list[int], str]:
        """How many n-grams of each length the file announces, and the line after that."""
        counts: list[int] = []
        while True:
            expected = f"ngram {len(counts) + 1}=COUNT" + (" or \\1-grams:" if counts else "")
            found = self.line(expected)
            if counts and not found.startswith("ngram"):
                return counts, found
            length, _, count = (each.strip() for each in found.removeprefix("ngram").partition("="))
            if length != str(len(counts) + 1) or not (count.isascii() and count.isdigit()):
                raise self.fail(f"expected {expected}, got {_short(found)}")
            if len(count) > 18 or int(count) > self.size:
                raise self.fail(f"expected fewer n-grams than the file has bytes, {self.size:,}; got {_short(count)}")
            if len(counts) == LONGEST_NGRAM:
                raise self.fail(f"expected n-grams of at most {LONGEST_NGRAM} words")
            counts.append(int(count))

    def unigrams(self, count: int, heading: str) -> tuple[tuple[str, ...], int | None, Level]:
        """The words, the boundary, and the level of 1-grams."""
        if heading != "\\1-grams:":
            raise self.fail(f"expected \\1-grams:, got {_short(heading)}")
        found: dict[bytes, tuple[float, float]] = {}
        for each in self.entries(1, count):
            numbers = zip(*(array.tolist() for array in self.numbers(1, each)), strict=True)
            for line, (word, own) in enumerate(zip(each.column(1), numbers, strict=True), start=each.line):
                name = UNKNOWN.encode() if word == b"<UNK>" else word
                if name in found:
                    raise self.fail(f"expected each word once, got {_short(word)} again", line)
                if not _is_text(word):
                    raise self.fail(f"expected a word in UTF-8, got {_short(word)}", line)
                found[name] = own
        unknown = found.pop(UNKNOWN.encode(), (MISSING, 1.0))
        begin, end = (found.pop(name.encode(), None) for name in (BEGIN, END))
        if (begin is None) != (end is None):
            missing = BEGIN if begin is None else END
            raise FileError(
                self.path, f"expected both <s> and </s> among the 1-grams, or neither; {missing} is missing"
            )
        boundary = None
        if begin and end and end[0] > 10**NEVER:  # else sentences never end: a model without sentences
            boundary = len(found) + 1
            found[END.encode()] = end[0], begin[1]
        if not found:
            raise FileError(self.path, "expected at least one word among the 1-grams")
        chances, self.weights = np.array([unknown, *found.values()]).T
        level = Level(np.arange(len(found) + 1), np.ascontiguousarray(chances), np.ones(1))
        return tuple(word.decode() for word in found), boundary, level

    def longer(self, n: int, count: int, ids: "_Ids", levels: Sequence[Level], *, last: bool) -> Level:
        """The level of n-grams of n ≥ 2 words."""
        start, size, some = self.number + 1, levels[0].keys.size, []
        finders = [Finder(level.keys, asked=count) for level in levels]
        for each in self.entries(n, count):
            context = np.zeros(each.firsts.size, np.int64)
            for place in range(1, n + 1):
                words = each.column(place)
                token = np.fromiter(map(ids.__getitem__, words), np.int64, len(words))
                self.check(token >= 0, each, "expected a word of the 1-grams, got {}", place)
                key = context * size + token
                context = finders[place - 1].find(key) if place < n else key
                expected = f"expected {{}} among the {place}-grams: it begins this n-gram"
                self.check(context >= 0, each, expected, *range(1, place + 1))
            some.append((context, *self.numbers(n, each)))
        keys, chances, weights = (np.concatenate(each) for each in zip(*some, strict=True)) if some else _nothing()
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        again = np.flatnonzero(keys[1:] == keys[:-1]) + 1
        if again.size:
            raise self.fail("expected each n-gram once, got this one again", start + int(order[again].min()))
        if last and (weights != 1).any():
            said = f"expected no back-off weight in the longest n-grams, of {n} words"
            raise self.fail(said, start + int(np.flatnonzero(weights != 1)[0]))
        before, self.weights = self.weights, weights[order]
        return Level(keys, chances[order], before)

    def entries(self, n: int, count: int) -> Iterator[_Entries]:
        """The n-grams of one length, in blocks."""
        for done in range(0, count, BLOCK):
            wanted = min(BLOCK, count - done)
            lines = [*islice(self.lines, wanted)]
            block = b"".join(lines)
            space = SPACE[np.frombuffer(block, np.uint8)]
            begins = ~space & np.append(True, space[:-1])
            starts = np.cumsum([0, *map(len, lines)])[:-1]
            fields = np.add.reduceat(begins, starts, dtype=np.int64) if lines else np.empty(0, np.int64)
            wrong = np.flatnonzero((fields < n + 1) | (fields > n + 2))
            if wrong.size:
                said = f"expected a number, {n} word{'s' * (n > 1)} and perhaps a back-off weight"
                raise self.fail(f"{said}, got {_short(lines[wrong[0]].strip())}", self.number + 1 + int(wrong[0]))
            if len(lines) < wanted:
                got = f"got the end of the file after {done + len(lines):,} of them"
                raise FileError(self.path, f"expected {count:,} {n}-grams, {got}")
            cells = np.array(block.split(), dtype=object)
            yield _Entries(self.number + 1, cells, np.cumsum(fields) - fields, fields == n + 2)
            self.number += len(lines)

    def numbers(self, n: int, each: _Entries) -> tuple[Float[np.ndarray, " lines"], Float[np.ndarray, " lines"]]:
        """The probability and the back-off weight of each n-gram."""
        logs, weights = self.floats(each, each.firsts), np.zeros(each.firsts.size)
        weights[each.weighted] = self.floats(each, each.firsts[each.weighted] + n + 1)
        if n == 1:  # nobody asks for the probability of <s>: KenLM writes 0, SRILM −99
            logs[[word == b"<s>" for word in each.column(1)]] = NEVER
        self.check(logs <= 0, each, "expected log₁₀ of a probability, at most 0, got {}", 0)
        self.check(np.abs(weights) < MOST_WEIGHT, each, "expected log₁₀ of a back-off weight, got {}", n + 1)
        return 10.0**logs, 10.0**weights

    def floats(self, each: _Entries, places: Int[np.ndarray, " some"]) -> Float[np.ndarray, " some"]:
        texts = each.fields[places].tolist()
        try:
            return np.fromiter(map(float, texts), float, len(texts))
        except ValueError:
            wrong = next(place for place, text in enumerate(texts) if not _is_number(text))
            line = int(np.searchsorted(each.firsts, places[wrong], "right")) - 1
            raise self.fail(f"expected a number, got {_short(texts[wrong])}", each.line + line) from None

    def check(self, right: Bool[np.ndarray, " lines"], each: _Entries, said: str, *places: int) -> None:
        """Raise at the first line that is not right; the message shows these places of it."""
        if not right.all():
            wrong = int(np.flatnonzero(~right)[0])
            shown = b" ".join(each.fields[each.firsts[wrong] + np.array(places)].tolist())
            raise self.fail(said.format(_short(shown)), each.line + wrong)

    def heading(self, expected: str, more: str = "") -> None:
        found = self.line(expected)
        if found != expected:
            raise self.fail(f"expected {expected}{more}, got {_short(found)}")

    def line(self, expected: str) -> str:
        """The next line that is not blank."""
        for raw in self.lines:
            self.number += 1
            if raw.strip():
                return raw.strip().decode("utf-8", "backslashreplace")
        raise FileError(self.path, f"expected {expected}, got the end of the file")

    def fail(self, said: str, line: int | None = None) -> FileError:
        return FileError(self.path, said, line=self.number if line is None else line)


class _Ids(dict[bytes, int]):
    """The ids of words; −1 for a word that is not among the 1-grams."""

    def __missing__(self, word: bytes) -> int:
        return -1


def _nothing() -> tuple[np.ndarray, ...]:
    return np.empty(0, np.int64), np.empty(0), np.empty(0)


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _is_text(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True


def _short(found: bytes | str) -> str:
    """A part of a file, for an error."""
    text = found if isinstance(found, str) else found.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…")
