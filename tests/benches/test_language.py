"""The language bench from Python: runs, models that write and score, and the table of runs."""

import hashlib
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from attnlab.benches.language import compare, open_model, resume, runs, train
from attnlab.benches.language.configuring import configure
from attnlab.benches.stepwise import training_task
from attnlab.errors import ArgumentError, FileError, StoppedError
from attnlab.evaluation.scoring.measures import measure
from attnlab.models import memory
from attnlab.models.ngrams import counting_on_disk
from attnlab.models.ngrams.ngram import NGram, NGramConfig
from attnlab.models.transformer_config import TransformerConfig
from attnlab.runs import checkpoints
from attnlab.runs.folder import Run
from attnlab.runs.loading import load_trained, run_tokenizer
from attnlab.runs.seals import sealed
from attnlab.text.settings import WordTokens
from attnlab.training.processes import Process
from attnlab.training.settings import Training

pytestmark = pytest.mark.usefixtures("as_installed", "in_a_folder")

TINY = configure(
    "text.txt",
    model=TransformerConfig(layers=1, heads=2, width=16, context=16),
    training={"steps": 12, "batch": 4, "validate_every": 6, "sample_every": 6, "precision": "float32", "device": "cpu"},
)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    (folder / "text.txt").write_text("".join(f"{n} and {n * n % 97} make {n + n * n % 97}.\n" for n in range(300)))
    return train(replace(TINY, text=str(folder / "text.txt")), folder / "run")


@pytest.fixture
def vectors(in_a_folder):
    (in_a_folder / "vectors.txt").write_text("and 1 2 3\nmake 4 5 6\nof 7 8 9\n")


def without_time(value: dict) -> dict:
    timed = ("run", "checkpoint", "seconds", "tokens_per_second")
    return {name: each for name, each in value.items() if name not in timed}


def test_training_tells_its_observer_and_returns_what_the_folder_holds(watcher, in_a_folder):
    found = train(TINY, "a", watcher)
    assert found.to_dict() == Run(in_a_folder / "a").result()
    assert watcher.tasks == ["reading text.txt", "characters of text.txt", "training for 12 steps"]
    assert watcher.done[-1] == 1.0
    assert [each[:19] for each in watcher.said[::2]] == ["step 6: validation ", "step 12: validation"]
    assert [each.split(":")[0] for each in watcher.said[1::2]] == ["step 6", "step 12"]  # the samples
    assert found.config == TINY
    assert found.test is not None
    assert found.validation["bits_per_byte"] > 0


COUNTED = configure("text.txt", model=NGramConfig(order=3), tokens=WordTokens())


def test_a_large_text_is_counted_on_disk(monkeypatch, watcher, in_a_folder):
    wanted = train(COUNTED, "memory")
    monkeypatch.setattr(memory, "IN_MEMORY", 1000)
    monkeypatch.setattr(checkpoints, "MAPPED", 1000)
    found = train(COUNTED, "disk", watcher)
    assert without_time(found.to_dict()) == without_time(wanted.to_dict())
    weights = [Run(in_a_folder / each).best().path.read_bytes() for each in ("memory", "disk")]
    assert weights[0] == weights[1]
    assert watcher.tasks == ["reading text.txt", "words of text.txt", "counting n-grams"]
    assert watcher.done[-1] == 1.0
    assert not [*(in_a_folder / "disk").glob(".*")]
    loaded = load_trained("disk").model
    assert isinstance(loaded, NGram)
    assert all(isinstance(level.keys.base, np.memmap) for level in loaded.levels)
    assert open_model("disk").score("and 5 make").perplexity == open_model("memory").score("and 5 make").perplexity


def test_counting_on_disk_leaves_nothing_behind(monkeypatch, in_a_folder):
    monkeypatch.setattr(memory, "IN_MEMORY", 1000)

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(counting_on_disk, "_merged", stop)
        with pytest.raises(KeyboardInterrupt):
            train(COUNTED, "stopped")
    assert not (in_a_folder / "stopped").exists()
    found = train(COUNTED, "killed")
    Path("killed/result.json").unlink()
    for each in Path("killed/checkpoints").iterdir():
        each.unlink()
    Path("killed/.attnlab-counting").mkdir()  # as a killed process leaves it
    Path("killed/.attnlab-counting/keys.1").write_bytes(b"123")
    assert without_time(resume("killed").to_dict()) == without_time(found.to_dict())
    assert not [*Path("killed").glob(".*")]


