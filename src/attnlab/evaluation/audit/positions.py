"""Checks that each token covers its own bytes, beyond a right total."""

import re
from collections.abc import Iterator
from itertools import chain, pairwise

import numpy as np
from jaxtyping import Int, UInt

from attnlab.text import Tokenizer

SPACE = re.compile(r"\s+")
LOOKED_AT = 1 << 18
"""Only this many characters at the beginning of a text are checked."""
CUTS = 64
"""A text is cut at this many places at most."""
DECODED = 2048
"""Ends of tokens are checked by decoding, among the first 2,048 tokens …"""
DECODINGS = 96
"""… at 96 places at most: the ends of the first tokens, then evenly spread."""


def first_misplaced(
    tokenizer: Tokenizer,
    text: str,
    ids: UInt[np.ndarray, " tokens"],
    ends: Int[np.ndarray, " tokens"],
    *,
    exact: bool,
) -> tuple[int, str | None]:
    """The number of places where the bytes covered so far were compared, and the fault at the first wrong place.

    `exact` means that decoding gives the text back, so decoding shows where each token ends.
    """
    compared = 0
    known = chain(_at_cuts(tokenizer, text, ids), _at_ends(tokenizer, text, ids) if exact else ())
    for count, least, most in known:
        compared += 1
        if not least <= ends[count - 1] <= most:
            covered = f"the first {count:,} tokens are said to cover {ends[count - 1]:,} bytes"
            return compared, f"{covered}, but their text has {least:,}"
    return compared, None


def _at_cuts(tokenizer: Tokenizer, text: str, ids: UInt[np.ndarray, " tokens"]) -> Iterator[tuple[int, int, int]]:
    """Yields the number of tokens before each cut of the text, and the bytes before it (twice: at least, at most).

    It stops where the parts of the text encode to other ids than the whole text does: there the ends are unknown.
    """
    places = [0]
    for stop in np.linspace(0, min(len(text), LOOKED_AT), CUTS + 1)[1:].astype(int).tolist():
        place = places[-1] + tokenizer.cut(text[places[-1] : stop])
        if place > places[-1]:
            places.append(place)
    count = offset = 0
    for begin, end in pairwise(places):
        part = tokenizer.encode(text[begin:end]).ids
        if not len(part) or not np.array_equal(ids[count : count + len(part)], part):
            return
        count, offset = count + len(part), offset + len(text[begin:end].encode())
        yield count, offset, offset


def _at_ends(tokenizer: Tokenizer, text: str, ids: UInt[np.ndarray, " tokens"]) -> Iterator[tuple[int, int, int]]:
    """Yields numbers of tokens, and the bytes that their decoded text has (at least, at most).

    A token that ends inside a character decodes to one or several �: there the sum may be anything up to the
    character's end. The whitespace after a token may belong to that token or to the next. Where the decoded tokens
    are not the beginning of the text, nothing is known.
    """
    last = min(len(ids), DECODED)
    counts = np.unique(np.r_[1 : min(last, DECODINGS // 2) + 1, np.linspace(1, last, DECODINGS // 2).astype(int)])
    for count in counts.tolist() if last else ():
        decoded = tokenizer.decode(ids[:count])
        whole = decoded.rstrip("\N{REPLACEMENT CHARACTER}")
        if text.startswith(whole):
            least = len(whole.encode())
            space = SPACE.match(text, len(decoded))
            yield count, least, least + len(text[len(whole) : space.end() if space else len(decoded)].encode())
