"""A trained classifier in its run's folder: the model, the features it sees and the names of the classes."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attnlab.errors import ArgumentError, FileError
from attnlab.files import read_json, write_whole
from attnlab.models.averaging import AveragingConfig, AveragingNetwork
from attnlab.models.classifier import Classifier
from attnlab.models.kinds import load_weights
from attnlab.models.settings import read_settings
from attnlab.runs.folder import Run, open_run
from attnlab.text.features import Features

TASK = "classify"
"""What the config.json of a classifier's run says it is for; that of a language model says nothing."""


def save_classifier(run: Run, classifier: Classifier, epoch: int, notes: Mapping[str, Any]) -> None:
    """Write a classifier into its run's folder: features.json, and the weights as a checkpoint."""
    features = json.dumps(classifier.features.to_json(), ensure_ascii=False, indent=1)
    write_whole(run.path / "features.json", f"{features}\n".encode())
    weights = {f"model.{name}": parameter.data for name, parameter in classifier.model.named_parameters()}
    run.save(epoch, weights, notes)


def load_classifier(path: Path | str) -> Classifier:
    """The classifier in the folder of a run."""
    run = open_run(Path(path))
    config = run.config()
    if config.get("task") != TASK:
        raise FileError(
            run.path, "expected the run of a classifier, got that of a language model; attnlab sample reads it"
        )
    where = run.path / "config.json"
    try:
        classes = tuple(str(each) for each in config["classes"])
        settings = {name: value for name, value in config["model"].items() if name != "kind"}
        shape = read_settings(AveragingConfig, settings, "model averaging")
    except (ArgumentError, KeyError, TypeError, AttributeError) as error:
        raise FileError(where, f"expected the settings of a classifier: {error}") from error
    try:
        features = Features.from_json(read_json(run.path / "features.json", "the features of a classifier"))
    except (ArgumentError, KeyError, ValueError, TypeError) as error:
        raise FileError(run.path / "features.json", f"expected the features of a classifier: {error}") from error
    checkpoint = run.best()
    model = AveragingNetwork(shape, features.size, len(classes))
    weights = {name.removeprefix("model."): tensor for name, tensor in checkpoint.tensors().items()}
    try:
        load_weights(model, weights)
    except ArgumentError as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error
    return Classifier(classes, features, model.eval())
