"""What holds for every tokenizer, on every text."""

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnlab.errors import ArgumentError
from attnlab.text import (
    Normalisation,
    Tokenizer,
    load_tokenizer,
    save_tokenizer,
    tokenizer_from_json,
    tokenizer_hash,
    train_tokenizer,
)

SAMPLE = "The quick brown fox, aged 3,000, doesn't jump over the lazy dog's café… twice!\n\nThe end (of the fox).\n"

TOKENIZERS: dict[str, Tokenizer] = {
    "characters": train_tokenizer("characters", SAMPLE),
    "bytes": train_tokenizer("bytes", SAMPLE),
    "byte-pairs": train_tokenizer("byte-pairs", SAMPLE, vocabulary=280),
    "words": train_tokenizer("words", SAMPLE, vocabulary=12),
    "words, all normalised": train_tokenizer(
        "words",
        SAMPLE,
        normalisation=Normalisation(lower=True, numbers=True, punctuation="drop", form="NFKC", lines=True),
    ),
    "words at whitespace": train_tokenizer("words", SAMPLE, normalisation=Normalisation(split="whitespace")),
    "words and lines": train_tokenizer("words", SAMPLE, normalisation=Normalisation(lines=True, form="NFC")),
}
EXACT = ("bytes", "byte-pairs")

HARD = [
    "",
    "😀 👩‍👩‍👧 🇨🇭",
    "e\u0301 cafe\u0301s  न\u092e\u0938\u094d\u0924\u0947",
    "a\r\nb\r\n\r\nc\r",
    "\ufeffThe fox",
    "a\0b\0 \0",
    "  \t leading, and trailing \n\n ",
    "x" * 300 + " " * 300 + "\x1c\x85\u2028 y",
    "ΣΑΣ İstanbul ﬁ ½ 1.2.3x 3,000",
    "don't 'tis we'll I'M <unk> <eol> <number>",
]
texts = st.text(st.one_of(st.sampled_from("Theqfox 3,.'\n\t-"), st.characters(codec="utf-8")), max_size=80)
each_tokenizer = pytest.mark.parametrize("name", TOKENIZERS)


def has_words(name: str, text: str) -> bool:
    """Whether there is anything for the tokenizer in a text; if not, it must say so."""
    rule = getattr(TOKENIZERS[name], "normalisation", None)
    if rule is None or not text or rule.token.search(text):
        return True
    assert not any(character.isalnum() for character in text)
    with pytest.raises(ArgumentError, match=r"^text: expected at least one word, got \d+ characters and no word$"):
        TOKENIZERS[name].encode(text)
    return False


def check(name: str, text: str) -> None:
    """The promises of a tokenizer on one text."""
    tokenizer = TOKENIZERS[name]
    if not has_words(name, text):
        return
    encoding = tokenizer.encode(text)
    raw = text.encode()
    assert encoding.ids.shape == encoding.raw_bytes.shape == (len(encoding),)
    assert int(encoding.raw_bytes.sum()) == len(raw)
    assert bool((encoding.ids < tokenizer.size).all())
    assert bool((encoding.raw_bytes > 0).all())
    decoded = tokenizer.decode(encoding.ids)
    if name in EXACT:
        assert decoded == text
    if name == "characters":
        known = set(SAMPLE)
        assert decoded == "".join(character if character in known else "�" for character in text)
    loaded = tokenizer_from_json(json.loads(json.dumps(tokenizer.to_json())))
    assert loaded == tokenizer
    assert np.array_equal(loaded.encode(text).ids, encoding.ids)


@each_tokenizer
@pytest.mark.parametrize("text", HARD)
def test_the_promises_on_hard_texts(name, text):
    check(name, text)


@each_tokenizer
@settings(max_examples=60, deadline=None)
@given(text=texts)
def test_the_promises_on_any_text(name, text):
    check(name, text)


@each_tokenizer
@settings(max_examples=120, deadline=None)
@given(text=texts, more=texts)
@example(text="a\x1c b", more="c")
@example(text="3,", more="000 b")
def test_a_text_is_cut_where_its_parts_encode_as_the_whole(name, text, more):
    place = TOKENIZERS[name].cut(text)
    assert 0 <= place <= len(text)
    if place == 0:
        return
    whole = TOKENIZERS[name].encode(text + more)
    parts = [TOKENIZERS[name].encode(text[:place])]
    if text[place:] + more:
        parts.append(TOKENIZERS[name].encode(text[place:] + more))
    assert np.concatenate([part.ids for part in parts]).tolist() == whole.ids.tolist()
    assert np.concatenate([part.raw_bytes for part in parts]).tolist() == whole.raw_bytes.tolist()


@each_tokenizer
def test_ordinary_prose_can_be_cut_near_its_end(name):
    assert TOKENIZERS[name].cut(SAMPLE * 100) > len(SAMPLE) * 99


@each_tokenizer
def test_the_empty_text_has_no_tokens(name):
    encoding = TOKENIZERS[name].encode("")
    assert len(encoding) == 0
    assert TOKENIZERS[name].decode(encoding.ids) == TOKENIZERS[name].decode([]) == ""


@each_tokenizer
def test_a_lone_surrogate_is_refused(name):
    with pytest.raises(ArgumentError) as error:
        TOKENIZERS[name].encode("ab \ud800 c")
    assert str(error.value) == (
        "text: expected text that UTF-8 can encode; got half a surrogate pair, U+D800 at character 3, counted from 0"
    )


@each_tokenizer
@pytest.mark.usefixtures("as_installed")
def test_ids_outside_of_the_vocabulary_are_refused(name):
    size = TOKENIZERS[name].size
    for wrong in (-1, size):
        with pytest.raises(ArgumentError, match=rf"^ids: expected numbers from 0 to {size - 1}, got {wrong}$"):
            TOKENIZERS[name].decode([0, wrong])
    with pytest.raises(ArgumentError, match=r"^ids: expected whole numbers in a row"):
        TOKENIZERS[name].decode([0.5])  # pyright: ignore[reportArgumentType]


@each_tokenizer
def test_a_saved_tokenizer_comes_back(name, tmp_path):
    path = tmp_path / "new" / "tokenizer.json"
    save_tokenizer(TOKENIZERS[name], path)
    loaded = load_tokenizer(path)
    assert loaded == TOKENIZERS[name]
    assert tokenizer_hash(loaded) == tokenizer_hash(TOKENIZERS[name])


def test_different_tokenizers_have_different_hashes():
    assert len({tokenizer_hash(each) for each in TOKENIZERS.values()}) == len(TOKENIZERS)


def test_training_twice_gives_the_same():
    for kind in ("characters", "words", "byte-pairs"):
        assert train_tokenizer(kind, SAMPLE * 3) == train_tokenizer(kind, [SAMPLE] * 3)
