"""Words and stretches: all of a text, once, whatever is in it and whatever the tokens are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.evaluation.explanation.alignment import segments
from attnlab.evaluation.explanation.kinds import Kinds
from attnlab.evaluation.explanation.words import words_of
from attnlab.text import Normalisation, train_tokenizer

ANY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
TEXT = "abc Abc, a-b c'd é\n12.5 _ 😀 word"
TOKENIZERS = [
    train_tokenizer("bytes", ""),
    train_tokenizer("characters", TEXT),
    train_tokenizer("byte-pairs", TEXT, vocabulary=270),
    train_tokenizer("words", TEXT),
    train_tokenizer("words", TEXT, normalisation=Normalisation(split="whitespace", lines=True)),
    train_tokenizer("words", TEXT, normalisation=Normalisation(punctuation="drop", lower=True)),
]


@given(text=ANY)
def test_words_cover_all_of_a_text_but_its_spaces(text):
    words = words_of(text)
    ends = [*words.starts[1:].tolist(), len(text)]
    covered = "".join(text[start:end] for start, end in zip(words.starts.tolist(), ends, strict=True))
    assert not text[: words.starts[0]].strip(
        " \t\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
    )
    assert text.endswith(covered)
    assert words.place_of_byte[-1] == sum(len(each.encode()) for each in text if not each.isspace() or each == "\n")
    assert (np.diff(words.places) > 0).all()
    assert len(words.byte_of_character) == len(text) + 1


@settings(max_examples=200, deadline=None)
@given(text=ANY, which=st.lists(st.integers(0, 5), min_size=1, max_size=3))
def test_every_token_lies_in_one_stretch_and_no_stretch_is_empty(text, which):
    text = f"a{text}"  # words need at least one
    found = segments(words_of(text), [TOKENIZERS[each].encode(text) for each in which])
    assert found.first_words[0] == 0
    for model, of_tokens in enumerate(found.of_tokens):
        assert (np.diff(of_tokens) >= 0).all()
        assert set(of_tokens.tolist()) == set(range(len(found)))
        assert found.sums(model, np.ones(len(of_tokens))).sum() == len(of_tokens)
    assert len(found.forms) == len(found)


def test_spaces_before_and_behind_a_word_end_at_the_same_place():
    text = "low lower,  lowest\n low"
    pairs, words = (train_tokenizer(kind, text).encode(text) for kind in ("byte-pairs", "words"))
    assert segments(words_of(text), [pairs, words]).forms == ["low", "lower", ",", "lowest", "low"]


@pytest.mark.parametrize("text", ["   ", "\t", "\u3000"])
def test_a_text_of_spaces_is_one_word(text):
    found = segments(words_of(text), [TOKENIZERS[0].encode(text), TOKENIZERS[1].encode(text)])
    assert len(found) == 1
    names = Kinds({}).names
    assert names[Kinds({}).of(found, [])[0]] == "the beginning"


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("word", "the rest"),
        ("don't", "the rest"),
        ("Éclair", "capitals"),
        ("iPhone6", "capitals"),
        ("6th", "digits"),
        ("3,000", "digits"),
        ("…", "punctuation"),
        ("_", "punctuation"),
        ("😀", "punctuation"),
        ("\n", "line ends"),
        ("new", "unseen"),
        ("New", "unseen"),
    ],
)
def test_the_kind_of_a_word_is_the_first_that_fits(word, kind):
    kinds = Kinds({"unseen": frozenset({"new"})}, "characters")
    text = f"X1 {word}"
    found = segments(words_of(text), [TOKENIZERS[0].encode(text)])
    for unknown, expected in ((np.zeros, kind), (np.ones, "unknown characters")):
        numbers = kinds.of(found, [unknown(len(text.encode()), bool)])
        assert [kinds.names[each] for each in numbers[:2]] == ["the beginning", expected]
