"""Train classifiers on labelled texts, with one or several seeds on the same split.

A run has the lab's lifecycle, except that it saves no checkpoints before its end and cannot be resumed. Training takes
seconds. The table of features may be as large as memory, so writing it every epoch would take longer than training.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any, ClassVar

from attnlab.benches.lifecycle import going, run_path
from attnlab.benches.sentiment.models import ClassifierModel, open_classifier
from attnlab.benches.sentiment.texts import skipped_rows
from attnlab.data.labelled.loading import Labelled, load_labelled, split, two_classes
from attnlab.data.labelled.tables import Skipped
from attnlab.errors import ArgumentError
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, command_line, record
from attnlab.runs.folder import Run, new_run
from attnlab.runs.loading import CLASSIFIER, save_classifier
from attnlab.settings import changed_words, write
from attnlab.training.classifier.recipes import RECIPES, USUAL
from attnlab.training.classifier.settings import ClassifierSettings
from attnlab.training.classifier.training import Epoch, TrainedClassifier, train_classifier
from attnlab.training.language.vectors import VECTORS_HASH, vectors_hash
from attnlab.training.threads import ThreadWatch, using_threads

VALIDATION = 0.1
MOST_SEEDS = 1000


@dataclass(frozen=True)
class TrainedSeed:
    """A finished run with one seed: its folder, its epochs, and the epoch whose weights were kept."""

    path: Path
    epochs: tuple[Epoch, ...]
    best: Epoch

    @property
    def model(self) -> ClassifierModel:
        """Its classifier."""
        return open_classifier(self.path)

    def to_dict(self) -> dict[str, Any]:
        """The content of result.json."""
        return {"run": str(self.path), "epochs": len(self.epochs), "best": asdict(self.best)}


@record
class TrainedClassifiers(Record):
    """Classifiers with different seeds, trained on the same texts."""

    shown_by: ClassVar[str] = "sentiment.shown.trained_classifiers"

    data: str
    settings: ClassifierSettings
    """The settings with the first seed."""
    validation: float
    """The share of the texts in the validation split."""
    classes: tuple[str, ...]
    texts: int
    validation_texts: int
    runs: tuple[TrainedSeed, ...]
    skipped: tuple[Skipped, ...] = ()
    """Rows of the data that could not be used."""

    @property
    def model(self) -> ClassifierModel:
        """The classifier of the first seed."""
        return self.runs[0].model

    @property
    def accuracies(self) -> tuple[float, ...]:
        """The validation accuracy of each seed's best epoch; empty without a validation split."""
        found = (run.best.validation_accuracy for run in self.runs)
        return tuple(each for each in found if each is not None)

    @property
    def deviation(self) -> float | None:
        """The standard deviation of the accuracies; None for fewer than two."""
        return stdev(self.accuracies) if len(self.accuracies) > 1 else None

    def to_dict(self) -> dict[str, Any]:
        """The whole content."""
        deviation = self.deviation
        return {
            "data": self.data,
            "classes": list(self.classes),
            "texts": self.texts,
            "validation_texts": self.validation_texts,
            "validation_accuracy": mean(self.accuracies) if self.accuracies else None,
            "runs": [run.to_dict() for run in self.runs],
            **skipped_rows(self.skipped),
            **({} if deviation is None else {"validation_accuracy_deviation": deviation}),
        }

    @property
    def command(self) -> str:
        """The command line that trains them again, with the recipe that needs the fewest other options."""
        words = min((_recipe_words(self.settings, name) for name in RECIPES), key=len)
        vectors = ["--vectors", self.settings.vectors] if self.settings.vectors else []
        validation = ["--validation", self.validation] if self.validation != VALIDATION else []
        seeds = ["--seeds", len(self.runs)] if len(self.runs) > 1 else []
        return command_line(["classify", "train", self.data, *words, *vectors, *validation, *seeds])