def test_a_damaged_file_is_named_also_if_it_is_mapped(monkeypatch, in_a_folder):
    train(COUNTED, "damaged")
    path = Run(in_a_folder / "damaged").best().path
    monkeypatch.setattr(checkpoints, "MAPPED", 0)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(FileError, match="the checkpoint is damaged"):
        open_model("damaged")


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"steps": 1}, "training for 1 step"),
        ({"steps": 2000}, "training for 2,000 steps"),
        ({"steps": 0, "minutes": 1.0}, "training for 1 minute"),
        ({"steps": 300, "minutes": 0.5}, "training for 300 steps or 0.5 minutes"),
    ],
)
def test_a_person_is_told_when_training_ends(limits, said, watcher):
    with training_task(watcher, Training(**limits), Process(0, 1, torch.device("cpu"))):
        assert watcher.tasks == [said]


def test_a_training_that_needs_much_memory_is_told_before_it_begins(in_a_folder, watcher, monkeypatch):
    config = configure("text.txt", model={"kind": "transformer", "layers": 1, "width": 8}, training={"steps": 1})
    train(config, "small", watcher)
    assert not watcher.warned
    monkeypatch.setattr(memory, "LARGE", 1)
    train(config, "large", watcher)
    (warning,) = watcher.warned
    assert warning.startswith("this training takes 0 GB of memory or more; fewer layers")


@pytest.mark.parametrize("optimiser", [["adamw"], {"muon": 1}, 3, None])
def test_an_optimiser_that_is_no_word_is_refused(optimiser):
    """Beside a rate of Muon, too, which asks for the optimiser."""
    with pytest.raises(ArgumentError, match=r"^optimiser: expected "):
        configure("text.txt", model="transformer", training={"muon_rate": 0.1, "optimiser": optimiser})


@pytest.mark.parametrize(
    "asked",
    [
        {"model": "ngram", "tokens": {"kind": "words", "lower": True, "vocabulary": 40}},
        {"recipe": "quick-recurrent", "model": {"kind": "recurrent", "width": 8}, "training": {"steps": 3, "batch": 4}},
        {"model": {"kind": "bigram", "dim": 4, "train_vectors": False}, "training": {"steps": 3}},
        {"model": "bigram", "training": {"kind": "batches", "steps": 3, "optimiser": "adamw"}},
        {"model": "bigram", "tokens": "words", "training": {"steps": 3}, "vectors": "vectors.txt"},
        {
            "model": {"kind": "recurrent", "train_vectors": False, "context": 8},
            "tokens": "words",
            "training": {"steps": 2, "batch": 2},
            "vectors": "vectors.txt",
        },
    ],
)
def test_its_command_trains_the_same_again(asked, again, vectors):
    found = train(configure("text.txt", **asked))
    assert without_time(again(found)) == without_time(found.to_dict())


@pytest.mark.parametrize("kind", ["bigram", "recurrent"])
@pytest.mark.parametrize("frozen", [True, False])
def test_word_vectors_are_where_a_model_starts(kind, frozen, vectors):
    model = {"kind": kind, "train_vectors": not frozen} | ({"context": 8} if kind == "recurrent" else {})
    training = {"kind": "batches", "steps": 2, "batch": 80, "rate": 0.1, "weight_decay": 0.0}
    found = train(configure("text.txt", model=model, tokens="words", training=training, vectors="vectors.txt"), "a")
    assert Run(found.path).config()["data"]["words_with_vectors"] == 2
    name = "model.vectors" if kind == "bigram" else "model.embedding.weight"
    table = Run(found.path).best().tensors()[name]
    row = table[run_tokenizer(Run(found.path)).encode("make").ids[0]]
    assert (row.tolist() == [4, 5, 6]) == frozen
    assert math.isclose(float(row.mean()), 5, abs_tol=0.5)


