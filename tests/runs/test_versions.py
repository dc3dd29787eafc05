"""What is recorded is what was done: config.json holds all of it, and a run opens only with its own tokenizer."""

import json
import shutil
from pathlib import Path

import pytest

from attnlab.benches.language import open_model, resume, train
from attnlab.benches.language.configuring import configure
from attnlab.benches.perplexity.auditing import audit
from attnlab.errors import FileError
from attnlab.runs.folder import Run
from attnlab.text import save_tokenizer, train_tokenizer

GOLDEN = Path(__file__).parents[1] / "golden"
TINY = {"kind": "transformer", "layers": 1, "heads": 1, "width": 8, "context": 8}
TRAINED = {
    "ngram": ("ngram", {}, {"kind": "none"}),
    "bigram": (
        {"kind": "bigram", "dim": 3},
        {"steps": 2, "rate": 0.5},
        {"kind": "counts", "steps": 2, "rate": 0.5, "penalty": 4e-6, "vector_penalty": 1e-6, "seed": 0},
    ),
    "transformer": (TINY, {"steps": 2, "batch": 2}, {"kind": "batches", "steps": 2, "batch": 2}),
}


@pytest.fixture(autouse=True)
def text(tmp_path, monkeypatch):
    (tmp_path / "text.txt").write_text("to be or not to be, that is the question\n" * 30)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", TRAINED)
def test_the_config_holds_the_training_that_was_done_and_no_other(name, tmp_path):
    model, options, expected = TRAINED[name]
    found = train(configure("text.txt", model=model, training=options), tmp_path / "run")
    written = json.loads((tmp_path / "run" / "config.json").read_text())["training"]
    assert written.items() >= expected.items()
    assert name == "transformer" or written == expected
    assert Run(found.path).config()["recipe"] == ""


def test_the_rate_of_a_bigram_model_is_used(tmp_path):
    losses = [
        train(
            configure("text.txt", model="bigram", training={"steps": 3, "rate": rate}), tmp_path / str(rate)
        ).metrics()
        for rate in (0.01, 0.1)
    ]
    assert losses[0][0] == losses[1][0]
    assert losses[0][2]["loss"] > losses[1][2]["loss"]


def test_only_the_training_depends_on_the_kind_of_model():
    for kind in ("ngram", "bigram", "recurrent", "transformer"):
        config = configure(model=kind)
        assert (config.text, config.tokens) == ("topics", configure().tokens)


@pytest.mark.parametrize("name", ["ngram", "words", "bigram", "recurrent", "transformer"])
def test_the_training_of_a_first_version_is_read_as_what_was_done(name):
    training = Run(GOLDEN / name).config()["training"]
    assert training["kind"] == {"ngram": "none", "words": "none", "bigram": "counts"}.get(name, "batches")
    if name == "bigram":
        assert training == {
            "kind": "counts",
            "steps": 10,
            "rate": 0.07,
            "penalty": 4e-6,
            "vector_penalty": 1e-6,
            "seed": 0,
        }


def test_the_second_version_of_a_recurrent_model_trains_all_its_vectors(tmp_path):
    model = {"kind": "recurrent", "width": 4, "context": 4}
    train(configure("text.txt", model=model, training={"steps": 1, "batch": 2}), tmp_path / "run")
    path = tmp_path / "run" / "config.json"
    config = json.loads(path.read_text())
    del config["model"]["train_vectors"], config["vectors"]
    path.write_text(json.dumps(config | {"version": 2}))
    assert Run(tmp_path / "run").config()["model"]["train_vectors"] is True
    assert open_model("run").context == 4


def test_a_setting_that_is_missing_is_named(tmp_path):
    shutil.copytree(GOLDEN / "transformer", tmp_path / "run")
    path = tmp_path / "run" / "config.json"
    config = json.loads(path.read_text())
    del config["model"]["activation"]
    path.write_text(json.dumps(config))
    with pytest.raises(FileError, match=r"config.json: model.activation: the value is missing"):
        open_model("run")


def test_a_version_that_there_is_not_is_refused(tmp_path):
    shutil.copytree(GOLDEN / "ngram", tmp_path / "run")
    path = tmp_path / "run" / "config.json"
    path.write_text(path.read_text().replace('"version": 1', '"version": 8'))
    with pytest.raises(
        FileError, match=r"config.json: expected a version from 1 to 7, got 8; a newer attnlab may read it"
    ):
        open_model("run")


@pytest.mark.parametrize("reads", [open_model, audit, resume])
def test_a_foreign_tokenizer_is_named(tmp_path, reads):
    train(configure("text.txt", model="ngram"), tmp_path / "run")
    if reads is resume:
        (tmp_path / "run" / "result.json").unlink()
    own = open_model("run").tokenizer
    foreign = train_tokenizer("characters", "zyxwvutsrqponmlkjih"[: own.size - 1])
    assert foreign.size == own.size
    save_tokenizer(foreign, tmp_path / "run" / "tokenizer.json")
    with pytest.raises(FileError, match=r"tokenizer.json: not the tokenizer that the run was trained with; restore"):
        reads("run")
