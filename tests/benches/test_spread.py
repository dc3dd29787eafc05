"""Every bench that spreads its work finds the same in several processes as in one, to the last digit.

Starting processes takes seconds, so most of these tests only do what sending a task to another process does to it: its
function, arguments and result are pickled. One test starts real processes, and interrupts them.
"""

import json
import os
import pickle
import signal
import threading
import time
from pathlib import Path

import pytest

from attnlab.benches.heads.ablation import ablate
from attnlab.benches.knowledge import SweepSettings, sweep
from attnlab.benches.language import open_model, resume_any, train, train_seeds
from attnlab.benches.language.configuring import configure
from attnlab.benches.perplexity import GivenText, perplexity
from attnlab.benches.sentiment import train as train_classifiers
from attnlab.data.facts.sources import FactSource
from attnlab.errors import ArgumentError, StoppedError
from attnlab.evaluation.heads.settings import AblationSettings
from attnlab.models.averaging import AveragingConfig
from attnlab.parallel import Workers, local, spreading
from attnlab.runs.folder import Run
from attnlab.text.features import FeatureSettings
from attnlab.training.classifier.settings import ClassifierSettings, ClassifierTraining

pytestmark = pytest.mark.usefixtures("as_installed", "in_a_folder")

SHAPE = {"kind": "transformer", "layers": 2, "heads": 2, "width": 16, "context": 16}
STEPS = {"steps": 20, "batch": 4, "validate_every": 10, "precision": "float32", "device": "cpu"}
TWO = Workers(2)


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    """The names of the tasks that were sent to another process, or so it seems to them."""
    found = []

    def in_processes(function, tasks, count, heard, *, saves):
        for number, task in enumerate(tasks):
            found.append(task.name)
            call = pickle.loads(pickle.dumps((function, number, task, heard.channel)))
            yield pickle.loads(pickle.dumps(local.do(*call)))

    monkeypatch.setattr(local, "in_processes", in_processes)
    monkeypatch.setattr(spreading, "START", -1.0)
    monkeypatch.setattr(spreading, "cores", lambda: 2)
    return found


def timeless(value):
    """A record without what differs from try to try."""
    if isinstance(value, dict):
        return {name: timeless(each) for name, each in value.items() if name not in ("seconds", "run", "runs", "path")}
    return [timeless(each) for each in value] if isinstance(value, list | tuple) else value


def test_seeds_of_a_language_model(sent):
    config = configure("text.txt", model=SHAPE, tokens="characters", training=STEPS)
    one, two = (train_seeds(config, 2, f"jobs-{workers.jobs}", workers=workers) for workers in (Workers(1), TWO))
    assert sent == ["seed-0", "seed-1"]
    assert timeless(one.to_dict()) == timeless(two.to_dict())
    for each in sent:
        assert Run(one.path / each).best().path.read_bytes() == Run(two.path / each).best().path.read_bytes()


def test_seeds_of_a_classifier(sent):
    lines = ["good\tA good, great film.", "bad\tA bad, awful film.", "good\tGreat plot.", "bad\tAwful plot, a bad end."]
    Path("train.tsv").write_text("".join(f"{line}\n" for line in lines * 10))
    tiny = ClassifierSettings(
        FeatureSettings(once=True, vocabulary=0),
        AveragingConfig(dim=8, hidden=8),
        ClassifierTraining(epochs=2, batch=8),
    )
    one, two = (
        train_classifiers("train.tsv", tiny, f"jobs-{workers.jobs}", seeds=2, workers=workers)
        for workers in (Workers(1), TWO)
    )
    assert sent == ["seed-0", "seed-1"]
    assert one.accuracies == two.accuracies
    for each in sent:
        (mine,), (other,) = (sorted(Path(name, each).rglob("*.safetensors")) for name in ("jobs-1", "jobs-2"))
        assert mine.read_bytes() == other.read_bytes()


def test_variants_of_a_sweep(sent):
    tiny = SweepSettings(
        variants=("none", "own"),
        seeds=1,
        effort=0.01,
        precision=0.5,
        facts=FactSource.of("biographies", 12, world={"resembling": 0.5}),
        model={"width": 16, "layers": 1, "heads": 1, "feed": 16, "qk_norm": False},
        training={"batch": 8, "rate": 0.01},
        device="cpu",
    )
    one, two = (sweep(tiny, f"jobs-{workers.jobs}", workers=workers) for workers in (Workers(1), TWO))
    assert sent == ["none-dot-product-0", "quick-dot-product-0"]
    assert timeless(one.to_dict()["variants"]) == timeless(two.to_dict()["variants"])


def test_models_and_texts_of_perplexity_and_columns_of_an_ablation(sent):
    train(configure("text.txt", model=SHAPE, tokens="characters", training=STEPS), "run")
    train(configure("text.txt", model="ngram", tokens="characters"), "counts")
    texts = ("text.txt", GivenText("1 and 1 make 2.\n" * 9, "given"))
    one, two = (perplexity(("run", "counts"), texts, workers=workers) for workers in (Workers(1), TWO))
    assert sent == [f"{model} on {text}" for text in ("text.txt", "given") for model in ("run", "counts")]
    assert json.dumps(one.to_dict()) == json.dumps(two.to_dict())
    sent.clear()
    how = AblationSettings(tokens=200, pairs=True, frozen=True)
    one, two = (ablate("run", "text.txt", settings=how, workers=workers) for workers in (Workers(1), TWO))
    assert [name.partition(":")[0] for name in sent] == [
        *("zero", "mean", "frozen", "one after the other, zero", "one after the other, mean", "pairs")
    ]
    assert json.dumps(one.to_dict()) == json.dumps(two.to_dict())
    with pytest.raises(ArgumentError, match=r"^cluster: expected models by name"):
        perplexity(open_model("run"), texts, workers=Workers(cluster="tcp://127.0.0.1:1"))


def test_ctrl_c_saves_every_run_and_they_go_on_as_if_they_had_not_been_stopped(monkeypatch):
    """With real processes."""
    monkeypatch.setattr(spreading, "START", -1.0)
    monkeypatch.setattr(spreading, "cores", lambda: 2)
    small = {**SHAPE, "layers": 1, "heads": 1, "width": 8}
    steps = {**STEPS, "steps": 300, "batch": 2, "validate_every": 100}
    config = configure("text.txt", model=small, tokens="characters", training=steps)

    def press() -> None:
        until = time.monotonic() + 60
        while len(list(Path("stopped").glob("seed-*/metrics.jsonl"))) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    with pytest.raises(StoppedError, match=r"^stopped at step \d+; to continue: attnlab train --resume stopped$"):
        train_seeds(config, 3, "stopped", workers=TWO)
    begun = sorted(Path("stopped").glob("seed-*"))
    assert all(0 < Run(path).best().step <= 300 for path in begun[:2])
    ended = sum(Run(path).finished for path in begun)  # the third one begins where another has ended
    assert len(begun) in {2, 2 + ended}
    assert sorted(Path("stopped").iterdir()) == [Path("stopped/plan.json"), *begun]
    resume_any("stopped", workers=Workers(1))
    train_seeds(config, 3, "unbroken", workers=Workers(1))
    for seed in (0, 1, 2):
        one, other = (Run(Path(name) / f"seed-{seed}").best().tensors() for name in ("stopped", "unbroken"))
        assert all((one[name] == other[name]).all() for name in other)
