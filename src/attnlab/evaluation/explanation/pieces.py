"""A text cut into pieces that can be shown, with what each cost one model or several."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from attnlab.evaluation.costs import Costs
from attnlab.evaluation.explanation.segments import segments
from attnlab.evaluation.explanation.words import words_of


@dataclass(frozen=True)
class Piece:
    """A part of a text, and for each model the bits of its tokens and those charged on top of them (for spelling an
    unknown word, case and spaces), how many tokens there are, and whether one of them is unknown."""

    text: str
    bits: tuple[float, ...]
    charged: tuple[float, ...]
    tokens: tuple[int, ...]
    unknown: tuple[bool, ...]


def pieces(found: Sequence[Costs]) -> list[Piece]:
    """The pieces of a text: one model's tokens, those that share a character together; of several, common stretches."""
    words = words_of(found[0].text)
    if len(found) == 1:
        cuts, of_tokens = _own_cuts(found[0], words.byte_of_character)
        places = [of_tokens]
    else:
        common = segments(words, [each.encoding for each in found])
        cuts, places = words.starts[common.first_words], list(common.of_tokens)
        cuts[0] = 0  # what stands before the first word is shown with it
    stops = [*cuts[1:].tolist(), len(words.text)]
    columns = [_columns(each, of_tokens, len(cuts)) for each, of_tokens in zip(found, places, strict=True)]
    bits, charged, tokens, unknown = (zip(*column, strict=True) for column in zip(*columns, strict=True))
    texts = (words.text[start:stop] for start, stop in zip(cuts.tolist(), stops, strict=True))
    return [Piece(*each) for each in zip(texts, bits, charged, tokens, unknown, strict=True)]


def _columns(found: Costs, of_tokens: Int[np.ndarray, " tokens"], count: int) -> tuple[list[Any], ...]:
    """Bits, bits charged, number of tokens, and whether one is unknown, for each piece."""
    bits = np.bincount(of_tokens, found.nats / math.log(2), count)
    charged = np.bincount(of_tokens, (found.comparable - found.nats) / math.log(2), count)
    unknown = np.bincount(of_tokens, found.unknown, count) > 0
    return bits.tolist(), charged.tolist(), np.bincount(of_tokens, minlength=count).tolist(), unknown.tolist()


def _own_cuts(
    found: Costs, byte_of_character: Int[np.ndarray, " stops"]
) -> tuple[Int[np.ndarray, " cuts"], Int[np.ndarray, " tokens"]]:
    """The characters that tokens begin with, and for each token which of these it begins with or comes behind."""
    lengths = found.encoding.raw_bytes.astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    cuts = np.intersect1d(byte_of_character[:-1], starts)
    of_tokens = np.searchsorted(cuts, starts, side="right") - 1
    return np.searchsorted(byte_of_character, cuts), of_tokens