def train(
    data: str | Path = "reviews",
    settings: ClassifierSettings | None = None,
    out: Path | str | None = None,
    validation: float = VALIDATION,
    seeds: int = 1,
    observer: Observer = SILENT,
    threads: int | None = None,
) -> TrainedClassifiers:
    """Train a classifier for each seed, from the seed of the settings on. With several seeds, each has a subfolder in
    the folder of the run. The default settings are those of the usual recipe. By default, one thread trains."""
    first = settings or RECIPES.find(USUAL)
    seeded = _seeded(first, seeds)
    place = run_path(out, "classify", advice="")
    labelled = two_classes(load_labelled(data), data)
    texts, held = _split(labelled, validation, first.training.seed)
    config = _config(str(data), labelled, len(texts), len(held), validation, first.vectors)
    runs = []
    with using_threads(threads):
        for each in seeded:
            path = place if seeds == 1 else place / f"seed-{each.training.seed}"
            runs.append(_train_seed(Run(path), config, texts, held, each, observer, threads or 1))
    return TrainedClassifiers(
        str(data), first, validation, labelled.classes, len(texts), len(held), tuple(runs), labelled.skipped
    )


def _seeded(settings: ClassifierSettings, seeds: int) -> list[ClassifierSettings]:
    """The settings for each seed."""
    if not 1 <= seeds <= MOST_SEEDS:
        raise ArgumentError("seeds", f"expected from 1 to {MOST_SEEDS}, got {seeds}")
    training = settings.training
    last = training.seed + seeds - 1
    try:
        replace(training, seed=last)
    except ArgumentError as error:
        raise ArgumentError("seeds", f"{seeds} seeds from {training.seed} on: {error.message}") from error
    return [replace(settings, training=replace(training, seed=seed)) for seed in range(training.seed, last + 1)]


def _split(labelled: Labelled, share: float, seed: int) -> tuple[Labelled, Labelled]:
    """The training split and the validation split."""
    try:
        train, held = split(labelled, share, seed)
    except ArgumentError as error:
        raise ArgumentError("validation", error.message) from error
    if share and not len(held):
        raise ArgumentError("validation", "cannot hold out a text: every class has only one text; try 0")
    return train, held


def _config(data: str, labelled: Labelled, texts: int, held: int, share: float, vectors: str) -> dict[str, Any]:
    """The content of config.json besides the settings: the task, the data with its split, and hashes of the data and of
    the word vectors."""
    counts = {"train": texts, "validation": held, "skipped": len(labelled.skipped), "share": share}
    given = {VECTORS_HASH: vectors_hash(vectors)} if vectors else {}
    return {
        "task": CLASSIFIER,
        "text": data,
        "tokens": {"kind": "words"},
        "classes": list(labelled.classes),
        "data": {**counts, "sha256": labelled.sha256, **given},
    }


def _train_seed(
    run: Run,
    config: dict[str, Any],
    train: Labelled,
    held: Labelled,
    settings: ClassifierSettings,
    observer: Observer,
    threads: int,
) -> TrainedSeed:
    """Train one classifier. Its folder is created after the first epoch: failed training leaves no folder."""

    def passed(epoch: Epoch) -> None:
        if epoch.epoch == 1:
            new_run(run.path, config | write(settings))
        run.append({"step": epoch.epoch, **asdict(epoch)})

    with going(run, rates="--rate or --table-rate"):
        found = learn(train, held, settings, observer, passed, threads)
    save_classifier(run, found.classifier, found.best.epoch, asdict(found.best))
    trained = TrainedSeed(run.path, found.epochs, found.best)
    run.finish(trained.to_dict())
    return trained


def learn(
    train: Labelled,
    held: Labelled,
    settings: ClassifierSettings,
    observer: Observer = SILENT,
    passed: Callable[[Epoch], None] = lambda epoch: None,
    threads: int = 1,
) -> TrainedClassifier:
    """Train one classifier in memory, without a folder; `passed` is called after each epoch. The observer is told if
    threads wait for one another."""
    watch = ThreadWatch(threads=threads)
    with observer.task("reading the texts", settings.training.epochs) as task:

        def reached(epoch: Epoch) -> None:
            passed(epoch)
            right = epoch.validation_accuracy
            accuracy = "" if right is None else f": validation accuracy {right:.2%}"
            task.reach(epoch.epoch, f"epoch {epoch.epoch}{accuracy}")
            if advice := watch.advice():
                observer.say(advice)

        return train_classifier(train, held, settings, reached, threads)


def _recipe_words(settings: ClassifierSettings, name: str) -> list[str]:
    """The options for these settings with a recipe, as they are typed."""
    usual = RECIPES.find(name)
    return [
        *(["--recipe", name] if name != USUAL else []),
        *changed_words(settings.features, usual.features, "--features."),
        *changed_words(settings.model, usual.model, "--model."),
        *changed_words(settings.training, usual.training),
    ]
