"""Features: the words that the tokenizer finds, and n-grams of them, the same on every machine."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.errors import ArgumentError
from attnlab.text import pieces as pieces_module
from attnlab.text.bags import Bags
from attnlab.text.features import Features, FeatureSettings
from attnlab.text.normalisation import Normalisation
from attnlab.text.pieces import Pieces
from attnlab.text.words import WordTokenizer

TEXTS = ["The film is not bad, not bad at all.", "Not good: a café that's well-known, 3.5 stars!", "It is so-so … 😀"]
# Letters, marks, digits of three scripts, all kinds of spaces, a zero byte, and what is between words.
ODD = st.text(st.sampled_from("aAbÉΣ'’-1٣１.,!é\u0301 \t\n\x1f\u00a0\u2003\0<"), max_size=40)


@given(st.lists(ODD, max_size=5))
def test_words_are_those_of_the_tokenizer(texts):
    rule = Normalisation(lower=True)
    tokenizer = WordTokenizer.train(["a b a-b é ' . 1 a1 ab aa σ aς éa"], None, rule)
    found = Features(tokenizer, FeatureSettings()).words(texts)
    expected = [[tokenizer.ids.get(rule.word(part), 0) for part in rule.parts(text)] for text in texts]
    assert [found[place].tolist() for place in range(len(texts))] == expected


RULES = [
    Normalisation(lower=True, numbers=True),
    Normalisation(punctuation="drop"),
    Normalisation(split="whitespace"),
    Normalisation(form="NFC", lower=True),
]


@pytest.mark.parametrize("rule", RULES)
@given(texts=st.lists(st.text("aB3٣１é. ,!'-’\"(\n…\u0301_/", max_size=12), max_size=3))
def test_signs_cut_pieces_only_where_the_rule_cuts_words(rule, texts):
    numbers: dict[str, int] = {}
    found = Pieces(rule, lambda word: numbers.setdefault(word, len(numbers) + 1)).words(texts)
    words = ["", *numbers]
    for number, text in enumerate(texts):
        assert [words[each] for each in found[number]] == [rule.word(part) for part in rule.parts(text)]


@pytest.mark.parametrize("text", ["1,٣", "3.１ stars", "٣.٣", "a.é", "3.…", "1,\u00a02"])
def test_digits_of_other_scripts_are_part_of_a_number(text):
    rule = Normalisation(lower=True)
    numbers: dict[str, int] = {}
    found = Pieces(rule, lambda word: numbers.setdefault(word, len(numbers) + 1)).words([text])
    assert [["", *numbers][each] for each in found[0]] == [rule.word(part) for part in rule.parts(text)]


def test_the_vocabulary_is_that_of_the_tokenizer():
    features = Features.train(TEXTS, FeatureSettings(vocabulary=8))
    assert features.tokenizer.vocabulary == WordTokenizer.train(TEXTS, 8, Normalisation(lower=True)).vocabulary
    assert features.size == 8


@pytest.mark.parametrize("length", [7, 8, 9, 63, 64, 65, 200])
def test_pieces_that_differ_in_one_byte_are_told_apart(length):
    words = ["x" * length, "x" * (length - 1) + "y", "y" + "x" * (length - 1), "x" * (length - 1), "x" * (length + 1)]
    features = Features.train([" ".join(words)], FeatureSettings())
    ids = features.words(words).ids
    assert [features.tokenizer.vocabulary[id - 1] for id in ids] == words


def test_zero_bytes_are_part_of_a_piece():
    rule = Normalisation(split="whitespace")
    pieces = pieces_module.Pieces(rule, {"a": 1, "\0a": 2, "a\0": 3}.get)
    assert pieces.words(["a \0a a\0 \0\0a"]).ids.tolist() == [1, 2, 3, 0]


def test_a_long_stream_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(pieces_module, "MOST", 50)
    features = Features.train(["good bad"], FeatureSettings())
    for number in range(100):
        words = features.words([f"good x{number}a y{number}b bad"])
        assert words.ids.tolist() == [2, 0, 0, 1]
    assert len(features._pieces.ends) < 60


def test_n_grams_stay_within_a_text_and_clear_of_unknown_words():
    features = Features.train(["a b c d"], FeatureSettings(ngrams=3, buckets=1 << 20))

    def grams(*texts):
        return [set((bag[bag >= 5]).tolist()) for bag in map(features.encode(texts).__getitem__, range(len(texts)))]

    whole, first, second, other = grams("a b c d", "a b", "c d", "a b zzz c d")
    assert [len(each) for each in (whole, first, second)] == [5, 1, 1]
    assert other == first | second
    assert grams("b a") != grams("a b")
    assert features.encode(["zzz yyy", ""]).lengths.tolist() == [0, 0]


def test_hashes_are_the_same_on_every_machine():
    features = Features.train(["a b c"], FeatureSettings(ngrams=3, buckets=1000))
    assert features.encode(["a b c"]).ids.tolist() == [1, 2, 3, 56, 245, 453]


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "zzz"]), max_size=12), min_size=1, max_size=6))
def test_once_leaves_each_feature_once(texts):
    tokenizer = WordTokenizer.train(["a b c"])
    many = Features(tokenizer, FeatureSettings(ngrams=2, buckets=50)).encode([" ".join(text) for text in texts])
    once = Features(tokenizer, FeatureSettings(ngrams=2, buckets=50, once=True))
    found = once.encode([" ".join(text) for text in texts])
    assert [found[place].tolist() for place in range(len(texts))] == [
        sorted(set(many[place].tolist())) for place in range(len(texts))
    ]


def test_once_with_more_buckets_than_fit_the_narrow_sort():
    features = Features.train(["a b a b"], FeatureSettings(ngrams=2, buckets=1 << 27, once=True))
    assert features.encode(["a b a b", "b"]).lengths.tolist() == [4, 1]


def test_features_come_back_from_json():
    features = Features.train(TEXTS, FeatureSettings(vocabulary=9, ngrams=2, once=True))
    again = Features.from_json(json.loads(json.dumps(features.to_json())))
    assert again == features
    assert again.encode(TEXTS).ids.tolist() == features.encode(TEXTS).ids.tolist()


def test_many_texts_are_as_each_by_itself():
    texts = [f"a{number % 7} b c{number % 3} b" for number in range(600)]
    features = Features.train(texts, FeatureSettings(ngrams=2, once=True))
    found = features.encode(texts)
    assert all(found[place].tolist() == features.encode([texts[place]]).ids.tolist() for place in (0, 255, 256, 599))


@pytest.mark.parametrize(("name", "value"), [("vocabulary", 1), ("vocabulary", -1), ("ngrams", 0), ("buckets", 0)])
def test_settings_that_cannot_be(name, value):
    with pytest.raises(ArgumentError, match=f"{name}: expected"):
        FeatureSettings(**{name: value})


def test_texts_without_a_word():
    with pytest.raises(ArgumentError, match="expected at least one word"):
        Features.train(["", "  "])


def test_bags_of_none():
    assert len(Bags.of([])) == 0
    assert Bags.of([[1], [2, 3]]).take(np.array([], np.int64)).ids.tolist() == []


def scattered(number: int) -> int:
    """The finaliser of splitmix64, in Python's whole numbers."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        number = (number ^ number >> shift) * factor % 2**64
    return number ^ number >> 31


@given(st.lists(st.lists(st.integers(0, 5), max_size=8), max_size=4), st.integers(1, 4), st.integers(1, 1000))
def test_ngrams_are_those_of_their_definition(texts, longest, buckets):
    """So a saved classifier finds the rows that it learnt."""
    features = Features(
        WordTokenizer.train(["a b c d e"], None, Normalisation()), FeatureSettings(ngrams=longest, buckets=buckets)
    )
    found = features.of_words(Bags.of(texts))
    for place, words in enumerate(texts):
        expected = [word for word in words if word]
        for length in range(2, longest + 1):
            for first in range(len(words) - length + 1):
                gram = words[first : first + length]
                hashed = scattered(gram[0])
                for order, word in enumerate(gram[1:], start=2):
                    hashed = scattered((hashed * order + word) % 2**64)
                if all(gram):
                    expected.append(features.tokenizer.size + hashed % buckets)
        assert found[place].tolist() == expected
