"""Saving a classifier into its run's folder, and loading it; without torch."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from attnlab.errors import ArgumentError, FileError
from attnlab.files import read_json, write_whole
from attnlab.models.averaging import AveragingConfig, AveragingNetwork
from attnlab.models.classifier import Classifier
from attnlab.runs.folder import CLASSIFIER, Run, open_run
from attnlab.settings import settings
from attnlab.text.features import Features


@settings
class ClassifierConfig:
    """The part of a classifier's config.json that is needed to open it."""

    classes: tuple[str, ...]
    model: AveragingConfig


def save_classifier(run: Run, classifier: Classifier, epoch: int, notes: Mapping[str, Any]) -> None:
    """Write a classifier into its run's folder: features.json, and the weights as a checkpoint."""
    features = json.dumps(classifier.features.to_json(), ensure_ascii=False, indent=1)
    write_whole(run.path / "features.json", f"{features}\n".encode())
    weights = {f"model.{name}": each for name, each in classifier.model.parameters().items()}
    run.save(epoch, weights, notes)


def check_classifier(run: Run) -> None:
    """Raise unless the run is that of a classifier."""
    if run.config().get("task") != CLASSIFIER:
        raise FileError(run.path, f"expected the run of a classifier, got {run.described}")


def load_classifier(path: Path | str) -> Classifier:
    """The classifier in the folder of a run."""
    run = open_run(Path(path))
    check_classifier(run)
    config: ClassifierConfig = run.settings(ClassifierConfig)
    try:
        features = Features.from_json(read_json(run.path / "features.json", "the features of a classifier"))
    except (ArgumentError, KeyError, ValueError, TypeError) as error:
        raise FileError(run.path / "features.json", f"expected the features of a classifier: {error}") from error
    checkpoint = run.best()
    model = AveragingNetwork(config.model, features.size, len(config.classes))
    weights = {name.removeprefix("model."): array for name, array in checkpoint.arrays().items()}
    for name, array in weights.items():
        if not np.isfinite(array).all():
            raise FileError(checkpoint.path, f"expected finite weights; {name} has NaN or infinity")
    try:
        model.load(weights)
    except ArgumentError as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error
    return Classifier(config.classes, features, model)
