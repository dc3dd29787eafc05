"""The words of errors."""

import pytest

from attnlab.errors import ArgumentError

KNOWN = ("characters", "bytes", "words", "byte-pairs")
LIST = "expected characters, bytes, words or byte-pairs"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("wrods", f"tokens: {LIST}; got 'wrods'; did you mean words?"),
        ("runes!", f"tokens: {LIST}; got 'runes!'"),
        (3, f"tokens: {LIST}; got 3"),
        (None, f"tokens: {LIST}; got None"),
        ("x" * 1000, f"tokens: {LIST}; got '{'x' * 60}'"),
    ],
)
def test_an_unknown_word_lists_the_known_words_and_the_nearest(given, message):
    assert str(ArgumentError.unknown("tokens", given, KNOWN)) == message


def test_a_single_choice():
    assert str(ArgumentError.unknown("model_type", "llama", ["gpt2"])) == "model_type: expected gpt2; got 'llama'"
