"""The ledger: every byte counted once, and what is said of those that are not."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluation import faulty
from tests.evaluation.faulty import FaultyTokenizer

from attnlab.evaluation.audit import HARD_TEXT
from attnlab.evaluation.audit.byte_ledger import byte_ledger, ledger_of_pieces
from attnlab.text import Encoding, Normalisation, Tokenizer, train_tokenizer

BYTES = train_tokenizer("bytes", "")
TOKENIZERS: dict[str, Tokenizer] = {
    "bytes": BYTES,
    "characters": train_tokenizer("characters", HARD_TEXT[:60]),
    "byte-pairs": train_tokenizer("byte-pairs", HARD_TEXT * 3, vocabulary=300),
    "words": train_tokenizer("words", HARD_TEXT, vocabulary=20),
    "words, normalised": train_tokenizer(
        "words", HARD_TEXT, normalisation=Normalisation(lower=True, numbers=True, punctuation="drop", form="NFKC")
    ),
    "words and lines": train_tokenizer("words", HARD_TEXT, normalisation=Normalisation(split="whitespace", lines=True)),
}
texts = st.text(st.one_of(st.sampled_from("The 3,.'\n\r\t\ufffd\ufeff😀é"), st.characters(codec="utf-8")), max_size=60)


@pytest.mark.parametrize("name", TOKENIZERS)
@settings(max_examples=60, deadline=None)
@given(text=texts)
def test_every_tokenizer_of_the_lab_counts_every_byte_of_every_text(name, text):
    text = f"A{text}"  # a word, without which tokenizers of words refuse
    found = byte_ledger(TOKENIZERS[name], text)
    assert found.faults == ()
    assert found.file_bytes == found.covered == len(text.encode())
    assert found.exact == (TOKENIZERS[name].decode(TOKENIZERS[name].encode(text).ids) == text)


def test_what_is_counted():
    found = byte_ledger(BYTES, "\ufeffOne café,\r\ntwo  😀s.\r\n")
    expected = {
        "file_bytes": 28, "covered": 28, "first_bytes": 1, "tokens": 28, "empty_tokens": 0, "split_tokens": 6,
        "mark_bytes": 3, "invalid_bytes": 0, "crlf": 2, "characters": 22, "words": 4, "exact": True, "faults": [],
    }  # fmt: skip
    assert {name: found.to_dict()[name] for name in expected} == expected
    assert found.places > 20


def test_the_first_tokens_bytes_and_those_that_cover_none():
    encoding = Encoding(np.array([97, 0, 98], np.uint16), np.array([1, 0, 1], np.uint32))
    found = byte_ledger(dataclasses.replace(FaultyTokenizer(), read=lambda text: text), "ab", encoding)
    assert (found.first_bytes, found.empty_tokens, found.balanced) == (1, 1, True)


def test_what_words_lose_is_counted():
    tokens = train_tokenizer("words", "the cat sat", normalisation=Normalisation(lower=True, punctuation="drop"))
    found = byte_ledger(tokens, "The  cat sat, purring", unknown=0)
    assert not found.exact
    assert dataclasses.asdict(found.lost) == {"unknown": 1, "case": 1, "whitespace": 2, "signs": 1, "others": 0}
    assert str(found.lost) == "1 unknown token, 1 capital, 2 whitespace characters, 1 sign"


@pytest.mark.parametrize(
    ("raw", "text", "fault"),
    [
        (b"\xef\xbb\xbfab", "ab", "the text (2 bytes) is not the content of the file (5 bytes)"),
        (b"a\r\nb", "a\nb", "the text (3 bytes) is not the content of the file (4 bytes)"),
        (b"a\xff\xfeb", "ab", "2 bytes of the file are not UTF-8, so no text can contain them"),
        (b"a\xffb", "a\ufffdb", "1 bytes of the file are not UTF-8, so no text can contain them"),
        (b"ab", "ba", "the text (2 bytes) is not the content of the file (2 bytes)"),
    ],
)
def test_a_text_that_is_not_its_file_is_found(raw, text, fault):
    assert byte_ledger(BYTES, text, raw=raw).faults[0] == fault
    assert byte_ledger(BYTES, raw.decode(errors="ignore"), raw=raw).balanced == (
        raw.decode(errors="ignore").encode() == raw
    )


@pytest.mark.parametrize("count", [faulty.right_in_all, faulty.all_to_the_first])
def test_a_total_that_is_right_by_accident_is_not_enough(count):
    text = "nothing here but plain letters"
    found = byte_ledger(FaultyTokenizer(count=count), text)
    assert found.file_bytes == found.covered
    assert len(found.faults) == 1
    assert "are said to cover" in found.faults[0]


def test_swapped_bytes_are_found_without_cuts():
    """A tokenizer that allows no cut is looked at by decoding."""

    class Whole(FaultyTokenizer):
        def cut(self, text: str) -> int:
            return 0

    assert byte_ledger(Whole(), "one two").places == 7
    (fault,) = byte_ledger(Whole(count=faulty.right_in_all), "one two").faults
    assert fault == "the first 1 tokens are said to cover 2 bytes, but their text has 1"


def test_a_large_text_takes_no_longer_than_its_beginning():
    found = byte_ledger(BYTES, "a word and another\n" * 50_000)
    assert found.balanced
    assert found.places < 200


def test_pieces_that_are_not_the_whole_file_are_a_fault():
    tokens = train_tokenizer("bytes", "")
    assert ledger_of_pieces(tokens, ["one ", "two"], size=7) == ledger_of_pieces(tokens, ["one ", "two"])
    found = ledger_of_pieces(tokens, ["one ", "two"], size=9)
    assert found is not None
    assert (found.balanced, found.file_bytes) == (False, 9)
    assert found.faults == ("the pieces that were read have 7 bytes, but the file has 9",)
