"""Words: where they begin and end, what is made the same, and how they read again."""

import pytest

from attnlab.errors import ArgumentError
from attnlab.text import Normalisation, train_tokenizer
from attnlab.text.words import WordTokenizer


def words(text: str, **options) -> list[str]:
    rule = Normalisation(**options)
    return [rule.word(part) for part in rule.parts(text)]


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("Don't stop.", {}, ["Don't", "stop", "."]),
        ("a well-known 'tis -5", {}, ["a", "well-known", "'", "tis", "-", "5"]),
        ("1.5 3,000 1.2.3x 4th x2", {}, ["1.5", "3,000", "1.2", ".", "3x", "4th", "x2"]),
        ("1.5 3,000 4th", {"numbers": True}, ["<number>", "<number>", "4th"]),
        ("1.5 A", {"split": "whitespace", "numbers": True, "lower": True}, ["<number>", "a"]),
        ("cafe\u0301 नमस्ते", {}, ["cafe\u0301", "नमस्ते"]),
        ("cafe\u0301 ﬁn", {"form": "NFKC"}, ["café", "fin"]),
        ("a, (b)! -- c", {"punctuation": "drop"}, ["a", "b", "c"]),
        ("a\n\nb ", {"lines": True}, ["a", "<eol>", "<eol>", "b"]),
        ("a\r\nb", {"lines": True, "split": "whitespace"}, ["a", "<eol>", "b"]),
        (" = A = \n <unk> @-@ x", {"split": "whitespace"}, ["=", "A", "=", "<unk>", "@-@", "x"]),
    ],
)  # fmt: skip
def test_where_words_begin_and_end(text, options, expected):
    assert words(text, **options) == expected


def test_what_stands_around_a_word_belongs_to_a_token():
    tokenizer = train_tokenizer("words", "a b", normalisation=Normalisation(punctuation="drop"))
    assert tokenizer.encode("  a … é\n").raw_bytes.tolist() == [2 + 1 + 5, 2 + 1]


def test_the_commonest_words_are_kept_and_ties_go_by_the_alphabet():
    tokenizer = train_tokenizer("words", ["c b b", "a c d"], vocabulary=4)
    assert isinstance(tokenizer, WordTokenizer)
    assert tokenizer.vocabulary == ("b", "c", "a")
    assert tokenizer.encode("d c <unk>").ids.tolist() == [0, 2, 0, 0, 0]


def test_the_unknown_word_of_the_text_is_ours():
    tokenizer = train_tokenizer("words", "a <unk> <unk> b", normalisation=Normalisation(split="whitespace"))
    assert tokenizer.size == 3
    assert tokenizer.encode("b <unk> z").ids.tolist() == [2, 0, 0]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Hello, world! (Yes: 3.5%; “no”.) It's $5…", {}),
        ("one\n\ntwo three\n", {"lines": True}),
        ("a <unk> , b\n= c =\n", {"split": "whitespace", "lines": True}),
    ],
)
def test_decoding_reads_like_the_text(text, options):
    tokenizer = train_tokenizer("words", text, normalisation=Normalisation(**options))
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


@pytest.mark.usefixtures("as_installed")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"split": "lines"}, "split: expected words or whitespace; got 'lines'"),
        ({"punctuation": True}, "punctuation: expected keep or drop; got True"),
        ({"form": "NFD"}, "form: expected as-is, NFC or NFKC; got 'NFD'; did you mean NFC?"),
        ({"lower": 1}, "lower: expected true or false, got 1"),
        ({"split": "whitespace", "punctuation": "drop"},
         "punctuation: must be keep if the text is split at whitespace; got drop"),
    ],
)  # fmt: skip
def test_a_normalisation_that_cannot_be(options, message):
    with pytest.raises(ArgumentError) as error:
        Normalisation(**options)
    assert str(error.value) == message
