"""ARPA files and back-off models, against KenLM, and against the definition: one n-gram at a time."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnlab.errors import ArgumentError, FileError
from attnlab.models.ngrams.arpa import Arpa
from attnlab.models.ngrams.arpa.reading import read_arpa
from attnlab.models.ngrams.arpa.writing import arpa_pieces
from attnlab.models.ngrams.backoff import Backoff
from attnlab.models.ngrams.ngram import NGram

KENLM = Path(__file__).parent / "kenlm"
TEXT = """
\\data\\
ngram 1=5
ngram 2=4
ngram 3=2

\\1-grams:
-1.5\t<unk>
0\t<s>\t-0.3
-0.9\t</s>
-0.4\tthe\t-0.2
-0.7\tcat\t-0.1

\\2-grams:
-0.2\t<s> the\t-0.05
-0.3\tthe cat\t0
-0.25 the </s>
-0.6\tcat </s>

\\3-grams:
-0.1\t<s> the cat
-0.15\tthe cat </s>

\\end\\
"""
IDS = {"<unk>": 0, "the": 1, "cat": 2, "</s>": 3, "<s>": 3}


def read(tmp_path: Path, text: str) -> Arpa:
    path = tmp_path / "model.arpa"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return read_arpa(path)


class Definition:
    """Back-off by the definition, in log₁₀."""

    def __init__(self, text: str):
        self.table: dict[tuple[str, ...], tuple[float, float]] = {}
        for line in text.splitlines():
            if line[:1] in "-0" and line:
                first, *words = line.split()
                weight = words.pop() if words[-1].lstrip("-")[:1].isdigit() else "0"
                self.table[tuple(words)] = float(first), float(weight)

    def log(self, word: str, context: tuple[str, ...]) -> float:
        if (*context, word) in self.table:
            return self.table[*context, word][0]
        return self.table.get(context, (0, 0))[1] + self.log(word, context[1:])


def test_it_agrees_with_the_definition(tmp_path):
    found, slow = read(tmp_path, TEXT), Definition(TEXT)
    assert found.words == ("the", "cat", "</s>")
    assert (found.model.boundary, found.model.order, found.model.size) == (3, 3, 4)
    sentences = [["the", "cat"], ["cat", "the"], [], ["dog", "the", "the", "cat"]]
    wanted, ids = [], [3]
    for sentence in sentences:
        words = ["<s>", *sentence, "</s>"]
        known = [word if word in IDS else "<unk>" for word in words]
        wanted += [slow.log(known[i], tuple(known[max(0, i - 2) : i])) for i in range(1, len(known))]
        ids += [IDS[word] for word in known[1:]]
    np.testing.assert_allclose(-found.model.nats(ids)[1:] / math.log(10), wanted, rtol=1e-12)
    np.testing.assert_allclose(found.model.next(ids[:3])[ids[3]], math.exp(-found.model.nats(ids)[3]), rtol=1e-12)


texts = st.lists(st.integers(0, 4), max_size=40)


@settings(max_examples=60, deadline=None)
@given(text=texts, other=texts, order=st.integers(1, 4), sentences=st.booleans())
def test_interpolated_is_back_off_exactly_and_survives_the_file(tmp_path_factory, text, other, order, sentences):
    model = NGram.fit(text, 6, order, boundary=4 if sentences else None)
    table = Backoff.of(model)
    assert (table.nats(other) == model.nats(other)).all()
    np.testing.assert_allclose(table.next(other), model.next(other), rtol=1e-12)
    words = ("a", "b", "<c>", "</s>" if sentences else "d", "-1.5")
    again = read(tmp_path_factory.mktemp("arpa"), b"".join(arpa_pieces(Arpa(words, table))).decode())
    assert again.model.boundary == (5 if sentences else None)
    # The file lists the boundary first, and reading puts it last.
    place = {each: each for each in range(6)} | ({4: 5, 5: 4} if sentences else {})
    moved = [place[each] for each in other]
    np.testing.assert_allclose(again.model.nats(moved), model.nats(other), atol=1e-7)


def test_what_ends_a_sentence_has_no_back_off_weight():
    """As in the files of KenLM: </s> is no context, and the weight of sentence beginnings stands at <s>."""
    model = Backoff.of(NGram.fit([1, 2, 3, 2, 1, 3], 4, 3, boundary=3))
    lines = b"".join(arpa_pieces(Arpa(("a", "b", "</s>"), model))).decode().splitlines()
    fields = (line.split("\t") for line in lines if line.count("\t") == 2)
    weights = {words: float(weight) for _, words, weight in fields}
    ended = {words: weight for words, weight in weights.items() if words.endswith("</s>")}
    assert ended == dict.fromkeys(("</s>", "a </s>", "b </s>"), 0.0)
    assert weights["<s>"] < 0


@pytest.mark.parametrize("source", ["the ARPA file of lmplz", "a model of the lab, trained on the same sentences"])
def test_each_word_has_the_log_probability_that_query_prints(source):
    test, text = ((KENLM / name).read_text().splitlines() for name in ("test.txt", "text.txt"))
    words = [word for line in test for word in (*line.split(), "</s>")]
    told = re.findall(r"(\S+)=\d+ \d+ (\S+)", (KENLM / "query.txt").read_text())
    assert [word for word, _ in told] == words
    if "ARPA" in source:
        found = read_arpa(KENLM / "model.arpa")
        ids, model = {word: id for id, word in enumerate(found.words, start=1)}, found.model
    else:
        counted = [word for line in text for word in (*line.split(), "</s>")]
        ids = {word: id for id, word in enumerate(dict.fromkeys(counted), start=1)}
        model = NGram.fit([ids[word] for word in counted], len(ids) + 1, 3, boundary=ids["</s>"])
    nats = model.nats([ids["</s>"], *(ids.get(word, 0) for word in words)])[1:]
    np.testing.assert_allclose(-nats / math.log(10), [float(log) for _, log in told], atol=1e-6, rtol=0)


def test_a_file_without_unknown_word_and_sentences(tmp_path):
    text = "\\data\\\nngram 1=2\n\n\\1-grams:\n-0.30103\ta\n-0.30103\tb\n\n\\end\\\n"
    found = read(tmp_path, text)
    assert found.model.boundary is None
    np.testing.assert_allclose(found.model.nats([0, 1]) / math.log(10), [100, 0.30103])


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("\\data\\", "ARPA", 2, "expected \\data\\, the first line of an ARPA file, got 'ARPA'"),
        ("ngram 1=5", "ngram 2=5", 3, "expected ngram 1=COUNT, got 'ngram 2=5'"),
        ("ngram 2=4", "ngram 2=x", 4, "expected ngram 2=COUNT or \\1-grams:, got 'ngram 2=x'"),
        ("ngram 2=4", "ngram 2=999", 4, f"expected fewer n-grams than the file has bytes, {len(TEXT) + 2}; got '999'"),
        ("ngram 2=4", "ngram 2=5", 19, "expected a number, 2 words and perhaps a back-off weight, got ''"),
        ("ngram 2=4", "ngram 2=3", 18, "expected \\3-grams:, got '-0.6\\tcat </s>'"),
        ("\\2-grams:", "\\3-grams:", 14, "expected \\2-grams:, got '\\\\3-grams:'"),
        ("\\1-grams:", "\\2-grams:", 7, "expected \\1-grams:, got '\\\\2-grams:'"),
        ("-0.4\tthe", "x\tthe", 11, "expected a number, got 'x'"),
        ("-0.4\tthe", "nan\tthe", 11, "expected log₁₀ of a probability, at most 0, got 'nan'"),
        ("-0.4\tthe", "0.4\tthe", 11, "expected log₁₀ of a probability, at most 0, got '0.4'"),
        ("-0.7\tcat\t-0.1", "-0.7\tcat\t1e9", 12, "expected log₁₀ of a back-off weight, got '1e9'"),
        ("-0.7\tcat\t-0.1", "-0.7\tthe\t-0.1", 12, "expected each word once, got 'the' again"),
        ("-0.7\tcat", "-0.7\t\udcff", 12, "expected a word in UTF-8, got '\\\\xff'"),
        ("-0.3\tthe cat", "-0.3\tthe dog", 16, "expected a word of the 1-grams, got 'dog'"),
        ("-0.1\t<s> the cat", "-0.1\t<s> cat the", 21, "expected '<s> cat' among the 2-grams: it begins this n-gram"),
        ("-0.6\tcat </s>", "-0.6\tthe cat", 18, "expected each n-gram once, got this one again"),
        ("\t<s> the cat", "\t<s> the cat\t-1", 21, "expected no back-off weight in the longest n-grams, of 3 words"),
        ("\\end\\", "the end", 24, "expected \\end\\, got 'the end'"),
        ("\\end\\", "", None, "expected \\end\\, got the end of the file"),
        ("-0.9\t</s>", "-0.9\tends", None, "expected both <s> and </s> among the 1-grams, or neither; </s> is missing"),
        (TEXT[TEXT.index("-0.15") :], "", None, "expected 2 3-grams, got the end of the file after 1 of them"),
    ],
)  # fmt: skip
def test_faults_are_named_with_their_line(tmp_path, old, new, line, message):
    assert old in TEXT
    with pytest.raises(FileError) as caught:
        read(tmp_path, TEXT.replace(old, new, 1))
    where = f", line {line}" if line else ""
    assert str(caught.value) == f"{tmp_path / 'model.arpa'}{where}: {message}"


def test_words_that_the_file_cannot_hold():
    model = Backoff.of(NGram.fit([0, 1, 2], 3, 2))
    for word in ("<s>", "a b", "<unk>", "a\tb", ""):
        with pytest.raises(ArgumentError, match="ARPA files cannot hold the word"):
            arpa_pieces(Arpa(("x", word), model))
