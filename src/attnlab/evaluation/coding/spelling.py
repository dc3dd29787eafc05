"""The cost of spelling an unknown word or character, by a model that is fitted on the tokenizer's vocabulary."""

import math
from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from jaxtyping import Float

from attnlab.models.memory import counts_in_memory
from attnlab.models.ngrams.ngram import NGram
from attnlab.text.case_and_spaces.code import or_raw

ORDER = 5
END = 256
"""The symbol that ends a word, after the 256 bytes. Before each word there are as many as the model can see."""
BETWEEN = [END] * (ORDER - 1)
SCALARS = 0x110000 - 0x800
"""The number of possible Unicode characters: all code points but the surrogates."""


def spelled_words(words: Sequence[str], vocabulary: tuple[str, ...]) -> Float[np.ndarray, " words"]:
    """−ln p of each word's bytes and its end, by an n-gram model of the vocabulary's words.

    One word in 256 is expected to be told by its raw bytes: none costs more than 11 bits and 8.2 bits for each byte.

    >>> known = ("sing", "ring", "ringing", "walk", "walking")
    >>> spelled_words(["singing", "gnigins"], known).round().tolist()
    [4.0, 30.0]
    """
    if not len(words):
        return np.empty(0)
    whole = [[*word.encode("utf-8", "surrogateescape"), *BETWEEN] for word in words]
    nats = _letters(vocabulary).nats([*BETWEEN, *(byte for each in whole for byte in each)])
    starts = np.cumsum([len(BETWEEN), *(len(each) for each in whole)])
    learnt = np.array([nats[start : stop - len(BETWEEN) + 1].sum() for start, stop in pairwise(starts)])
    return np.array([or_raw(each, word) for each, word in zip(learnt.tolist(), words, strict=True)])


def spelled_character(vocabulary: str) -> float:
    """−ln p of a character outside the vocabulary: all other Unicode characters are equally likely.

    >>> round(spelled_character("abc") / math.log(2), 2)
    20.08
    """
    return math.log(SCALARS - len(vocabulary))


@lru_cache(maxsize=4)
def _letters(vocabulary: tuple[str, ...]) -> NGram:
    """An n-gram model of the spelling of words. That of a large vocabulary is in files that have no name any more."""
    text = array("H", BETWEEN)
    for word in vocabulary:
        text.extend(word.encode("utf-8", "surrogateescape"))
        text.extend(BETWEEN)
    ids = np.frombuffer(text, np.uint16)
    if counts_in_memory(len(ids)):
        return NGram.fit(ids, END + 1, ORDER)
    with TemporaryDirectory(prefix="attnlab-") as folder:
        return NGram.fit(ids, END + 1, ORDER, folder=Path(folder))
