"""Training a classifier: epochs of minibatches, stopped when the validation part, if any, no longer gains.

It has a loop of its own, as a step moves a few rows of a huge table while another thread prepares the next batch, and
epochs, not steps, decide when to stop.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlab.data.labelled.loading import Labelled
from attnlab.models.averaging import AveragingNetwork
from attnlab.models.classifier import Classifier
from attnlab.text.bags import Bags
from attnlab.text.features import Features
from attnlab.training.classifier.bayes import log_count_ratios
from attnlab.training.classifier.settings import ClassifierSettings
from attnlab.training.classifier.steps import ClassifierTrainer, class_weights
from attnlab.training.classifier.vectors import given_vectors
from attnlab.training.loop import DivergedError
from attnlab.training.threads import one_thread


@dataclass(frozen=True)
class Epoch:
    """One pass over the training texts: the loss, and how well the classifier then does on the validation part."""

    epoch: int
    loss: float
    """The mean −ln p of the right class, in training, with dropout; where classes are balanced, a text weighs the more,
    the rarer its class is among the training texts."""
    validation_nats: float | None
    """The same mean on the validation part, without dropout; None if no text is held out. The best epoch has the
    lowest."""
    validation_accuracy: float | None
    seconds: float
    """Since training began."""


@dataclass(frozen=True)
class TrainedClassifier:
    """A classifier with the weights of its best epoch, and how it got there."""

    classifier: Classifier
    best: Epoch
    epochs: tuple[Epoch, ...]


def train_classifier(
    train: Labelled,
    validation: Labelled,
    settings: ClassifierSettings,
    progress: Callable[[Epoch], None] = lambda epoch: None,
) -> TrainedClassifier:
    """The classifier of some labelled texts; with nothing to validate with, that of the last epoch."""
    features, bags = Features.with_bags(train.texts, settings.features)
    held = features.encode(validation.texts)
    weights = class_weights(train, settings.training)
    model = begun(features, bags, train, settings)
    classifier = Classifier(train.classes, features, model)
    learner = ClassifierTrainer(model, settings.training, train, bags)
    epochs: list[Epoch] = []
    best: Epoch | None = None
    kept: dict[str, Tensor] = {}
    began = time.perf_counter()
    for number in range(1, settings.training.epochs + 1):
        with torch.random.fork_rng(devices=[]), one_thread():  # torch's own seed is left alone
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
            for name, each in model.state_dict().items():  # in place: a large table is not held a third time
                kept[name] = kept[name].copy_(each) if name in kept else each.detach().clone()
        elif number - best.epoch >= settings.training.patience:
            break
    assert best is not None
    if kept:
        model.load_state_dict(kept)
    return TrainedClassifier(classifier, best, tuple(epochs))


def begun(features: Features, bags: Bags, train: Labelled, settings: ClassifierSettings) -> AveragingNetwork:
    """The model before its first step: random layers, given vectors, votes as naive Bayes has them."""
    classes = len(train.classes)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.training.seed)
        model = AveragingNetwork(settings.model, features.size, classes)
    with torch.no_grad():
        if settings.vectors and model.network is not None:
            rows, values = given_vectors(settings.vectors, features, settings.model.dim)
            model.network.table[torch.from_numpy(rows)] = torch.from_numpy(values)
        if model.votes is not None:
            ratios = log_count_ratios(bags, train.labels, features.size, classes, settings.training.smoothing)
            table = model.votes.table
            table.copy_(torch.from_numpy(ratios[:, -table.shape[1] :]))
    return model


def _validated(
    classifier: Classifier,
    bags: Bags,
    labels: Int[np.ndarray, " texts"],
    weights: Float[np.ndarray, " texts"],
) -> tuple[float, float] | tuple[None, None]:
    """The weighted mean −ln p of the right class, and the share of texts whose likeliest class is right."""
    if not len(labels):
        return None, None
    found = classifier.of_bags(bags)
    right = found[np.arange(len(labels)), labels]
    nats = np.average(-np.log(right.clip(1e-300)), weights=weights)
    return float(nats), float((found.argmax(1) == labels).mean())
