"""The sentiment bench from Python: classifiers trained, evaluated, asked about texts, and asked why."""

import json
import math
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attnlab.benches.sentiment import evaluate, explain, open_classifier, predict, resume, train
from attnlab.benches.sentiment.training import learn
from attnlab.data.labelled.loading import load_labelled
from attnlab.errors import ArgumentError, DivergedError, FileError, StoppedError
from attnlab.models.averaging import AveragingConfig
from attnlab.parallel import Task, Workers, spreading
from attnlab.runs.folder import Run
from attnlab.text.features import FeatureSettings
from attnlab.training.classifier.recipes import RECIPES
from attnlab.training.classifier.settings import ClassifierSettings, ClassifierTraining
from attnlab.training.classifier.steps import ClassifierTrainer
from attnlab.training.threads import ThreadWatch, usual_threads

GOLDEN = Path(__file__).parents[1] / "golden"

pytestmark = pytest.mark.usefixtures("as_installed")

LINES = [
    "good\tA good, great film.",
    "bad\tA bad, awful film.",
    "good\tGreat plot, good end.",
    "bad\tAwful plot and a bad end.",
]
WRONG = "good\tAn awful, bad film.\nbad\tgood great\nbad\tAn awful film.\nno label\n"
TINY = ClassifierSettings(
    FeatureSettings(once=True, vocabulary=0), AveragingConfig(dim=8, hidden=8), ClassifierTraining(epochs=3, batch=8)
)


def fill(folder: Path) -> None:
    (folder / "train.tsv").write_text("".join(f"{line}\n" for line in LINES * 10))
    (folder / "wrong.tsv").write_text(WRONG)


@pytest.fixture(autouse=True)
def _inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fill(tmp_path)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> str:
    """The folder of a classifier that has learnt something."""
    folder = tmp_path_factory.mktemp("sentiment")
    fill(folder)
    settings = replace(RECIPES.find("words"), training=replace(RECIPES.find("words").training, epochs=10))
    return str(train(folder / "train.tsv", settings, folder / "run").runs[0].path)


def without_time(value: dict) -> dict:
    """Without seconds, and without the folders of runs."""
    runs = [
        {"epochs": each["epochs"], "best": {name: x for name, x in each["best"].items() if name != "seconds"}}
        for each in value["runs"]
    ]
    return value | {"runs": runs}


def test_training_in_memory_gives_the_classifier_of_a_run(tmp_path):
    texts = load_labelled("train.tsv")
    run = train("train.tsv", TINY, "mine", validation=0).model
    found = learn(texts, texts.take(np.arange(0)), TINY)
    asked = ["A great end.", "An awful plot."]
    assert found.classifier.probabilities(asked).tolist() == run.classifier.probabilities(asked).tolist()


@pytest.mark.parametrize(("given", "used"), [(None, usual_threads()), (3, 3)])
def test_a_thread_for_each_core_trains_unless_another_number_is_given(given, used, monkeypatch, watcher):
    seen = []
    epoch = ClassifierTrainer.epoch
    monkeypatch.setattr(ClassifierTrainer, "epoch", lambda own, number: seen.append(own.threads) or epoch(own, number))
    monkeypatch.setattr(ThreadWatch, "advice", lambda watch: f"advice for {watch.threads}")
    train("train.tsv", TINY, "mine", observer=watcher, threads=given)
    assert set(seen) == {used}
    assert set(watcher.said) == {f"advice for {used}"}


def test_a_classifier_needs_no_torch(tmp_path):
    code = """if True:
        import sys
        from attnlab.cli import main
        assert main(["classify", "train", "train.tsv", "--epochs", "1", "--out", "mine"]) == 0
        assert main(["classify", "evaluate", "mine", "train.tsv"]) == 0
        assert main(["classify", "predict", "mine", "A great end."]) == 0
        assert main(["classify", "explain", "mine", "--text", "A great end."]) == 0
        print("torch" in sys.modules)
    """
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "False"