def test_a_run_whose_word_vectors_have_changed_is_not_resumed(vectors):
    asked = configure("text.txt", model="bigram", tokens="words", training={"steps": 3}, vectors="vectors.txt")
    place = train(asked, "a").path
    noted = Run(place).config()["data"]["vectors_sha256"]
    assert noted == hashlib.sha256(Path("vectors.txt").read_bytes()).hexdigest()
    (place / "result.json").unlink()
    with Path("vectors.txt").open("a") as file:
        file.write("more 1 2 3\n")
    with pytest.raises(FileError, match=r"^a: the file of word vectors vectors.txt has changed since the run started"):
        resume(place)
    old = {**Run(place).config(), "data": {**Run(place).config()["data"]}}
    del old["data"]["vectors_sha256"]  # as an older lab wrote it
    (place / "config.json").write_text(json.dumps(old))
    assert resume(place).path == place


def test_minibatches_of_pairs_train_a_bigram_model(in_a_folder):
    """From the same start, both kinds of training come near the same loss."""
    model = {"kind": "bigram", "dim": 8, "hidden": 16}
    by_counts = train(configure("text.txt", model=model), "a")
    by_batches = train(
        configure("text.txt", model=model, training={"kind": "batches", "steps": 150, "batch": 100, "rate": 3.0}), "b"
    )
    assert isinstance(by_batches.config.training, Training)
    assert by_batches.config.training.optimiser == "sgd"
    assert by_batches.validation["nats_per_token"] < by_counts.validation["nats_per_token"] + 0.1


def test_a_transformers_command_trains_the_same_again(trained, again):
    assert without_time(again(trained)) == without_time(trained.to_dict())
    assert "--model.layers 1" in trained.command
    assert "--steps 12" in trained.command


def test_the_pictures_of_a_run(trained, tmp_path):
    assert trained.plot().to_dict()["layer"]
    assert "learning curve" in trained.save(tmp_path / "a.svg").read_text()
    assert "validation: " in repr(trained)
    assert "data:image/svg+xml;base64," in trained._repr_html_()


def test_a_model_writes(trained, again):
    model = trained.model
    first = model.sample("12 and ", length=20, seed=3)
    assert str(first) == f"12 and {first.text}"
    assert len(first.ids) == 20
    assert first.text == model.sample("12 and ", length=20, seed=3).text
    assert first.text != model.sample("12 and ", length=20, seed=4).text
    assert again(first) == first.to_dict()
    assert repr(first) == str(first)
    with pytest.raises(ArgumentError, match=r"^length: expected a whole number from 1 to 1,000,000,000, got 0; try 1$"):
        model.sample(length=0)
    with pytest.raises(ArgumentError, match=r"^temperature: expected a number from 0 to 1,000, got -1; try 0$"):
        model.sample(temperature=-1)


def test_a_model_scores_a_text_token_by_token(trained):
    model = trained.model
    found = model.score("7 and 49 make 56.\n12 and 47 make 59.\n")
    whole = measure(model.subject, found.text)
    assert math.isclose(found.bits_per_byte, whole.bits_per_byte.value)
    assert math.isclose(found.perplexity, whole.perplexity.value)
    assert "".join(each.text for each in found.tokens) == found.text
    assert math.isclose(sum(each.bits for each in found.tokens), found.bits_per_byte * len(found.text))
    assert found.tokens[0].likeliest == ()  # it is predicted from nothing
    for each in found.tokens[1:]:
        assert len(each.likeliest) == 5
        shares = [share for _, share in each.likeliest]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) < 1 + 1e-6
        listed = dict(each.likeliest)
        if each.text in listed:
            assert math.isclose(listed[each.text], each.probability, rel_tol=1e-5)
        else:
            assert each.probability <= shares[-1] + 1e-6
    json.dumps(found.to_dict(), allow_nan=False)
    lines = repr(found).splitlines()
    assert len(lines) == 3 + len(found.tokens)
    assert lines[-1].split()[0] == str(len(found.tokens) - 1)


