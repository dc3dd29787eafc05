"""Training, saving and loading: what cannot be is said in one line."""

import json

import pytest

from attnlab.errors import ArgumentError, FileError
from attnlab.text import load_tokenizer, train_tokenizer
from attnlab.text.byte_pairs import BytePairTokenizer

HEAD = {"format": "attnlab tokenizer", "version": 1}
RULE = {
    "split": "words",
    "lower": False,
    "numbers": False,
    "punctuation": "keep",
    "form": "as-is",
    "lines": False,
}


@pytest.mark.parametrize(
    ("kind", "texts", "options", "message"),
    [
        ("letters", "a", {}, "kind: expected characters, bytes, words or byte-pairs; got 'letters'"),
        ("characters", "a", {"vocabulary": 3}, "vocabulary: characters has no such option; its options: none"),
        ("byte-pairs", "a", {"lower": True}, "lower: byte-pairs has no such option; its options: vocabulary"),
        ("words", "a", {"lower": True}, "lower: words has no such option; its options: vocabulary, normalisation"),
        ("words", "a", {"vocabulary": 1},
         "vocabulary: expected at least 2 words, of which one stands for unknown words; got 1"),
        ("byte-pairs", "a", {"vocabulary": 255},
         "vocabulary: expected at least 256 tokens, one for each byte; got 255"),
        ("characters", "", {}, "texts: expected at least one character, got no characters"),
        ("words", [" ", "\n"], {}, "texts: expected at least one word, got no words"),
        ("words", "\udc80", {}, "text: expected text that UTF-8 can encode; got half a surrogate pair, U+DC80 at "
         "character 0, counted from 0"),
        ("byte-pairs", "a\udc80", {}, "text: expected text that UTF-8 can encode; got half a surrogate pair, U+DC80 at "
         "character 1, counted from 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_trained(kind, texts, options, message):
    with pytest.raises(ArgumentError) as error:
        train_tokenizer(kind, texts, **options)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected a tokenizer of the lab, got no JSON"),
        ('{"format": "attnlab tok', "expected a tokenizer of the lab, got no JSON"),
        (b"\xff\xfe{", "expected a tokenizer of the lab, got no JSON"),
        ("[1]", "expected a tokenizer of the lab, got another JSON value"),
        ({"model": {"type": "BPE"}}, "expected a tokenizer of the lab: format: the value is missing"),
        (HEAD | {"version": 2}, "expected a tokenizer of the lab: version: expected 1; got 2"),
        (HEAD | {"kind": "letters"}, "kind: expected characters, bytes, words or byte-pairs; got 'letters'"),
        (HEAD | {"kind": "words"}, "expected 'vocabulary' in a tokenizer of words; it is missing"),
        (HEAD | {"kind": "characters", "vocabulary": "ba"}, "expected a vocabulary of sorted characters without"),
        (
            HEAD | {"kind": "words", "vocabulary": ["a", "a"], "normalisation": RULE},
            "without repetition and without <unk>",
        ),
        (HEAD | {"kind": "words", "vocabulary": ["a", 3], "normalisation": RULE}, "expected a vocabulary of words"),
        (
            HEAD | {"kind": "words", "vocabulary": ["a"], "normalisation": {}},
            "split: the value is missing",
        ),
        (HEAD | {"kind": "words", "vocabulary": ["a"], "normalisation": RULE | {"form": "X"}}, "form: expected as-is"),
        (HEAD | {"kind": "byte-pairs", "vocabulary": ["a"], "merges": []}, "a vocabulary with every byte in it"),
    ],
)
@pytest.mark.usefixtures("as_installed")
def test_a_file_that_is_no_tokenizer(tmp_path, content, message):
    path = tmp_path / "tokenizer.json"
    content = json.dumps(content) if isinstance(content, dict) else content
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FileError) as error:
        load_tokenizer(path)
    assert str(error.value).startswith(f"{path}")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_merges_that_lead_out_of_the_vocabulary(tmp_path):
    value = HEAD | train_tokenizer("byte-pairs", "aaaa aaaa", vocabulary=258).to_json()
    value["merges"].append(["a", "b"])
    (tmp_path / "t.json").write_text(json.dumps(value))
    with pytest.raises(FileError, match=r"expected merges of two tokens into one of the vocabulary, got \['a', 'b'\]"):
        load_tokenizer(tmp_path / "t.json")


def test_no_file(tmp_path):
    with pytest.raises(FileError, match="there is no such file"):
        load_tokenizer(tmp_path / "none.json")
    with pytest.raises(FileError, match="expected a file, got a folder"):
        load_tokenizer(tmp_path)


def test_byte_pairs_are_as_many_as_asked_for_or_as_there_are():
    text = "the cat and the hat and the bat " * 20
    assert train_tokenizer("byte-pairs", text, vocabulary=265).size == 265
    assert 265 < train_tokenizer("byte-pairs", text).size < 4096


def test_byte_pairs_that_split_a_character():
    tokenizer = train_tokenizer("byte-pairs", "abc")
    encoding = tokenizer.encode("é😀")
    assert encoding.raw_bytes.tolist() == [1] * 6
    assert tokenizer.decode(encoding.ids[:1]) == "�"
    assert tokenizer.decode(encoding.ids) == "é😀"


@pytest.mark.parametrize("around", ["a{} b", "{}  b", "a {}\n", " {}'s\t{}"])
def test_byte_pairs_are_those_of_the_library_on_the_whole_text(around):
    """We hand it the text in pieces; what it and Python call whitespace must not make a difference."""
    tokenizer = train_tokenizer("byte-pairs", "the cat. The  hat\n\n and 3.14 don't " * 9, vocabulary=290)
    assert isinstance(tokenizer, BytePairTokenizer)
    points = [*range(0x3100), 0xFEFF, 0x1F600]  # all of Unicode's whitespace is among them
    text = "".join(around.format(chr(point), chr(point)) for point in points)
    assert tokenizer.encode(text).ids.tolist() == tokenizer._encoder.encode(text, add_special_tokens=False).ids