def test_training_tells_its_observer_and_returns_what_the_folders_hold(watcher, tmp_path):
    found = train("train.tsv", TINY, "mine", seeds=2, observer=watcher)
    assert watcher.tasks == ["seeds", "seed-0", "reading the texts", "seed-1", "reading the texts"]
    assert watcher.done == [0, *[1, 2, 3, 1] * 2]  # no seed before; then each epoch, and each seed
    assert [str(each.path) for each in found.runs] == ["mine/seed-0", "mine/seed-1"]
    for seed, each in enumerate(found.runs):
        run = Run(each.path)
        assert run.finished
        assert run.result() == each.to_dict()
        assert [line["epoch"] for line in run.metrics()] == [1, 2, 3]
        config = run.config()
        assert run.settings(ClassifierTraining, "training") == replace(TINY.training, seed=seed)
        assert config["data"] == {
            "train": 36,
            "validation": 4,
            "skipped": 0,
            "share": 0.1,
            "sha256": load_labelled("train.tsv").sha256,
        }
        assert len(list(run.checkpoint_folder.glob("*.json"))) == 1
    assert found.model.name == "mine/seed-0"
    assert found.to_dict()["validation_accuracy"] == sum(found.accuracies) / 2


def test_a_changed_plan_of_several_seeds_is_refused():
    """With another split, the accuracies would be told as those of texts on which nobody measured them."""
    found = train("train.tsv", TINY, "mine", seeds=2)
    plan = Path("mine/plan.json")
    whole = plan.read_text()
    assert '"validation": 0.1' in whole
    plan.write_text(whole.replace('"validation": 0.1', '"validation": 0.5'))
    with pytest.raises(FileError, match=r"^mine/plan\.json: was changed after the lab wrote it; restore it, or start "):
        resume("mine")
    older = {name: each for name, each in json.loads(whole).items() if name not in ("version", "seal")}
    plan.write_text(json.dumps(older))
    assert resume("mine").to_dict() == found.to_dict()


@pytest.mark.parametrize(
    ("settings", "more", "typed"),
    [
        (None, {}, "attnlab classify train train.tsv"),
        (TINY, {"seeds": 2}, "--model.dim 8"),
        (RECIPES.find("ngrams"), {"validation": 0.0}, "attnlab classify train train.tsv --recipe ngrams --validation"),
        (replace(RECIPES.find("ngrams"), features=FeatureSettings(ngrams=3, buckets=64)), {}, "--features.once no"),
    ],
)
def test_its_command_trains_the_same_again(settings, more, typed, again):
    found = train("train.tsv", settings, "mine", **more)
    assert typed in found.command
    assert without_time(again(found)) == without_time(found.to_dict())


def test_word_vectors_are_in_the_command(tmp_path, again):
    (tmp_path / "vectors.txt").write_text("good 1 0\nbad 0 1\n")
    settings = replace(TINY, model=replace(TINY.model, dim=2), vectors="vectors.txt")
    found = train("train.tsv", settings, "mine")
    assert "--vectors vectors.txt" in found.command
    assert len(Run(found.runs[0].path).config()["data"]["vectors_sha256"]) == 64
    assert without_time(again(found)) == without_time(found.to_dict())


def test_a_run_of_an_older_lab_is_opened(run, tmp_path):
    """It has no hash of its data, and no result."""
    old = shutil.copytree(run, tmp_path / "old")
    (old / "result.json").unlink()
    config = json.loads((old / "config.json").read_text())
    del config["data"]["sha256"]
    (old / "config.json").write_text(json.dumps(config))
    assert evaluate(old, "train.tsv").accuracy == 1
    assert predict(old, "so good").predictions[0].label == "good"
    assert open_classifier(old).explain("so good").reasons.said == "good"
    assert open_classifier(old).errors("wrong.tsv").counts.errors == 2


def test_what_cannot_begin_leaves_no_folder(tmp_path, monkeypatch):
    before = set(tmp_path.iterdir())
    for wrong in (
        {"validation": 1.0},
        {"seeds": 0},
        {"data": "none.tsv"},
        {"settings": replace(TINY, vectors="none.txt")},
        {"settings": replace(TINY, training=replace(TINY.training, seed=2**31)), "seeds": 2},
    ):
        with pytest.raises((ArgumentError, FileError)):
            train(**{"data": "train.tsv", "settings": TINY, "out": "mine", **wrong})
    monkeypatch.setattr(ClassifierTrainer, "epoch", lambda self, number: math.nan)
    with pytest.raises(DivergedError, match="the loss is nan; a lower --rate or --table-rate may help"):
        train("train.tsv", TINY, "mine")
    assert set(tmp_path.iterdir()) == before


def test_a_table_of_single_texts_has_nothing_to_hold_out(tmp_path):
    (tmp_path / "few.tsv").write_text("good\tfine\nbad\tdull\n")
    with pytest.raises(ArgumentError, match="validation: cannot hold out a text"):
        train("few.tsv", TINY, "mine")
    assert train("few.tsv", TINY, "mine", validation=0.0).validation_texts == 0