def test_a_long_text_is_shown_by_its_costliest_tokens(trained):
    found = trained.model.score("7 and 49 make 56.\n" * 20)
    assert f"the costliest tokens; .json and .csv have all {len(found.tokens):,}:" in repr(found)
    assert len(repr(found).splitlines()) == 3 + 12


def test_a_score_is_made_again_by_its_command(trained, again):
    model = replace(trained.model, name=str(trained.path))
    for found in (
        model.score("7 and 49 make 56.\n"),
        model.score("-7 'and'", context=8, stride=2, likeliest=2),
        model.score("-"),
        model.score("7 and 49 make 56.\n" * 6_000, likeliest=0),
    ):
        assert again(found) == json.loads(json.dumps(found.to_dict()))
    assert [len(each.likeliest) for each in model.score("7 and", likeliest=2).tokens] == [0, 2, 2, 2, 2]
    assert "likeliest" not in repr(model.score("7 and", likeliest=0))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": ""}, "text: the text is empty"),
        ({"text": "7", "likeliest": 101}, "likeliest: expected a whole number from 0 to 100, got 101; try 100"),
        ({"text": "7", "context": 0}, "context: expected a whole number of at least 1, got 0; try 1"),
        ({"text": "7", "context": 17}, "context: the model sees at most 16 tokens at once; got 17"),
        ({"text": "7", "stride": 0}, "stride: expected a whole number of at least 1, got 0; try 1"),
        ({"text": "7", "stride": 17}, "stride: expected at most the 16 tokens of the context window; got 17"),
    ],
)
def test_what_a_score_refuses(trained, given, message):
    with pytest.raises(ArgumentError) as refused:
        trained.model.score(**given)
    assert str(refused.value) == message


def test_an_n_gram_model_sees_beyond_the_windows_of_its_likeliest(in_a_folder):
    model = train(configure("text.txt", model="ngram"), "n").model
    found = model.score("7 and 49 make 56.\n12 and 47 make 59.\n")
    for each in found.tokens[1:]:
        listed = dict(each.likeliest)
        if each.text in listed:
            assert math.isclose(listed[each.text], each.probability, rel_tol=1e-6)


def test_a_run_that_was_stopped_goes_on(in_a_folder, monkeypatch):
    real = Run.append

    def stop(self, measured):
        real(self, measured)
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "append", stop)
    with pytest.raises(StoppedError, match=r"^stopped; to continue: attnlab train --resume a$"):
        train(TINY, "a")
    monkeypatch.setattr(Run, "append", real)
    assert resume("a").result["steps"] == 12
    assert resume("a").result == resume("a").result  # a finished run is told again


