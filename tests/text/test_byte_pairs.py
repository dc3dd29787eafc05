"""Byte pairs of texts without spaces, which are one long word: DNA, base64, some scripts."""

import random

import pytest

from attnlab.errors import ArgumentError
from attnlab.text.byte_pairs import LONGEST, BytePairTokenizer, _words

DNA = "".join(random.Random(0).choices("ACGT", k=100_000))


def test_training_sees_all_of_a_long_word_in_short_pieces():
    pieces = list(_words([f"a start {DNA} an end"]))
    assert "".join(pieces) == f"a start {DNA} an end"
    assert max(map(len, pieces)) == LONGEST


def test_a_text_without_spaces_is_learnt_and_comes_back():
    """In half a second. The library alone takes time by the square of the length: for a megabyte, minutes."""
    tokens = BytePairTokenizer.train([DNA], vocabulary=1_000)
    found = tokens.encode(DNA)
    assert (tokens.size, tokens.decode(found.ids)) == (1_000, DNA)
    assert len(found) < len(DNA) / 3


def test_a_huge_vocabulary_is_refused():
    with pytest.raises(
        ArgumentError, match=r"^vocabulary: expected at most 10,000,000 tokens, got 10000000000000000000$"
    ):
        BytePairTokenizer.train(["low lower lowest"], vocabulary=10**19)
