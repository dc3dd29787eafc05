"""Text classifiers: `al.classify.train`, `open`, `evaluate`, `predict`, `explain`."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Unpack

from attnlab.api.options import ClassifierOptions
from attnlab.arguments import checked
from attnlab.benches import sentiment
from attnlab.benches.sentiment import (
    ClassifierModel,
    EvaluatedClassifier,
    Explained,
    ExplainedErrors,
    Predictions,
    TrainedClassifiers,
)
from attnlab.data.labelled.loading import Half
from attnlab.observers import watching
from attnlab.parallel import Workers
from attnlab.training.classifier.recipes import USUAL

__all__ = ["evaluate", "explain", "open", "predict", "train"]


@checked
def train(
    data: str | Path = "reviews",
    *,
    recipe: str = USUAL,
    model: Mapping[str, Any] | None = None,
    features: Mapping[str, Any] | None = None,
    vectors: str | Path = "",
    out: str | Path | None = None,
    validation: float = 0.1,
    seeds: int = 1,
    threads: int | None = None,
    jobs: int = 0,
    cluster: str = "",
    **training: Unpack[ClassifierOptions],
) -> TrainedClassifiers:
    """Train a text classifier on film reviews ("reviews", "imdb"), a .tsv or .csv file, or a folder of class folders.

    The `.model` of the result can `predict`, `evaluate` and `explain`. Settings of the model and of the features are
    given by name: `model={"dim": 50}`, `features={"ngrams": 2}`. `threads` is the number of CPU threads; by
    default one trains, so that a seed gives the same classifier on every machine. Several seeds train in up to `jobs`
    processes (0: one for each core), or on a Dask `cluster`, "tcp://HOST:8786".
    """
    settings = sentiment.configure(recipe, features=features, model=model, training=training, vectors=str(vectors))
    workers = Workers(jobs, cluster)
    return sentiment.train(data, settings, out, validation, seeds, watching(), threads, workers)


@checked
def open(run: str | Path) -> ClassifierModel:
    """Open a trained classifier."""
    return sentiment.open_classifier(run)


@checked
def evaluate(run: str | Path, data: str | Path = "reviews", *, part: Half = "test") -> EvaluatedClassifier:
    """Score a classifier on labelled texts: accuracy, scores of each class, and calibration."""
    return sentiment.evaluate(run, data, part, watching())


@checked
def predict(run: str | Path, texts: Iterable[str] | Path) -> Predictions:
    """Predict the class of each text, or of each line of a file, with its probability. A string that names a file is
    that file; any other string is one text."""
    return sentiment.predict(run, texts)


@checked
def explain(
    run: str | Path,
    data: str | Path = "reviews",
    *,
    text: str | None = None,
    label: str | None = None,
    errors: int = 5,
    part: Half = "test",
) -> Explained | ExplainedErrors:
    """Explain the prediction of a classifier for a text; without a text, explain its errors on labelled texts."""
    return sentiment.explain(run, data, text, label, part, errors, watching())
