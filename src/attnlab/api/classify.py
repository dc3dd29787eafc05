"""Text classifiers: `al.classify.train`, `open`, `evaluate`, `predict`, `explain`."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

from attnlab.api.options import ClassifierOptions
from attnlab.benches import sentiment
from attnlab.benches.sentiment import (
    ClassifierModel,
    Evaluated,
    Explained,
    ExplainedErrors,
    Predictions,
    TrainedClassifiers,
)
from attnlab.progress import watching
from attnlab.settings import changed
from attnlab.training.classifier.recipes import RECIPES, USUAL

__all__ = ["evaluate", "explain", "open", "predict", "train"]


def train(
    data: str | Path = "reviews",
    *,
    recipe: str = USUAL,
    model: Mapping[str, Any] | None = None,
    features: Mapping[str, Any] | None = None,
    vectors: str = "",
    out: str | Path | None = None,
    validation: float = 0.1,
    seeds: int = 1,
    **training: Unpack[ClassifierOptions],
) -> TrainedClassifiers:
    """Train a text classifier on film reviews ("reviews", "imdb"), a .tsv or .csv file, or a folder for each class.

    Its `.model` can `predict`, `evaluate` and `explain`. Settings of the model and the features are given by name:
    `model={"dim": 50}`, `features={"ngrams": 2}`.
    """
    chosen = RECIPES.find(recipe)
    settings = replace(
        chosen,
        model=changed(chosen.model, model, "model"),
        features=changed(chosen.features, features, "features"),
        training=changed(chosen.training, training),
        vectors=vectors,
    )
    return sentiment.train(data, settings, out, validation, seeds, watching())


def open(run: str | Path) -> ClassifierModel:  # the verb that people expect
    """Open a trained classifier."""
    return sentiment.open_classifier(run)


def evaluate(run: str | Path, data: str | Path = "reviews", *, part: Literal["train", "test"] = "test") -> Evaluated:
    """How often a classifier is right, class by class, and whether its probabilities mean what they say."""
    return sentiment.evaluate(run, data, part, watching())


def predict(run: str | Path, texts: Iterable[str] | Path) -> Predictions:
    """The class of each text, or of each line of a file, with its probability."""
    return sentiment.predict(run, texts)


def explain(
    run: str | Path,
    data: str | Path = "reviews",
    *,
    text: str | None = None,
    label: str | None = None,
    errors: int = 5,
    part: Literal["train", "test"] = "test",
) -> Explained | ExplainedErrors:
    """Why a classifier says what it says of a text; without a text, why it misreads labelled texts."""
    if text is not None:
        return sentiment.explain(run, text, label)
    return sentiment.explain_errors(run, data, part, errors, watching())
