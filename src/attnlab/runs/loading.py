"""Loading a model from its run's folder: a language model with its tokenizer, or a classifier with its features."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor

from attnlab.errors import ArgumentError, FileError
from attnlab.files import read_json, write_whole
from attnlab.models.averaging import AveragingConfig, AveragingNetwork
from attnlab.models.classifier import Classifier
from attnlab.models.kinds import AnyModel, Model, load_weights, model_from_weights
from attnlab.models.ngram import NGram
from attnlab.runs.checkpoints import Checkpoint
from attnlab.runs.folder import Run, open_run
from attnlab.settings import settings
from attnlab.text.features import Features
from attnlab.text.tokenizers import Tokenizer, load_tokenizer, tokenizer_hash

CLASSIFIER = "classify"
"""The `task` in the config.json of a classifier's run; a language model's run has no task."""
TOKENIZER = "tokenizer.json"
TOKENIZER_HASH = "tokenizer_sha256"
"""The entry of config.json with the hash of the tokenizer. Runs of version 1 have none."""


@settings
class ClassifierConfig:
    """The part of a classifier's config.json that is needed to open it."""

    classes: tuple[str, ...]
    model: AveragingConfig


@dataclass(frozen=True)
class Trained:
    """A trained model, its tokenizer and its checkpoint."""

    model: Model
    tokenizer: Tokenizer
    checkpoint: Checkpoint


def load_trained(path: Path | str) -> Trained:
    """The model of a run's best checkpoint."""
    run = open_run(Path(path))
    if run.config().get("task") == CLASSIFIER:
        raise FileError(run.path, f"expected the run of a language model, got {run.described}")
    tokenizer = run_tokenizer(run)
    checkpoint = run.best()
    return Trained(load_model(run, checkpoint, tokenizer.size), tokenizer, checkpoint)


def run_tokenizer(run: Run) -> Tokenizer:
    """The tokenizer of a run. Raises if it is not the one that the run was trained with."""
    path, noted = run.path / TOKENIZER, run.config().get(TOKENIZER_HASH)
    found = load_tokenizer(path)
    if noted is not None and noted != tokenizer_hash(found):
        raise FileError(path, "not the tokenizer that the run was trained with; restore the original file")
    return found


def load_model(run: Run, checkpoint: Checkpoint, size: int) -> Model:
    """The model of a checkpoint, with the average of its weights if the run kept one."""
    tensors = checkpoint.tensors()
    kept = "average." if any(name.startswith("average.") for name in tensors) else "model."
    weights = {name.removeprefix(kept): tensor for name, tensor in tensors.items() if name.startswith(kept)}
    config = run.settings(AnyModel, "model")
    check_finite(checkpoint, weights)
    try:
        found = model_from_weights(config, size, weights)
    except ArgumentError as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error
    if isinstance(found, NGram) and found.size != size:
        raise FileError(checkpoint.path, f"expected a model of {size} tokens, as tokenizer.json has; got {found.size}")
    return found


def check_finite(checkpoint: Checkpoint, weights: Mapping[str, Tensor]) -> None:
    """Raise if a weight is NaN or infinite."""
    for name, tensor in weights.items():
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise FileError(checkpoint.path, f"expected finite weights; {name} has NaN or infinity")


def save_classifier(run: Run, classifier: Classifier, epoch: int, notes: Mapping[str, Any]) -> None:
    """Write a classifier into its run's folder: features.json, and the weights as a checkpoint."""
    features = json.dumps(classifier.features.to_json(), ensure_ascii=False, indent=1)
    write_whole(run.path / "features.json", f"{features}\n".encode())
    weights = {f"model.{name}": parameter.data for name, parameter in classifier.model.named_parameters()}
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
    weights = {name.removeprefix("model."): tensor for name, tensor in checkpoint.tensors().items()}
    check_finite(checkpoint, weights)
    try:
        load_weights(model, weights)
    except ArgumentError as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error
    return Classifier(config.classes, features, model.eval())