def test_a_run_of_a_gpu_goes_on_without_one(in_a_folder, watcher, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    found = train(TINY, "a")
    config = Path("a/config.json")
    config.write_text(config.read_text().replace('"device": "cpu"', '"device": "cuda"'))
    Path("a/result.json").unlink()
    assert without_time(resume("a", watcher).to_dict()) == without_time(found.to_dict())
    assert [each for each in watcher.warned if "torch finds none here: it continues on the CPU" in each]


def test_runs_are_ranked_by_what_compares(in_a_folder, again):
    words = WordTokens(lower=True, vocabulary=20)
    train(configure("text.txt", model="ngram"), "runs/letters")
    train(configure("text.txt", model="ngram", tokens=words), "runs/words")
    table = runs()
    assert [row.run for row in table.rows] == ["runs/letters", "runs/words"]
    assert again(table) == table.to_dict()
    both = compare("runs/words", "runs/letters")
    assert [row.run for row in both.rows] == ["runs/letters", "runs/words"]
    assert again(both) == both.to_dict()
    titles = [each["title"] for each in _encodings(both.plot().to_dict(), "y")]
    assert titles
    assert set(titles) == {"bits per byte"}


def _encodings(spec: dict, axis: str) -> list[dict]:
    return [layer["encoding"][axis] for layer in spec["layer"] if axis in layer.get("encoding", {})]


def test_a_run_notes_its_precision_and_the_table_has_the_numbers_of_its_result(in_a_folder):
    """`auto` would be another precision where the run is resumed, and the best validation is not the model's."""
    found = train(replace(TINY, training=replace(TINY.training, precision="auto")), "runs/a")
    assert isinstance(found.config.training, Training)
    assert found.config.training.precision in ("float32", "bfloat16")
    assert Run(found.path).config()["training"]["precision"] == found.config.training.precision
    metrics = found.path / "metrics.jsonl"
    lucky = {"step": 1, "validation": {"nats_per_token": 0.0, "perplexity": 1.0, "bits_per_byte": 0.0}}
    metrics.write_text(json.dumps(lucky) + "\n" + metrics.read_text())
    assert runs().rows[0].bits_per_byte == found.to_dict()["validation"]["bits_per_byte"]


def test_a_lower_bound_is_neither_ranked_nor_drawn(in_a_folder):
    """As runs of an older lab have them, whose bits per byte left out what unknown words hold."""
    for name in ("a", "b"):
        train(configure("text.txt", model="ngram", tokens=(name == "a" and "words") or "bytes"), f"runs/{name}")
    metrics = in_a_folder / "runs" / "a" / "metrics.jsonl"
    (line,) = metrics.read_text().splitlines()
    old = json.loads(line)
    old["validation"] |= {"bits_per_byte": 0.0001, "lossless": False}
    metrics.write_text(json.dumps(old) + "\n")
    result = in_a_folder / "runs" / "a" / "result.json"
    found = json.loads(result.read_text()) | {"validation": old["validation"]}
    result.write_text(json.dumps(sealed({name: each for name, each in found.items() if name != "seal"})))
    table = runs()
    assert [row.run for row in table.rows] == ["runs/b", "runs/a"]
    assert table.rows[1].lower_bound
    assert ">0.0001" in repr(table)
    assert "> marks a lower bound" in repr(table)
    drawn = json.dumps(table.plot().to_dict())
    assert "0.0001" not in drawn
    assert "bits per byte" in drawn


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: configure(model="foo"), "model: expected ngram, bigram, recurrent or transformer; got 'foo'"),
        (lambda: configure(model={"kind": "ngram", "order": 99}),
         "model.order: expected a whole number from 1 to 64, got 99; try 64"),
        (lambda: configure(tokens={"kind": "runes"}),
         "tokens: expected characters, bytes, words or byte-pairs; got 'runes'"),
        (lambda: configure(training="counts"),
         "training: expected batches for a model of kind transformer, got 'counts'"),
        (lambda: configure(model="bigram", vectors="x"),
         "vectors: expected words as tokens (--tokens words), got characters"),
        (lambda: configure(tokens="words", vectors="x"),
         "vectors: expected a model that starts with word vectors, bigram or recurrent; got transformer"),
        (lambda: configure(model="bigram", tokens="words", vectors="x"), "x: there is no such file"),
        (lambda: configure(training={"steps": -1}),
         "steps: expected a whole number from 0 to 1,000,000,000,000, got -1; try 0"),
        (lambda: train(configure("nowhere.txt", model="ngram")),
         "nowhere.txt: there is no such file or folder; expected a file, a folder or a name: topics, repeats, "
         "tinyshakespeare, wikitext2 or birthplaces"),
        (lambda: open_model("nowhere"),
         "nowhere: there is no such run folder; for a Hugging Face model, write hf:nowhere"),
        (lambda: runs("nowhere"), "nowhere: there is no such folder; give the folder that has your runs"),
    ],
)  # fmt: skip
def test_bad_input_is_named(make, message, in_a_folder):
    with pytest.raises((ArgumentError, FileError)) as refused:
        make()
    assert str(refused.value) == message
    assert not (in_a_folder / "runs").exists()


def test_a_part_of_a_run_that_cannot_be_read_is_no_run(monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "checkpoints")
    golden = Path(__file__).parents[1] / "golden" / "ngram"
    assert [row.run for row in runs(golden).rows] == [str(golden)]
