"""Train classifiers on labelled texts, with one or several seeds on the same split, or finish a stopped training.

A run has the lab's lifecycle, except that it saves no checkpoints before its end: a stopped classifier starts again, to
the same end. Training takes seconds. The table of features may be as large as memory, so writing it every epoch
would take longer than training.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from attnlab.benches.lifecycle import (
    PLAN,
    Place,
    beginning,
    check_data,
    check_plan,
    continuing,
    going,
    new_place,
    planning,
    say_finished,
)
from attnlab.benches.sentiment.trained import VALIDATION, ClassifierPlan, TrainedClassifiers, TrainedSeed
from attnlab.benches.several import finished_runs, is_plan, seeded, train_the_others
from attnlab.data.labelled.loading import Labelled, load_labelled, split, two_classes
from attnlab.data.vectors import VECTORS_HASH, vectors_hash
from attnlab.errors import ArgumentError, FileError
from attnlab.numbers import percent
from attnlab.parallel import ONE_WORKER, Task, Workers
from attnlab.progress import SILENT, Observer
from attnlab.runs.classifiers import check_classifier, save_classifier
from attnlab.runs.folder import CLASSIFIER, Run, open_run
from attnlab.runs.seen_texts import save_seen
from attnlab.settings import changed, read, read_file, write
from attnlab.training.classifier.recipes import RECIPES, USUAL
from attnlab.training.classifier.settings import ClassifierSettings
from attnlab.training.classifier.training import Epoch, TrainedClassifier, train_classifier
from attnlab.training.threads import ThreadWatch, check_threads, usual_threads

READ = 1e7
"""The characters per second that one core trains on: IMDB, once for each epoch, by the slower of the two recipes."""
TRAIN = "classify train"
PLANNED = f"the plan of attnlab {TRAIN} --seeds"


Changes = Mapping[str, Any] | None
"""Settings to change, by name; None changes nothing."""


def configure(
    recipe: str = USUAL,
    *,
    features: Changes = None,
    model: Changes = None,
    training: Changes = None,
    vectors: str = "",
) -> ClassifierSettings:
    """A recipe, changed by the other arguments.

    >>> configure("ngrams", features={"ngrams": 2}, training={"epochs": 1}).features.ngrams
    2
    """
    chosen = RECIPES.find(recipe)
    return replace(
        chosen,
        features=changed(chosen.features, features, "features"),
        model=changed(chosen.model, model, "model"),
        training=changed(chosen.training, training),
        vectors=vectors,
    )


@dataclass(frozen=True)
class PreparedTexts:
    """Labelled texts, split for training and validation, and the content of config.json besides the settings."""

    labelled: Labelled
    train: Labelled
    held: Labelled
    config: dict[str, Any]

    def check(self, run: Run) -> None:
        """Raise if the texts or the word vectors have changed since a run started. Older labs kept no hash."""
        noted = run.config().get("data")
        for name, found in self.config["data"].items():
            if name.endswith("sha256") and isinstance(noted, dict) and name in noted:
                check_data(run, noted[name], found, "the data" if name == "sha256" else "the file of word vectors")

    def record(self, plan: ClassifierPlan, runs: list[TrainedSeed]) -> TrainedClassifiers:
        """The record of the trained classifiers."""
        counts = (self.labelled.classes, len(self.train), len(self.held))
        return TrainedClassifiers(
            plan.data, plan.settings, plan.validation, *counts, tuple(runs), self.labelled.skipped
        )


def train(
    data: str | Path = "reviews",
    settings: ClassifierSettings | None = None,
    out: Path | str | None = None,
    validation: float = VALIDATION,
    seeds: int = 1,
    observer: Observer = SILENT,
    threads: int | None = None,
    workers: Workers = ONE_WORKER,
) -> TrainedClassifiers:
    """Train a classifier for each seed, from the seed of the settings on. With several seeds, each has a subfolder in
    the folder of the run. The default settings are those of the usual recipe. By default, a thread trains on each
    core, up to four, or one thread each of several seeds; a seed gives the same classifier whatever the threads."""
    first = settings or RECIPES.find(USUAL)
    seeded(first, seeds)  # raises before the texts are read
    check_threads(threads)
    place = new_place(out, "classify")
    ready = _prepare(str(data), first, validation)
    plan = ClassifierPlan(str(data), first, validation, seeds)
    if seeds == 1:
        return ready.record(plan, [_begun(place, ready, first, observer, threads or usual_threads())])
    with planning(place, write(plan)) as path:
        return ready.record(plan, _all(path, plan, ready, observer, threads or 1, workers))


def resume(
    path: Path | str, observer: Observer = SILENT, threads: int | None = None, workers: Workers = ONE_WORKER
) -> TrainedClassifiers:
    """Finish a stopped training. Classifiers that are finished stay as they are; the others start again."""
    check_threads(threads)
    place = Path(path)
    if is_plan(place):
        plan: ClassifierPlan = read_file(ClassifierPlan, place / PLAN, PLANNED)
        check_plan(place)
        ready = _prepare(plan.data, plan.settings, plan.validation)
        with continuing(Run(place)):
            return ready.record(plan, _all(place, plan, ready, observer, threads or 1, workers))
    run = open_run(place)
    plan = _plan_of(run)
    ready = _prepare(plan.data, plan.settings, plan.validation)
    ready.check(run)
    if run.finished:
        found = ready.record(plan, [_finished(run)])
        say_finished(run, observer)
        return found
    return ready.record(plan, [_one(place, ready, plan.settings, threads or usual_threads(), observer)])


def _plan_of(run: Run) -> ClassifierPlan:
    """The plan of a single run, from its config.json."""
    check_classifier(run)
    config, settings = run.config(), run.settings(ClassifierSettings)
    try:
        return read(
            ClassifierPlan,
            {"data": config["text"], "validation": config["data"]["share"], "seeds": 1, "settings": write(settings)},
        )
    except (ArgumentError, KeyError, TypeError) as error:
        raise FileError(run.path / "config.json", f"expected the settings of a classifier: {error}") from error


def _all(
    place: Path, plan: ClassifierPlan, ready: PreparedTexts, observer: Observer, threads: int, workers: Workers
) -> list[TrainedSeed]:
    """The finished classifiers of all seeds, each in a subfolder."""
    planned = seeded(plan.settings, plan.seeds)
    done = finished_runs(place, planned, _finished, ready.check)
    seconds = sum(map(len, ready.train.texts)) * plan.settings.training.epochs / READ
    tasks = [Task(name, (place / name, ready, each, threads), seconds, threads) for name, each in planned.items()]
    return train_the_others(place, TRAIN, tasks, done, _one, observer, workers)


def _one(
    path: Path, ready: PreparedTexts, settings: ClassifierSettings, threads: int, observer: Observer
) -> TrainedSeed:
    """Train one classifier to its end: a new one, or one that was stopped, which starts again."""
    run = Run(path)
    if not (path / "config.json").is_file():
        return _begun(Place(path), ready, settings, observer, threads)
    with continuing(run):
        run.forget_after(0)  # a classifier has no checkpoints before its end
        return _train_seed(run, ready, settings, observer, threads)


def _begun(
    place: Place, ready: PreparedTexts, settings: ClassifierSettings, observer: Observer, threads: int
) -> TrainedSeed:
    """Train one classifier in a new folder."""
    with beginning(place, ready.config | write(settings)) as run:
        return _train_seed(run, ready, settings, observer, threads)


def _finished(run: Run) -> TrainedSeed:
    """A finished classifier, from its folder."""
    try:
        epochs = tuple(
            read(Epoch, {name: value for name, value in each.items() if name != "step"}) for each in run.metrics()
        )
        return TrainedSeed(run.path, epochs, read(Epoch, run.result()["best"]))
    except (ArgumentError, KeyError) as error:
        raise FileError(run.path, f"damaged: {error}; remove the folder to train this classifier again") from error


def _split(labelled: Labelled, share: float, seed: int) -> tuple[Labelled, Labelled]:
    """The training split and the validation split."""
    try:
        train, held = split(labelled, share, seed)
    except ArgumentError as error:
        raise ArgumentError("validation", error.message) from error
    if share and not len(held):
        raise ArgumentError("validation", "cannot hold out a text: every class has only one text; try 0")
    return train, held


def _prepare(data: str, settings: ClassifierSettings, share: float) -> PreparedTexts:
    """The texts, and config.json: the task, the data with its split, and hashes of the data and the word vectors."""
    labelled = two_classes(load_labelled(data), data)
    train, held = _split(labelled, share, settings.training.seed)
    counts = {"train": len(train), "validation": len(held), "skipped": len(labelled.skipped), "share": share}
    given = {VECTORS_HASH: vectors_hash(settings.vectors)} if settings.vectors else {}
    config = {
        "task": CLASSIFIER,
        "text": data,
        "tokens": {"kind": "words"},
        "classes": list(labelled.classes),
        "data": {**counts, "sha256": labelled.sha256, **given},
    }
    return PreparedTexts(labelled, train, held, config)


def _train_seed(
    run: Run, ready: PreparedTexts, settings: ClassifierSettings, observer: Observer, threads: int
) -> TrainedSeed:
    """Train one classifier."""

    def passed(epoch: Epoch) -> None:
        run.append({"step": epoch.epoch, **asdict(epoch)})

    with going(run, TRAIN, "--rate or --table-rate"):
        found = learn(ready.train, ready.held, settings, observer, passed, threads)
    save_seen(run.path, ready.labelled.texts)
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
            accuracy = "" if right is None else f": validation accuracy {percent(right, decimals=2)}"
            task.reach(epoch.epoch, f"epoch {epoch.epoch}{accuracy}")
            if advice := watch.advice():
                observer.say(advice)

        return train_classifier(train, held, settings, reached, threads)
