"""Training a classifier: epochs of minibatches, until the loss on the validation split no longer falls.

It has its own loop. A step updates a few rows of a huge table while another thread prepares the next batch, and epochs,
not steps, decide when to stop.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from attnlab.data.labelled.loading import Labelled
from attnlab.data.vectors import vectors_file
from attnlab.errors import DivergedError, FileError
from attnlab.models.averaging import AveragingNetwork, Weights
from attnlab.models.classifier import Classifier
from attnlab.text.bags import Bags
from attnlab.text.features import Features
from attnlab.text.vectors import read_vectors
from attnlab.training.classifier.settings import ClassifierSettings
from attnlab.training.classifier.steps import ClassifierTrainer, class_weights, log_count_ratios


@dataclass(frozen=True)
class Epoch:
    """One pass over the training texts: its loss, and the results on the validation split after it."""

    epoch: int
    loss: float
    """The mean −ln p of the right class during training, with dropout; weighted by class if classes are balanced."""
    validation_nats: float | None
    """The same mean on the validation split, without dropout; None without such a split. It picks the best epoch."""
    validation_accuracy: float | None
    seconds: float
    """Since training began."""


@dataclass(frozen=True)
class TrainedClassifier:
    """A classifier with the weights of its best epoch, and all epochs of its training."""

    classifier: Classifier
    best: Epoch
    epochs: tuple[Epoch, ...]


def train_classifier(
    train: Labelled,
    validation: Labelled,
    settings: ClassifierSettings,
    progress: Callable[[Epoch], None] = lambda epoch: None,
    threads: int = 1,
) -> TrainedClassifier:
    """Train a classifier on labelled texts; without validation texts, it has the weights of the last epoch.

    A seed gives the same classifier whatever the number of threads. One more thread prepares batches."""
    features, bags = Features.with_bags(train.texts, settings.features)
    held = features.encode(validation.texts)
    weights = class_weights(train, settings.training)
    model = begun(features, bags, train, settings)
    classifier = Classifier(train.classes, features, model)
    learner = ClassifierTrainer(model, settings.training, train, bags, threads)
    epochs: list[Epoch] = []
    best: Epoch | None = None
    kept: Weights = {}
    began = time.perf_counter()
    for number in range(1, settings.training.epochs + 1):
        loss = learner.epoch(number)
        if not math.isfinite(loss):
            raise DivergedError(learner.step, f"the loss is {loss}")
        nats, accuracy = _validated(classifier, held, validation.labels, weights[validation.labels])
        seen = Epoch(number, loss, nats, accuracy, time.perf_counter() - began)
        epochs.append(seen)
        progress(seen)
        if nats is None:
            best = seen
        elif best is None or best.validation_nats is None or nats < best.validation_nats:
            best = seen
            for name, each in model.parameters().items():  # in place, to save memory
                kept.setdefault(name, np.empty_like(each))[...] = each
        elif number - best.epoch >= settings.training.patience:
            break
    assert best is not None
    if kept:
        model.load(kept)
    return TrainedClassifier(classifier, best, tuple(epochs))


def begun(features: Features, bags: Bags, train: Labelled, settings: ClassifierSettings) -> AveragingNetwork:
    """The model before its first step: random layers, word vectors from a file, votes from naive Bayes."""
    classes = len(train.classes)
    model = AveragingNetwork(settings.model, features.size, classes, settings.training.seed)
    if settings.vectors and model.network is not None:
        rows, values = given_vectors(settings.vectors, features, settings.model.dim)
        model.network.table[rows] = values
    if model.votes is not None:
        ratios = log_count_ratios(bags, train.labels, features.size, classes, settings.training.smoothing)
        model.votes.table[...] = ratios[:, -model.votes.table.shape[1] :]
    return model


def given_vectors(
    source: str, features: Features, dim: int
) -> tuple[Int[np.ndarray, " words"], Float[np.ndarray, "words dim"]]:
    """The ids of the words with a vector in GloVe or a file, and these vectors, which must have `dim` coordinates."""
    path = vectors_file(source)
    ids = features.tokenizer.ids
    found = read_vectors(path, ids, dim)
    if found.dim != dim:
        raise FileError(path, f"expected vectors with {dim} coordinates (--model.dim), got {found.dim}")
    return np.array([ids[word] for word in found.words], np.int64), found.values


def _validated(
    classifier: Classifier,
    bags: Bags,
    labels: Int[np.ndarray, " texts"],
    weights: Float[np.ndarray, " texts"],
) -> tuple[float, float] | tuple[None, None]:
    """The weighted mean −ln p of the right class, and the accuracy."""
    if not len(labels):
        return None, None
    found = classifier.of_bags(bags)
    right = found[np.arange(len(labels)), labels]
    nats = np.average(-np.log(right.clip(1e-300)), weights=weights)
    return float(nats), float((found.argmax(1) == labels).mean())
