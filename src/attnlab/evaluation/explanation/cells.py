"""A text cut into cells for display, with the cost of each cell for one or more models."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Int

from attnlab.evaluation.explanation.alignment import among, segments
from attnlab.evaluation.explanation.words import words_of
from attnlab.evaluation.scoring.costs import Costs
from attnlab.evaluation.scoring.nats_to_units import LN2


@dataclass(frozen=True)
class Cell:
    """A part of a text with, for each model: the bits of its tokens, the bits charged on top (for spelling an
    unknown word, case and spaces), the number of tokens, and whether one of them is unknown."""

    text: str
    bits: tuple[float, ...]
    charged: tuple[float, ...]
    tokens: tuple[int, ...]
    unknown: tuple[bool, ...]


def cells(found: Sequence[Costs], most: int | None = None) -> list[Cell]:
    """The cells of a text, or the first `most` of them.

    With one model, a cell is a token (or several that share a character); with several models, a shared segment.
    """
    words = words_of(found[0].text)
    if len(found) == 1:
        cuts, of_tokens = _own_cuts(found[0], words.byte_of_character)
        places = [of_tokens]
    else:
        common = segments(words, [each.encoding for each in found])
        cuts, places = words.starts[common.first_words], list(common.of_tokens)
        cuts[0] = 0  # text before the first word belongs to its cell
    ends = [*cuts.tolist(), len(words.text)][: most if most is None else most + 1]
    columns = [_columns(*each, len(cuts), len(ends) - 1) for each in zip(found, places, strict=True)]
    bits, charged, tokens, unknown = (zip(*column, strict=True) for column in zip(*columns, strict=True))
    texts = (words.text[start:stop] for start, stop in pairwise(ends))
    return [Cell(*each) for each in zip(texts, bits, charged, tokens, unknown, strict=True)]


def _columns(found: Costs, of_tokens: Int[np.ndarray, " tokens"], count: int, most: int) -> tuple[list[Any], ...]:
    """For each of the first cells: bits, bits charged, number of tokens, and whether one is unknown."""
    bits = np.bincount(of_tokens, found.nats / LN2, count)
    charged = np.bincount(of_tokens, (found.comparable - found.nats) / LN2, count)
    unknown = np.bincount(of_tokens, found.unknown, count) > 0
    columns = (bits, charged, np.bincount(of_tokens, minlength=count), unknown)
    return tuple(column[:most].tolist() for column in columns)


def _own_cuts(
    found: Costs, byte_of_character: Int[np.ndarray, " stops"]
) -> tuple[Int[np.ndarray, " cuts"], Int[np.ndarray, " tokens"]]:
    """The characters that tokens begin with, and for each token the number of its cell."""
    lengths = found.encoding.raw_bytes.astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    beginnings = byte_of_character[:-1]
    cuts = beginnings[among(beginnings, starts)]
    of_tokens = np.searchsorted(cuts, starts, side="right") - 1
    return np.searchsorted(byte_of_character, cuts), of_tokens
