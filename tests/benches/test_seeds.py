"""Runs with several seeds: each is the run of its seed, their mean has an interval, and a stopped table goes on."""

import json
from dataclasses import replace

import pytest
from scipy import stats

from attnlab.benches.language import resume_any, runs, train, train_seeds
from attnlab.benches.language.configuring import configure
from attnlab.errors import ArgumentError, FileError, StoppedError
from attnlab.runs.folder import Run

pytestmark = pytest.mark.usefixtures("as_installed", "in_a_folder")

PAIRS = configure("text.txt", model={"kind": "bigram", "dim": 4, "hidden": 4}, training={"steps": 3, "seed": 5})
BATCHES = configure(
    "text.txt",
    model={"kind": "bigram", "dim": 4, "hidden": 4},
    training={"kind": "batches", "steps": 20, "validate_every": 10, "precision": "float32"},
)


def scores(found) -> list[float]:
    return [run.result["test"]["nats_per_token"] for run in found.runs]


def test_each_run_is_that_of_its_seed_and_the_mean_has_an_interval(again, watcher):
    found = train_seeds(PAIRS, 3, "a", watcher)
    assert [run.path.name for run in found.runs] == ["seed-5", "seed-6", "seed-7"]
    alone = train(replace(PAIRS, training=replace(PAIRS.training, seed=6)), "alone")
    assert alone.result["test"] == found.runs[1].result["test"]
    told = found.to_dict()["test"]["nats_per_token"]
    interval = stats.t.interval(0.95, 2, stats.tmean(scores(found)), stats.sem(scores(found)))
    assert told["interval"] == pytest.approx(interval)
    assert Run(found.path).result() == found.to_dict()
    assert again(found)["test"] == found.to_dict()["test"]
    assert " ± " in repr(found)
    assert "layer" in found.plot().to_dict()
    assert {row.run for row in runs(".").rows} >= {"a/seed-5", "a/seed-6", "a/seed-7", "alone"}


def test_two_seeds_have_no_interval():
    found = train_seeds(PAIRS, 2, "a")
    assert found.to_dict()["validation"]["perplexity"]["interval"] is None
    assert "±" not in repr(found)


def test_runs_that_were_stopped_go_on_as_if_they_had_not_been(monkeypatch):
    unbroken = train_seeds(BATCHES, 3, "unbroken")
    real = Run.append

    def append(self, measured):
        real(self, measured)
        if self.path.name == "seed-1" and measured["step"] == 10:
            raise KeyboardInterrupt

    monkeypatch.setattr(Run, "append", append)
    with pytest.raises(StoppedError, match=r"^stopped; to continue: attnlab train --resume a$"):
        train_seeds(BATCHES, 3, "a")
    monkeypatch.setattr(Run, "append", real)
    assert not Run(unbroken.path.parent / "a" / "seed-2").path.exists()
    first = (unbroken.path.parent / "a" / "seed-0" / "result.json").stat().st_mtime_ns
    found = resume_any("a")
    assert (found.path / "seed-0" / "result.json").stat().st_mtime_ns == first  # it is not trained again
    assert scores(found) == scores(unbroken)
    assert scores(resume_any("a")) == scores(unbroken)  # a finished table is read


def test_runs_of_other_settings_or_texts_are_not_mixed(in_a_folder):
    train_seeds(PAIRS, 2, "a")
    plan = in_a_folder / "a" / "plan.json"
    whole = plan.read_text()
    older = {name: each for name, each in json.loads(whole).items() if name not in ("version", "seal")}
    plan.write_text(json.dumps(older).replace('"steps": 3', '"steps": 4'))
    with pytest.raises(FileError, match=r"^a/seed-5: was trained with other settings than plan.*steps was 3,"):
        resume_any("a")
    plan.write_text(json.dumps({"version": 2}))
    with pytest.raises(FileError, match=r"^a: expected a folder of attnlab train; continue it with attnlab knowledge"):
        resume_any("a")
    plan.write_text(whole)
    with (in_a_folder / "text.txt").open("a") as text:
        text.write("more\n")
    with pytest.raises(FileError, match=r"^a/seed-5: the text text.txt has changed since the run started"):
        resume_any("a")


def test_a_changed_plan_is_refused_and_one_of_an_older_lab_opens(in_a_folder):
    """With one seed less, the mean would be another number, of which nothing in the folder tells."""
    unbroken = train_seeds(PAIRS, 3, "a")
    plan = in_a_folder / "a" / "plan.json"
    whole = plan.read_text()
    unsealed = {name: each for name, each in json.loads(whole).items() if name != "seal"}
    for changed in (whole.replace('"seeds": 3', '"seeds": 2'), json.dumps(unsealed)):
        plan.write_text(changed)
        with pytest.raises(FileError, match=r"^a/plan\.json: was changed after the lab wrote it; restore it, or "):
            resume_any("a")
    plan.write_text(json.dumps(unsealed | {"version": 4}))
    with pytest.raises(FileError, match=r"^a/plan\.json: expected a plan of version 1 to 3, got 4"):
        resume_any("a")
    del unsealed["version"]
    plan.write_text(json.dumps(unsealed))
    assert scores(resume_any("a")) == scores(unbroken)


def test_counts_have_no_seed():
    with pytest.raises(ArgumentError, match=r"^seeds: a model of kind ngram only counts"):
        train_seeds(configure("text.txt", model="ngram"), 2)
