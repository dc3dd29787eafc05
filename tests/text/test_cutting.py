"""The compiled loops cut every text as the patterns of `Normalisation` do."""

import unicodedata
from collections import Counter
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnlab.errors import ArgumentError
from attnlab.text import Normalisation, cutting
from attnlab.text.case_and_spaces.learning import word_pieces
from attnlab.text.cutting import cut_text
from attnlab.text.words import WordTokenizer

ALPHABET = st.sampled_from(
    "aabcB  CDé É\n\r\t\0\x1c\x85\u2028\u3000ﬁßΣςİ.,!?\"'’-–<>_0123²\u0660५𝟘\ufeff\u0301\u0bcd\u200d#😀\U000e0100"
)
TEXTS = st.text(ALPHABET, max_size=60) | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
PLAIN, CHANGED = {}, {"lower": True, "numbers": True, "form": "NFKC"}
SPLITS = {}, {"punctuation": "drop"}, {"split": "whitespace"}
RULES = [
    Normalisation(**split, **changes, lines=lines)
    for split, changes, lines in product(SPLITS, (PLAIN, CHANGED), (False, True))
]


def by_loops(text: str, rule: Normalisation) -> cutting.CutText:
    with patch.object(cutting, "SHORT", 0):
        return cut_text(text, rule)


def check(text: str, rule: Normalisation) -> None:
    """The loops find what the patterns find, and the words are those of the text's parts, one by one."""
    found, plain = by_loops(text, rule), cut_text(text, rule)
    parts = rule.parts(text)
    first = rule.token.search(text)
    for each in (found, plain):
        assert [each.parts[number] for number in each.numbers] == parts
        assert [each.words[number] for number in each.numbers] == [rule.word(part) for part in parts]
        assert each.parts == list(dict.fromkeys(parts))
        assert each.content.decode() == "".join(each.parts)
        assert each.ends.tolist() == np.cumsum([0, *(len(part.encode()) for part in each.parts)]).tolist()
        assert each.before == (text[: first.start()] if first else text)


@pytest.mark.parametrize("rule", RULES, ids=str)
@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
@example(text="")
@example(text=" \r\n\r\n ")
@example(text="1.2.3x 1,000.5 1.2.34x 12x 1..2 3. 4,५,6é 7\u0301 ५.५५ x1.5 ²3")
@example(text="a-b a--b -a a- don't 'tis o'’clock a\u0301-\u0301b -\u0301 — ’")
@example(text="\ufeffİstanbul ISS ß straße ﬁn \u0085a\u2028b\u3000c\x1cd\0e\x7f")
def test_the_loops_cut_as_the_patterns_do(rule, text):
    check(text, rule)


def test_every_character_has_its_kind():
    for ascii, points in ((True, range(0x80)), (False, range(0x110000))):
        kinds = cutting._kinds(ascii)
        characters = [*map(chr, points)]
        letters = [each.isalnum() or each == "_" or unicodedata.category(each)[0] == "M" for each in characters]
        assert ((kinds & cutting.LETTER > 0) == letters).all()
        assert ((kinds & cutting.DIGIT > 0) == [*map(str.isdecimal, characters)]).all()
        assert ((kinds & cutting.VISIBLE == 0) == [*map(str.isspace, characters)]).all()


def test_long_words_and_many_different_parts():
    check("x" * 100_000 + " " * 100_000 + "y-" * 50_000 + "1.5" * 1000, RULES[0])
    check(" ".join(f"w{number % 30_011}" for number in range(0, 10**6, 7)) + "\n", RULES[-1])


def test_parts_that_begin_alike_are_different_parts():
    check("a a\0 a\0\0 ab aba\0 a\0b " * 3, Normalisation(split="whitespace"))


def test_half_a_surrogate_pair_is_refused():
    for short in (0, 1 << 16):
        with patch.object(cutting, "SHORT", short), pytest.raises(ArgumentError, match="half a surrogate pair"):
            WordTokenizer.train(["a b \ud800"])


@pytest.mark.parametrize("rule", RULES, ids=str)
@settings(max_examples=20, deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=3))
def test_a_tokenizer_is_the_same_however_its_text_is_cut(rule, texts):
    words = Counter(rule.word(part) for text in texts for part in rule.parts(text))
    words.pop("<unk>", None)
    if not words:
        return
    tokenizer = WordTokenizer.train(texts, normalisation=rule)
    assert tokenizer.vocabulary == tuple(sorted(words, key=lambda word: (-words[word], word)))
    text = "".join(texts)
    if not rule.token.search(text):
        return
    with patch.object(cutting, "SHORT", 0):
        assert WordTokenizer.train(texts, normalisation=rule).to_json() == tokenizer.to_json()
        by_loop, pieces = tokenizer.encode(text), [*word_pieces(text, rule)]
    plain = tokenizer.encode(text)
    np.testing.assert_array_equal(by_loop.ids, plain.ids)
    np.testing.assert_array_equal(by_loop.raw_bytes, plain.raw_bytes)
    assert plain.ids.tolist() == [tokenizer.ids.get(rule.word(part), 0) for part in rule.parts(text)]
    assert int(plain.raw_bytes.sum()) == len(text.encode())
    assert pieces == [*word_pieces(text, rule)]
    assert "".join(raw for _, raw, _ in pieces) == text
