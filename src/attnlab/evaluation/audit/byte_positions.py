"""Whether tokens cover the bytes that they stand for, and not merely as many in all."""

import re
from collections.abc import Iterator
from itertools import chain, pairwise

import numpy as np
from jaxtyping import Int, UInt

from attnlab.text import Tokenizer

SPACE = re.compile(r"\s+")
LOOKED_AT = 1 << 18
"""Characters of a text whose beginning is looked at."""
CUTS = 64
"""Places at most where a text is cut."""
DECODED = 2048
"""Tokens whose beginnings are decoded …"""
DECODINGS = 96
"""… so many of them at most: each end of the first tokens, then here and there."""


def first_misplaced(
    tokenizer: Tokenizer,
    text: str,
    ids: UInt[np.ndarray, " tokens"],
    ends: Int[np.ndarray, " tokens"],
    *,
    exact: bool,
) -> tuple[int, str | None]:
    """At how many places the bytes covered so far were compared, and the words for the first that is wrong.

    `exact` says that the text comes back from its tokens, so that decoding shows where each ends.
    """
    compared = 0
    known = chain(_at_cuts(tokenizer, text, ids), _at_ends(tokenizer, text, ids) if exact else ())
    for count, least, most in known:
        compared += 1
        if not least <= ends[count - 1] <= most:
            covered = f"the first {count:,} tokens are said to cover {ends[count - 1]:,} bytes"
            return compared, f"{covered}, and stand for {least:,}"
    return compared, None


def _at_cuts(tokenizer: Tokenizer, text: str, ids: UInt[np.ndarray, " tokens"]) -> Iterator[tuple[int, int, int]]:
    """After how many tokens a text was cut, and the bytes up to there (twice: least and most).

    Only as long as its parts encode as the whole does: where a tokenizer gives them other ids, nothing is known.
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
    """After how many tokens the text up to there was decoded, and the bytes it has at least and at most.

    Tokens that end inside a character decode to �, one or several: there the sum may be anything up to the next
    characters' end. The whitespace behind a token may be counted to it or to the next. Where the beginning of the
    tokens gives no beginning of the text, nothing is known.
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
