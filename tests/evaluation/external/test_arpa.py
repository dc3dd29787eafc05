"""ARPA files as models: opened, measured, audited, sampled; and exported from runs with the same probabilities."""

import numpy as np
import pytest

import attnlab as al
from attnlab.errors import FileError
from attnlab.evaluation.scoring.subjects import open_subject

TRAIN = "the cat sat on the mat\nthe dog sat\nthe cat saw the dog\n\na dog saw a cat\n" * 3
TEST = "the dog sat on a mat\nthe bird saw the cat\n"


@pytest.fixture(scope="module", params=[True, False], ids=["sentences", "one row"])
def pair(request, tmp_path_factory):
    """A run, and the same model as an ARPA file."""
    place = tmp_path_factory.mktemp("arpa")
    (place / "train.txt").write_text(TRAIN)
    (place / "test.txt").write_text(TEST)
    tokens = {"kind": "words", "split": "whitespace", "lines": True}
    model = {"kind": "ngram", "order": 3, "sentences": request.param}
    al.train(place / "train.txt", model=model, tokens=tokens, out=place / "run")
    found = al.export(place / "run", place / "model.arpa")
    return place, found, request.param


def test_the_file_gives_the_probabilities_of_the_run(pair):
    place, found, sentences = pair
    run, file = al.open(place / "run"), al.open(place / "model.arpa")
    assert found.sentences == sentences
    assert f"ngram 3={found.ngrams[2]}\n" in (place / "model.arpa").read_text()
    assert run.tokenizer.size == file.tokenizer.size
    np.testing.assert_allclose(file.score(TEST).costs.nats, run.score(TEST).costs.nats, rtol=1e-7)
    assert file.step is None
    assert file.sample(length=30, seed=1).text


def test_the_first_word_of_a_line_sees_only_its_line(pair):
    place, _, sentences = pair
    for name in ("run", "model.arpa"):
        nats = [al.open(place / name).score(text).costs.nats for text in ("the dog\nthe cat\n", "a mat\nthe cat\n")]
        assert (nats[0][3] == nats[1][3]) == sentences
        if sentences:  # a text begins like a line
            assert nats[0][0] == nats[0][3]


def test_a_file_is_audited_and_compared(pair):
    place, _, _ = pair
    found = al.perplexity(place / "model.arpa", place / "run", text=place / "test.txt")
    assert all(each.sound for each in found.measured)
    file, run = (each.measures[0].perplexity.value for each in found.measured)
    assert file == pytest.approx(run, rel=1e-6)
    assert al.audit(place / "model.arpa", text=place / "test.txt").sound


def test_a_table_that_does_not_add_up_fails_the_audit(pair, tmp_path):
    place, _, _ = pair
    lines = (place / "model.arpa").read_text().splitlines()
    changed = [line.replace(line.split("\t")[0], "-0.01") if "\tthe\t" in line else line for line in lines]
    (tmp_path / "wrong.arpa").write_text("\n".join(changed) + "\n")
    assert not al.audit(tmp_path / "wrong.arpa", text=place / "test.txt").sound


def test_what_is_no_file_of_a_model_is_named(tmp_path):
    with pytest.raises(FileError, match=r"none\.arpa: there is no such file"):
        open_subject(str(tmp_path / "none.arpa"))
    lines = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t<eol>\n-1\ta\n-99\t<s>\n-0.1\t</s>\n\n\\end\\\n"
    (tmp_path / "both.arpa").write_text(lines)
    with pytest.raises(FileError, match="expected no word <eol> beside </s>: both stand for the end of a line"):
        open_subject(str(tmp_path / "both.arpa"))
