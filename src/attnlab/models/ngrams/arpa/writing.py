"""Writing ARPA files."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float, Int

from attnlab.errors import ArgumentError
from attnlab.models.ngrams.arpa import BEGIN, BLOCK, END, NEVER, UNKNOWN, Arpa
from attnlab.models.ngrams.levels import Level


def arpa_pieces(arpa: Arpa) -> Iterator[bytes]:
    """The content of the file, in pieces. Raises at once if its words cannot be written."""
    boundary, levels = arpa.model.boundary, [each for each in arpa.model.levels if each.keys.size]
    words = np.array([UNKNOWN, *arpa.words], dtype=object)
    for id, word in enumerate(words[1:].tolist(), start=1):
        if id != boundary and (word in (UNKNOWN, BEGIN, END) or [word.encode()] != word.encode().split()):
            raise ArgumentError("words", f"ARPA files cannot hold the word {word!r}")
    begins, ends = words.copy(), words.copy()
    if boundary is not None:
        begins[boundary], ends[boundary] = BEGIN, END
    return _lines(levels, arpa.model.size, begins, ends, boundary)


def _lines(
    levels: Sequence[Level], size: int, begins: np.ndarray, ends: np.ndarray, boundary: int | None
) -> Iterator[bytes]:
    """`begins` has each id's word at the beginning of an n-gram, `ends` at its end."""
    counts = [level.keys.size for level in levels]
    counts[0] += 1 if boundary is not None else 2
    told = "".join(f"ngram {n}={count}\n" for n, count in enumerate(counts, start=1))
    yield f"\\data\\\n{told}".encode()
    for n, level in enumerate(levels, start=1):
        yield f"\n\\{n}-grams:\n".encode()
        weights = levels[n].passed if n < len(levels) else None
        if n == 1:
            weight = 1.0 if boundary is None or weights is None else float(weights[boundary])
            yield f"{NEVER:g}\t{BEGIN}\t{np.log10(weight):.9g}\n".encode()
            yield f"{NEVER:g}\t{END}\n".encode() if boundary is None else b""
        for first in range(0, level.keys.size, BLOCK):
            numbers = np.arange(first, min(first + BLOCK, level.keys.size))
            ids = _ids(levels[:n], size, numbers)
            named = [begins[each] if place == 0 and n > 1 else ends[each] for place, each in enumerate(ids)]
            columns = [_logs(level.shares[numbers]), map(" ".join, zip(*named, strict=True))]
            if weights is not None:
                final = ids[-1] == (-1 if boundary is None else boundary)  # no context: </s> has the weight of <s>
                columns.append(_logs(np.where(final, 1.0, weights[numbers])))
            yield "".join(f"{line}\n" for line in map("\t".join, zip(*columns, strict=True))).encode()
    yield b"\n\\end\\\n"


def _ids(levels: Sequence[Level], size: int, numbers: Int[np.ndarray, "ngrams"]) -> list[Int[np.ndarray, "ngrams"]]:
    """The ids of n-grams, from the first to the last."""
    found = []
    for level in reversed(levels):
        numbers, token = np.divmod(level.keys[numbers], size)
        found.append(token)
    return found[::-1]


def _logs(chances: Float[np.ndarray, "ngrams"]) -> Iterator[str]:
    """log₁₀ in words, at least that of a word that never comes."""
    logs = np.log10(np.maximum(chances, 10.0**NEVER))
    return (f"{each:.9g}" for each in logs.tolist())
