"""What an unknown word or character costs when it is spelled, by all that its tokenizer knows: the vocabulary."""

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from attnlab.models.ngram import NGram

ORDER = 5
END = 256
"""What ends a word, beside the 256 bytes. As many of them as the model can see stand before each."""
BETWEEN = [END] * (ORDER - 1)
SCALARS = 0x110000 - 0x800
"""How many characters Unicode has room for: all code points but the surrogates."""


def spelled_words(words: Sequence[str], vocabulary: tuple[str, ...]) -> Float[np.ndarray, " words"]:
    """−ln p of the bytes of each word and its end, by counts of bytes in the words of a vocabulary, each taken once.

    >>> known = ("sing", "ring", "ringing", "walk", "walking")
    >>> spelled_words(["singing", "gnigins"], known).round().tolist()
    [4.0, 30.0]
    """
    if not len(words):
        return np.empty(0)
    whole = [[*word.encode("utf-8", "surrogateescape"), *BETWEEN] for word in words]
    nats = _letters(vocabulary).nats([*BETWEEN, *(byte for each in whole for byte in each)])
    starts = np.cumsum([len(BETWEEN), *(len(each) for each in whole)])
    return np.array([nats[start : stop - len(BETWEEN) + 1].sum() for start, stop in pairwise(starts)])


def spelled_character(vocabulary: str) -> float:
    """−ln p of a character that is not in the vocabulary: any other that Unicode has room for is as likely.

    >>> round(spelled_character("abc") / math.log(2), 2)
    20.08
    """
    return math.log(SCALARS - len(vocabulary))


@lru_cache(maxsize=4)
def _letters(vocabulary: tuple[str, ...]) -> NGram:
    """How words are spelled."""
    text = [*BETWEEN]
    for word in vocabulary:
        text += [*word.encode("utf-8", "surrogateescape"), *BETWEEN]
    return NGram.fit(np.array(text), END + 1, ORDER)
