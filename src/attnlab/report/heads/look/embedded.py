"""The weights of heads as a page carries them: compressed, as base64, one piece of text for each head.

Exact: the logits as float32 and, for each query, the logarithm of softmax's denominator as float64. A page of more than
about 50 MB would open slowly; a large text has rounded weights instead, one byte for each: 255 times the square root of
the weight, and the denominators. So a rounded weight w is right to about √w / 255, and never off by more than 0.004.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float32, UInt8

from attnlab.report.heads.look.maps import pooled

if TYPE_CHECKING:
    from attnlab.benches.heads.look import HeadPatterns
    from attnlab.evaluation.heads.looking import Pattern

LARGEST_PAGE = 50_000_000
"""How many bytes the weights of a page may take."""
SMALL_MAP = 48
"""The most rows and columns of the small map of a head."""


@dataclass(frozen=True)
class Embedded:
    """What a page carries: for each head its pieces of base64, and a small map of each head."""

    exact: bool
    heads: Sequence[tuple[str, str]]
    """The name of a head and its weights: the pieces of base64 for which there is room."""
    small: str
    """The small maps of all heads, one after the other: a byte for each square, as above."""
    side: int
    """How many rows a small map has."""


def embedded(found: HeadPatterns, largest: int = LARGEST_PAGE) -> Embedded:
    """The weights of as many heads as fit, at least one, exact if all of them fit; and small maps of all."""
    pairs = sum(len(each.past) for each in found.patterns.values())
    exact = 4 * pairs * 4 / 3 < largest  # base64 turns 3 bytes into 4
    small, side = small_maps(found)
    heads, size = [], 0
    for name, pattern in found.patterns.items():
        if size < largest:
            piece = head_weights(pattern, exact=exact)
            size += len(piece)
            if size < largest or not heads:
                heads.append((name, piece))
    return Embedded(exact, heads, small, side)


def small_maps(found: HeadPatterns) -> tuple[str, int]:
    """A small map of each head, one after the other, and how many rows each has."""
    small = [pooled(pattern.weights(), SMALL_MAP)[0] for pattern in found.patterns.values()]
    return _base64(b"".join(_rounded(each).tobytes() for each in small)), len(small[0])


def head_weights(pattern: Pattern, *, exact: bool = True) -> str:
    """What a page carries of one head: exact logits or rounded weights, and ln of softmax's denominators."""
    numbers = pattern.past.astype("<f4") if exact else _rounded(pattern.weights()[np.tri(len(pattern.totals)) > 0])
    return _base64(pattern.totals.astype("<f8").tobytes() + numbers.tobytes())


def _rounded(weights: Float32[np.ndarray, ...]) -> UInt8[np.ndarray, ...]:
    return np.rint(255 * np.sqrt(np.minimum(weights, 1))).astype(np.uint8)


def _base64(content: bytes) -> str:
    # Weights seldom repeat, so zlib should not search for repetitions: this is faster and the result is smaller.
    made = zlib.compressobj(6, zlib.DEFLATED, 15, 9, zlib.Z_HUFFMAN_ONLY)
    return b64encode(made.compress(content) + made.flush()).decode()
