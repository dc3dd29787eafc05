"""How much of a text a model saw in training, and what is unknown about that."""

import shutil
from pathlib import Path

import pytest

from attnlab.data.texts.loading import TrainingText, load_text
from attnlab.errors import FileError
from attnlab.evaluation.scoring.overlap import seen_in_training
from attnlab.evaluation.scoring.predictors import predictor_of
from attnlab.evaluation.scoring.subjects import Subject, open_subject
from attnlab.models.ngrams.ngram import NGram
from attnlab.text import train_tokenizer

GOLDEN = Path(__file__).parents[2] / "golden"
OLD = "".join(f"Line {number} of the text that the model learnt.\n" for number in range(200))
NEW = "".join(f"Verse {number}, which nobody has shown to it.\n" for number in range(200))


def subject(trained_on: TrainingText | None) -> Subject:
    tokens = train_tokenizer("bytes", "")
    return Subject("m", tokens, predictor_of(NGram.fit([1, 2, 3], 256, 2)), trained_on=trained_on)


def test_the_share_of_a_text_that_the_training_text_holds(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(OLD)
    known = TrainingText(str(path), load_text(path).sha256)
    assert seen_in_training(subject(known), load_text(path).train) == 1
    assert seen_in_training(subject(known), NEW) == 0
    assert seen_in_training(subject(None), NEW) is None


def test_another_text_at_the_path_of_the_training_text_makes_it_unknown(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(OLD)
    known = TrainingText(str(path), load_text(path).sha256)
    path.write_text(NEW)
    assert seen_in_training(subject(known), OLD) is None
    with pytest.raises(FileError, match=r"text.txt: the text has changed since the model was trained on it$"):
        known.read()


def test_the_hash_comes_from_the_run(tmp_path, monkeypatch):
    shutil.copytree(GOLDEN, tmp_path / "golden")
    monkeypatch.chdir(tmp_path / "golden")
    old = Path("text.txt").read_text()
    assert seen_in_training(open_subject("ngram"), load_text("text.txt").train) == 1
    Path("text.txt").write_text(NEW)
    assert seen_in_training(open_subject("ngram"), old) is None
