"""The words of errors."""

import pytest

from attnlab.errors import ArgumentError, nearest

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


@pytest.mark.parametrize(
    ("given", "known", "meant"),
    [
        ("--heads", ["--threads", "--model.heads"], "--model.heads"),
        ("--model.layer=4", ["--player", "--model.layers"], "--model.layers"),
        ("SHAKES", ["quick", "shakespeare"], "shakespeare"),
        ("robust", ["robustness", "remedies"], "robustness"),
        ("a.tmol", ["a.toml", "b.toml"], "a.toml"),
        ("moun", ["muon", "adamw"], "muon"),
        ("sg", ["sgd"], "sgd"),
        ("", ["sgd"], None),
        ("x", ["sgd"], None),
    ],
)
def test_options_settings_and_commands_are_matched_alike(given, known, meant):
    assert nearest(given, known) == meant