def test_a_folder_with_something_in_it_is_refused(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("here")
    with pytest.raises(FileError, match=r"full: expected a new or empty folder for the run; "):
        train("train.tsv", TINY, "full")


def test_an_evaluation(run, watcher, again):
    found = evaluate(run, "wrong.tsv", observer=watcher)
    assert found.accuracy == 1 / 3
    assert (found.without_known_words, len(found.skipped)) == (0, 1)
    assert (watcher.tasks, watcher.done) == (["reading the texts"], [3])
    assert again(found) == found.to_dict() == open_classifier(run).evaluate("wrong.tsv").to_dict()
    assert "--part train" in evaluate(run, "train.tsv", part="train").command
    with pytest.raises(FileError, match="expected the folder of a run"):
        evaluate("nowhere", "train.tsv")


def test_an_evaluation_on_the_texts_it_was_trained_on_says_so(run, tmp_path):
    (tmp_path / "renamed.tsv").write_text((tmp_path / "train.tsv").read_text())
    learnt, new = evaluate(run, "renamed.tsv"), evaluate(run, "wrong.tsv")
    assert (learnt.trained_on_them, new.trained_on_them) == (True, False)
    assert learnt.to_dict()["trained_on_them"] is True
    said = "the classifier was trained on these texts"
    assert said in str(learnt)
    assert said not in str(new)
    assert said in learnt.save(tmp_path / "page.html").read_text()
    assert evaluate(GOLDEN / "classifier", GOLDEN / "table.tsv").trained_on_them is None  # its run holds no hash


def test_an_evaluation_counts_the_texts_that_were_seen_in_training(run, tmp_path):
    rows = (tmp_path / "train.tsv").read_text().splitlines()
    (tmp_path / "mixed.tsv").write_text("\n".join(["good\tA new one.", *rows[:1:-1], "bad\tAnother."]) + "\n")
    model = open_classifier(run)
    mixed = model.evaluate("mixed.tsv")
    (tmp_path / "shuffled.tsv").write_text("\n".join(rows[::-1]) + "\n")
    shuffled, new = model.evaluate("shuffled.tsv"), model.evaluate("wrong.tsv")
    assert (mixed.trained_on_them, mixed.seen_in_training) == (False, len(rows) - 2)
    assert (shuffled.trained_on_them, shuffled.seen_in_training) == (False, len(rows))
    assert new.seen_in_training == 0
    assert mixed.to_dict()["seen_in_training"] == len(rows) - 2
    assert f"{len(rows) - 2} of the {len(rows)} texts were seen in training" in str(mixed)
    assert "seen in training" not in str(new)


def test_an_older_run_does_not_know_which_texts_it_has_seen():
    found = evaluate(GOLDEN / "classifier", GOLDEN / "table.tsv")
    assert found.seen_in_training is None
    assert "unknown: how many of these texts the classifier has seen in training" in str(found)


def test_hashes_that_were_changed_are_refused(run):
    seen = Path(run) / "seen.bin"
    whole = seen.read_bytes()
    for damaged in (whole[:-8], whole[:40] + bytes([whole[40] ^ 1]) + whole[41:], b""):
        seen.write_bytes(damaged)
        with pytest.raises(FileError, match=r"seen\.bin: was changed after the lab wrote it; restore it, or remove it"):
            open_classifier(run).evaluate("wrong.tsv")
        assert open_classifier(run).predict("so good").predictions[0].label == "good"  # needs no hashes
    seen.write_bytes(whole)


def test_a_classifier_whose_weights_overflow_says_so(run):
    model = open_classifier(run)
    for each in model.classifier.model.parameters().values():
        each[...] = np.copysign(3e38, each)
    uses = (
        lambda: model.evaluate("wrong.tsv"),
        lambda: model.predict("so good"),
        lambda: model.errors("wrong.tsv"),
    )
    for use in uses:
        with pytest.raises(ArgumentError, match=r"^model: its probabilities are NaN: its weights are damaged, or "):
            use()


def test_predictions_one_by_one_and_together(run, tmp_path, again):
    lines = [b"so good\r\n", "So bad", b"\xff good", "", "zzz"]
    (tmp_path / "lines.txt").write_bytes(b"so good\r\nSo bad\n\xff good\n\nzzz\n")
    model = open_classifier(run)
    coming = model.predictions(iter(lines))
    assert next(coming).label == "good"
    assert [each.note for each in coming] == ["", "bytes that are not UTF-8", "no words", "no known word among 1"]
    found = predict(run, Path("lines.txt"))
    assert found.command.endswith("lines.txt")
    assert again(found) == found.to_dict() == predict(run, lines).to_dict()
    assert [each.text for each in found.predictions][:2] == ["so good", "So bad"]
    assert len(predict(run, "one text, not its letters").predictions) == 1
    assert again(predict(run, "so good")) == predict(run, ["so good"]).to_dict()
    assert predict(run, "lines.txt").to_dict() == found.to_dict()  # never the name of a file as a text
    with pytest.raises(FileError, match=r"none.txt: there is no such file"):
        predict(run, "none.txt")
    assert model.predict([]).predictions == ()
    with pytest.raises(FileError, match=r"none\.txt: there is no such file"):
        predict(run, Path("none.txt"))


def test_a_text_and_an_error_are_explained(run, again):
    found = open_classifier(run).explain("A good zzz film")
    assert (found.misread, found.reasons.said) == (None, "good")
    assert again(found) == found.to_dict()
    wrong = open_classifier(run).explain("good great", label="bad")
    assert wrong.misread is not None
    assert len(wrong.misread.experiments) == 6
    assert again(wrong) == wrong.to_dict()
    assert open_classifier(run).explain("good great", label="good").misread is None
    assert (
        again(open_classifier(run).explain("--good - film")) == open_classifier(run).explain("--good - film").to_dict()
    )
    with pytest.raises(ArgumentError, match="label: expected bad or good; got 'fine'"):
        open_classifier(run).explain("good", "fine")
    with pytest.raises(ArgumentError, match="text: expected at least one word, got no words"):
        open_classifier(run).explain(" ")


def test_errors_are_explained_and_counted(run, watcher, again):
    found = open_classifier(run).errors("wrong.tsv", errors=1, observer=watcher)
    assert len(found.errors) == found.counts.errors == 2
    assert len(found.to_dict()["errors"]) == 1
    assert (watcher.tasks, watcher.done) == (["experiments"], [1, 1])
    assert again(found) == found.to_dict()
    with pytest.raises(ArgumentError, match="errors: expected a whole number of at least 0, got -1; try 0"):
        explain(run, "wrong.tsv", errors=-1)
    with pytest.raises(ArgumentError, match="label: needs a text"):
        explain(run, "wrong.tsv", label="good")


def test_every_record_is_shown(run, tmp_path):
    model = open_classifier(run)
    records = {
        "classes": (train("train.tsv", TINY, "mine"), "36 texts to train on, 4 held out"),
        "evaluated": (model.evaluate("wrong.tsv"), "accuracy           33.33 %"),
        "explained": (model.explain("A good zzz film"), "1 of 4 words are unknown"),
        "errors": (model.errors("wrong.tsv"), "2 errors in 3 texts"),
    }
    for name, (found, words) in records.items():
        assert words in repr(found)
        assert "<svg" in found.save(tmp_path / f"{name}.svg").read_text()
        assert found.save(tmp_path / f"{name}.csv").read_text().count("\n") > 2
        assert "<script" not in found._repr_html_()
    assert "good" in repr(model.predict("so good"))
    assert model.predict("so good").save(tmp_path / "p.csv").read_text().startswith("line,label,probability")


def test_seeds_that_train_in_two_seconds_stay_in_one_process(monkeypatch, tmp_path):
    """Two processes would start for longer than that. IMDB's 33 million characters take 8.5 s in 3 epochs."""
    line = "good film " * 100
    (tmp_path / "long.tsv").write_text("".join(f"{label}\t{line}\n" for label in ("pos", "neg") * 1500))
    planned: list[Task] = []

    def spread(_function, tasks, workers, *_more, **_options):
        planned.extend(tasks)
        raise KeyboardInterrupt

    monkeypatch.setattr("attnlab.benches.several.spread", spread)
    settings = replace(TINY, training=replace(TINY.training, epochs=4))
    with pytest.raises(StoppedError):
        train(tmp_path / "long.tsv", settings, tmp_path / "runs", seeds=2)
    monkeypatch.setattr(spreading, "cores", lambda: 2)
    assert Workers(2).processes(planned) == 1
    assert Workers(2).processes([replace(task, seconds=10 * task.seconds) for task in planned]) == 2
