"""The lab's tokenizers as the library `tokenizers` has them: the same ids for every text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library

from attnlab.errors import ArgumentError
from attnlab.text import Normalisation, Tokenizer, train_tokenizer
from attnlab.text.external import ExternalTokenizer
from attnlab.text.library import as_library, library_files

TEXT = "The naïve cat's 3,000.5 well-known mats:\n<unk> <eol> ١٢ İstanbul ΟΔΟΣ � 5a — ’tis\r\n\ttoo! 😀\n"
TOKENIZERS = {
    "byte-pairs": train_tokenizer("byte-pairs", TEXT * 9, vocabulary=320),
    "bytes": train_tokenizer("bytes", TEXT),
    "characters": train_tokenizer("characters", TEXT),
    "characters without �": train_tokenizer("characters", "abc <unk>"),
    "words": train_tokenizer("words", TEXT),
    "few words": train_tokenizer("words", TEXT, vocabulary=9),
    "lines": train_tokenizer("words", TEXT, normalisation=Normalisation(lines=True)),
    "no signs": train_tokenizer("words", TEXT, normalisation=Normalisation(punctuation="drop", lines=True)),
    "whitespace": train_tokenizer("words", TEXT, normalisation=Normalisation(split="whitespace")),
    "lines of words": train_tokenizer("words", TEXT, normalisation=Normalisation(split="whitespace", lines=True)),
}
PIECES = st.one_of(
    st.text(max_size=8), st.sampled_from([*TEXT.split(" "), "\n", "<unk>", "<eol>", "<|endoftext|>", "0.1"])
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(["", " ", "\u2028", "\x1c"])), min_size=1).map(
    lambda pairs: "".join(piece + space for piece, space in pairs)
)


def as_the_lab(tokenizer: Tokenizer, text: str) -> list[int]:
    try:
        return tokenizer.encode(text).ids.tolist()
    except ArgumentError:  # text without a word
        return []


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_text_has_the_same_ids(name):
    tokenizer = TOKENIZERS[name]
    library = Library.from_str(library_files(tokenizer)["tokenizer.json"].decode())

    @settings(deadline=None, max_examples=60)
    @given(TEXTS)
    def same(text: str) -> None:
        assert library.encode(text).ids == as_the_lab(tokenizer, text)

    same()
    assert library.encode(TEXT).ids == as_the_lab(tokenizer, TEXT)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_it_comes_back_as_a_tokenizer_with_the_same_bytes(name):
    tokenizer, external = TOKENIZERS[name], ExternalTokenizer(as_library(TOKENIZERS[name]))

    @settings(deadline=None, max_examples=40)
    @given(TEXTS)
    def same(text: str) -> None:
        if as_the_lab(tokenizer, text):
            ours, theirs = tokenizer.encode(text), external.encode(text)
            assert theirs.ids.tolist() == ours.ids.tolist()
            assert theirs.raw_bytes.tolist() == ours.raw_bytes.tolist()

    same()
    assert external.size == tokenizer.size
    assert external.unknown == (0 if tokenizer.kind in ("characters", "words") else None)


@pytest.mark.parametrize("name", ["byte-pairs", "bytes", "characters"])
def test_what_is_known_comes_back(name):
    tokenizer = TOKENIZERS[name]
    assert as_library(tokenizer).decode(tokenizer.encode(TEXT).ids.tolist()) == TEXT


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Normalisation(lower=True), "tokens.lower: the library `tokenizers` has no such setting; "
         "train with --tokens.lower no"),
        (Normalisation(numbers=True), "tokens.numbers: the library `tokenizers` has no such setting; "
         "train with --tokens.numbers no"),
        (Normalisation(form="NFKC"), "tokens.form: the library `tokenizers` has no such setting; "
         "train with --tokens.form as-is"),
    ],
)  # fmt: skip
def test_a_normalisation_that_the_library_does_not_have(rule, message):
    with pytest.raises(ArgumentError, match=f"^{re.escape(message)}$"):
        as_library(train_tokenizer("words", TEXT, normalisation=rule))
