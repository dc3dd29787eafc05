"""Classifiers as they are shown: the table of seeds, the numbers of an evaluation, and the rows that were skipped."""

from pathlib import Path

from attnlab.benches.sentiment import Prediction, Predictions, TrainedClassifiers, TrainedSeed
from attnlab.data.labelled.tables import Skipped
from attnlab.training.classifier.settings import ClassifierSettings
from attnlab.training.classifier.training import Epoch


def trained(*accuracies: float | None, skipped: int = 0) -> TrainedClassifiers:
    runs = []
    for seed, right in enumerate(accuracies):
        nats = None if right is None else 1 - right
        epochs = tuple(Epoch(number, 0.7, nats, right, 0.5 * number) for number in (1, 2))
        runs.append(TrainedSeed(Path(f"runs/seed-{seed}"), epochs, epochs[0]))
    rows = tuple(Skipped(f"a.tsv, line {number}", "expected a text\x1b") for number in range(skipped))
    return TrainedClassifiers(
        "a.tsv", ClassifierSettings(), 0.1, tuple(f"c{n}" for n in range(12)), 90, 10, tuple(runs), rows
    )


def test_seeds_and_their_mean():
    shown = repr(trained(0.5, 0.7))
    assert "90 texts to train on, 10 held out; 12 classes: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, …" in shown
    assert "runs/seed-1       2     1              70.00 %  0.3000      1.0" in shown
    assert "mean of 2 seeds: 60.00 %, standard deviation 14.14 %" in shown
    assert "attnlab classify explain runs/seed-0 --text TEXT" in shown
    assert "mean of" not in repr(trained(0.5))


def test_skipped_rows_are_counted_and_the_first_are_named():
    assert "skipped" not in repr(trained(0.5))
    assert "skipped 1 row that cannot be used:\n  a.tsv, line 0: expected a text\\x1b\n" in repr(
        trained(0.5, skipped=1)
    )
    shown = repr(trained(0.5, skipped=7))
    assert "skipped 7 rows that cannot be used:" in shown
    assert "line 4" in shown
    assert "line 5" not in shown
    assert "  and 2 more" in shown


def test_how_they_learnt_is_drawn_with_and_without_texts_that_are_held_out(tmp_path):
    right = trained(0.5, 0.7).save(tmp_path / "a.svg").read_text()
    assert "validation accuracy" in right
    assert "seed-1 ends at 0.7 after 2 epochs" in right
    assert "training loss, in nats" in trained(None).save(tmp_path / "b.svg").read_text()
    assert "–" in repr(trained(None))


def test_predictions_are_a_table():
    found = Predictions("run", ("a", "b"), (Prediction(1, "good\x1b", "a", 0.75, {"a": 0.75, "b": 0.25}, 1, 1, "odd"),))
    assert repr(found).splitlines()[1].split() == ["1", "a", "0.7500", "good\\x1b", "odd"]
