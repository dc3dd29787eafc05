"""Token files: the same tokens as the whole text at once, and one clear line for a file that is not whole."""

import json
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnlab.data.texts.slices import TextSlice
from attnlab.data.tokens.files import cut_again, encode_pieces, open_tokens, write_tokens
from attnlab.errors import ArgumentError, FileError
from attnlab.text import Normalisation, Tokenizer, train_tokenizer

SAMPLE = "  The fox, aged 3,000, doesn't jump — over the café's dog… “twice”!\n\n\n" * 3 + "The\tend (of\x1c it).\r\n "
RULES = (
    Normalisation(),
    Normalisation(lower=True, numbers=True, punctuation="drop", form="NFC"),
    Normalisation(split="whitespace", lines=True),
)
TOKENIZERS: list[Tokenizer] = [
    train_tokenizer("characters", "The fox jumps"),
    train_tokenizer("bytes", ""),
    train_tokenizer("byte-pairs", SAMPLE, vocabulary=300),
    *(train_tokenizer("words", SAMPLE, vocabulary=10, normalisation=rule) for rule in RULES),
]
each_tokenizer = pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=lambda each: each.kind)


@each_tokenizer
@given(data=st.data())
def test_pieces_give_the_tokens_of_the_whole(tokenizer, data):
    text = SAMPLE + data.draw(st.text(st.sampled_from("The 3,.'-\n\té\u0301"), max_size=40))
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    pieces = [text[first:last] for first, last in zip([0, *places], [*places, len(text)], strict=True)]
    whole = tokenizer.encode(text)
    found = list(encode_pieces(tokenizer, pieces))
    assert np.concatenate([each.ids for each in found]).tolist() == whole.ids.tolist()
    assert np.concatenate([each.raw_bytes for each in found]).tolist() == whole.raw_bytes.tolist()


def test_a_short_text_is_one_piece_and_the_last_one_holds_the_rest():
    tokenizer = train_tokenizer("words", "a b")
    assert list(cut_again(tokenizer, TextSlice.of([b"one two three."]).pieces())) == ["one two three."]
    assert list(cut_again(tokenizer, ["one two thr", "ee four."])) == ["one two ", "three four."]


@each_tokenizer
def test_what_is_written_is_read(tokenizer, tmp_path):
    path, told = tmp_path / "new" / "train.bin", []
    write_tokens(tokenizer, SAMPLE.split(), path, told.append)
    text = "".join(SAMPLE.split())
    tokens = open_tokens(path, tokenizer)
    assert tokens.ids.tolist() == tokenizer.encode(text).ids.tolist()
    assert tokens.raw_bytes.tolist() == tokenizer.encode(text).raw_bytes.tolist()
    assert isinstance(tokens.ids, np.memmap)
    assert tokens.raw_total == told[-1] == len(text.encode())
    assert sorted(os.listdir(path.parent)) == ["train.bin", "train.bytes.bin", "train.json"]


def test_tokens_that_cover_many_bytes(tmp_path):
    tokenizer = train_tokenizer("words", "a")
    text = ["a" + " " * 10, "b" + " " * 300 + "c ", "d" + " " * 70000, "e"]
    tokens = write_tokens(tokenizer, text, tmp_path / "a.bin")
    assert tokens.raw_bytes.tolist() == [11, 301, 2, 70001, 1]
    assert tokens.raw_bytes.dtype == np.uint32
    assert write_tokens(tokenizer, text[:2], tmp_path / "a.bin").raw_bytes.dtype == np.uint16
    assert len(os.listdir(tmp_path)) == 3


def test_large_vocabularies_take_more_bytes(tmp_path):
    words = [f"w{number}" for number in range(70000)]
    tokenizer = train_tokenizer("words", " ".join(words))
    tokens = write_tokens(tokenizer, [" ".join(words[-3:])], tmp_path / "a.bin")
    assert tokens.ids.dtype == np.uint32
    assert tokenizer.decode(tokens.ids) == " ".join(words[-3:])


def test_what_fails_on_the_way_leaves_nothing(tmp_path):
    def interrupted():
        yield "one two "
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_tokens(train_tokenizer("bytes", ""), interrupted(), tmp_path / "a.bin")
    with pytest.raises(ArgumentError, match=r"^text: expected at least one token, got an empty text$"):
        write_tokens(train_tokenizer("bytes", ""), [], tmp_path / "a.bin")
    assert os.listdir(tmp_path) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match=r"a\.bin: cannot be written: "):
        write_tokens(train_tokenizer("bytes", ""), ["a"], tmp_path / "file" / "a.bin")
    with pytest.raises(FileError, match=r"a\.txt: expected a file name that ends in \.bin"):
        write_tokens(train_tokenizer("bytes", ""), ["a"], tmp_path / "a.txt")


def said(path, tokenizer=None) -> str:
    with pytest.raises(FileError) as error:
        open_tokens(path, tokenizer)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_file_that_is_not_whole_or_not_ours(tmp_path):
    path = tmp_path / "a.bin"
    write_tokens(train_tokenizer("bytes", ""), ["one two"], path)
    other = train_tokenizer("characters", "one two")
    assert said(path, other) == f"{path}: its tokens come from another tokenizer (bytes, 256 ids); remake it"
    path.write_bytes(path.read_bytes()[:-1])
    assert said(path) == f"{path}: expected 14 bytes, got 13: cut short, or another file"
    path.unlink()
    assert said(path) == f"{path}: there is no such file"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("", ", got no JSON"),
        ("[]", ", got another JSON value"),
        ({"format": "x"}, ": format: expected attnlab tokens; got 'x'"),
        ({"version": 9}, ": version: expected 1; got 9"),
        ({"tokens": "many"}, ": tokens: expected a whole number, got 'many'"),
        ({"size": None}, ": size: expected a whole number, got None"),
        (
            {"dtype": "float64"},
            ": dtype: expected uint16 or uint32; got 'float64'",
        ),
        (
            {"raw_dtype": "object"},
            ": raw_dtype: expected uint8, uint16 or uint32; got 'object'",
        ),
        ({"tokens": -7}, ": tokens: expected a whole number of at least 1, got -7; try 1"),
    ],
)
def test_a_description_that_is_none(tmp_path, change, message):
    write_tokens(train_tokenizer("bytes", ""), ["one two"], tmp_path / "a.bin")
    sidecar = tmp_path / "a.json"
    value = change if isinstance(change, str) else json.dumps(json.loads(sidecar.read_text()) | change)
    sidecar.write_text(value)
    assert said(tmp_path / "a.bin") == f"{sidecar}: expected the description of a token file{message}"
    sidecar.unlink()
    assert said(tmp_path / "a.bin") == f"{tmp_path / 'a.bin'}: not a token file: expected a.json beside it"
