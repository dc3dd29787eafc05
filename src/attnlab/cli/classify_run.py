"""A classifier's training put together around its run's folder, once or for several seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from rich.table import Table

from attnlab.cli.outcome import Outcome, progress_bar
from attnlab.data.labelled.loading import Labelled, load_labelled, split, two_classes
from attnlab.data.labelled.tables import Skipped
from attnlab.errors import ArgumentError
from attnlab.report.lines import on_one_line
from attnlab.runs.classifier import TASK, save_classifier
from attnlab.runs.folder import Run, check_new, new_run
from attnlab.training.classifier.config import ClassifierSettings
from attnlab.training.classifier.training import Epoch, TrainedClassifier, train_classifier

NAMED = 5
"""How many of the rows that were skipped are named."""


def train_runs(data: str, settings: ClassifierSettings, out: Path | None, *, share: float, seeds: int) -> Outcome:
    """Train a classifier for each of some seeds, on the same split of the data."""
    labelled = two_classes(load_labelled(data), data)
    try:
        train, held = split(labelled, share, settings.training.seed)
    except ArgumentError as error:
        raise ArgumentError("validation", error.message) from error
    if share and not len(held):
        raise ArgumentError("validation", "expected a text to hold out, but no class has two")
    place = out or Path("runs") / f"classify-{datetime.now():%Y-%m-%d-%H%M%S}"
    check_new(place, "")
    runs: list[Path] = []
    trained: list[TrainedClassifier] = []
    for seed in range(settings.training.seed, settings.training.seed + seeds):
        chosen = replace(settings, training=replace(settings.training, seed=seed))
        runs.append(place if seeds == 1 else place / f"seed-{seed}")
        trained.append(_train(runs[-1], _config(data, chosen, train, held, share), chosen, train, held))
    return _told(data, runs, trained, train, held)


def _train(
    path: Path, config: dict[str, Any], settings: ClassifierSettings, train: Labelled, held: Labelled
) -> TrainedClassifier:
    """Train, and write the run once there is something to write: what cannot begin leaves no folder behind."""
    with progress_bar() as bar:
        task = bar.add_task("reading the texts", total=settings.training.epochs)

        def passed(epoch: Epoch) -> None:
            run = new_run(path, config) if epoch.epoch == 1 else Run(path)
            run.append({"step": epoch.epoch, **asdict(epoch)})
            right = _shown(epoch.validation_accuracy, ".2%")
            words = f"epoch {epoch.epoch}: {right} of the held-out texts right" if len(held) else f"epoch {epoch.epoch}"
            bar.update(task, completed=epoch.epoch, description=words)

        trained = train_classifier(train, held, settings, progress=passed)
    save_classifier(Run(path), trained.classifier, trained.best.epoch, asdict(trained.best))
    return trained


def _config(data: str, settings: ClassifierSettings, train: Labelled, held: Labelled, share: float) -> dict[str, Any]:
    """What config.json says: the settings, the data, how it was split, and what it was for."""
    counts = {"train": len(train), "validation": len(held), "skipped": len(train.skipped), "share": share}
    shown = {"version": 1, "task": TASK, "text": data, "tokens": {"kind": "words"}, "classes": list(train.classes)}
    return shown | settings.as_json() | {"data": counts}


def _told(data: str, runs: list[Path], trained: list[TrainedClassifier], train: Labelled, held: Labelled) -> Outcome:
    found = [each.best.validation_accuracy for each in trained if each.best.validation_accuracy is not None]
    rows = [
        {"run": str(run), "epochs": len(each.epochs), "best": asdict(each.best)}
        for run, each in zip(runs, trained, strict=True)
    ]
    value = {
        "data": data,
        "classes": list(train.classes),
        "texts": len(train),
        "validation_texts": len(held),
        "validation_accuracy": mean(found) if found else None,
        "runs": rows,
        **skipped_json(train.skipped),
    }
    table = Table("run", "epochs", "best", "validation accuracy", "nats", "seconds")
    for row, each in zip(rows, trained, strict=True):
        best = each.best
        numbers = _shown(best.validation_accuracy, ".2%"), _shown(best.validation_nats, ".4f")
        table.add_row(row["run"], str(row["epochs"]), str(best.epoch), *numbers, f"{each.epochs[-1].seconds:.1f}")
    named = ", ".join(map(on_one_line, train.classes[:10])) + (", …" if len(train.classes) > 10 else "")
    shown: list[Any] = [
        f"{len(train):,} texts to train on, {len(held):,} held out; {len(train.classes)} classes: {named}",
        *skipped_lines(train.skipped),
        table,
    ]
    if len(found) > 1:
        spread = stdev(found)
        value["validation_accuracy_deviation"] = spread
        shown.append(f"mean of {len(found)} seeds: {mean(found):.2%}, standard deviation {spread:.2%}")
    return Outcome(value, shown)


def _shown(value: float | None, style: str) -> str:
    return "–" if value is None else format(value, style)


def skipped_json(skipped: Sequence[Skipped]) -> dict[str, Any]:
    """How many rows were skipped, and the first of them."""
    return {"skipped": len(skipped), "skipped_rows": [asdict(each) for each in skipped[:NAMED]]}


def skipped_lines(skipped: Sequence[Skipped]) -> list[str]:
    """The same, for a person."""
    if not skipped:
        return []
    count = "1 row" if len(skipped) == 1 else f"{len(skipped):,} rows"
    more = [f"  and {len(skipped) - NAMED:,} more"] if len(skipped) > NAMED else []
    return [
        f"skipped {count} that cannot be used:",
        *(f"  {on_one_line(str(each))}" for each in skipped[:NAMED]),
        *more,
    ]
