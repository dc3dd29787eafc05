"""Training a classifier: epochs of minibatches, stopped when the validation part, if any, no longer gains."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
import torch
from jaxtyping import Float, Int, Integer
from torch import Tensor
from torch.nn import functional

from attnlab.data.labelled import Labelled
from attnlab.models.averaging import Averaging, Network, Votes, bag_sums
from attnlab.runs.classifier import Classifier
from attnlab.text.bags import Bags
from attnlab.text.features import Features
from attnlab.training.adamw import AdamW
from attnlab.training.bayes import log_count_ratios
from attnlab.training.classifier_config import ClassifierSettings
from attnlab.training.classifier_settings import ClassifierTraining
from attnlab.training.loop import DivergedError
from attnlab.training.rows import RowUpdates
from attnlab.training.step import step_seed
from attnlab.training.vectors import given_vectors

Given = TypeVar("Given")
Made = TypeVar("Made")

ROWS = 8192
"""Rows of a table that are moved together: few enough for what is computed of them to stay in the cache."""


@dataclass(frozen=True)
class Epoch:
    """What one pass over the training texts led to."""

    epoch: int
    loss: float
    """The mean −ln p of the right class, in training, with dropout; where classes are balanced, a text weighs the more,
    the rarer its class is among the training texts."""
    validation_nats: float | None
    """The same mean on the validation part, without dropout; none where nothing is held out. The best epoch has the
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
    learner = _Learner(model, settings.training, train, bags)
    epochs: list[Epoch] = []
    best: Epoch | None = None
    kept: dict[str, Tensor] = {}
    began = time.perf_counter()
    for number in range(1, settings.training.epochs + 1):
        with torch.random.fork_rng(devices=[]), _one_thread():  # torch's own seed is left alone
            loss = learner.epoch(number)
        if not math.isfinite(loss):
            raise DivergedError(learner.step, f"the loss is {loss}; a lower --rate or --table-rate may help")
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


@contextmanager
def _one_thread() -> Iterator[None]:
    """As long as the block runs, torch has one thread: steps are so small that two mostly wait for one another."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def begun(features: Features, bags: Bags, train: Labelled, settings: ClassifierSettings) -> Averaging:
    """The model before its first step: random layers, given vectors, votes as naive Bayes has them."""
    classes = len(train.classes)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.training.seed)
        model = Averaging(settings.model, features.size, classes)
    with torch.no_grad():
        if settings.vectors and model.network is not None:
            rows, values = given_vectors(settings.vectors, features, settings.model.dim)
            model.network.table[torch.from_numpy(rows)] = torch.from_numpy(values)
        if model.votes is not None:
            ratios = log_count_ratios(bags, train.labels, features.size, classes, settings.training.smoothing)
            table = model.votes.table
            table.copy_(torch.from_numpy(ratios[:, -table.shape[1] :]))
    return model


def class_weights(train: Labelled, training: ClassifierTraining) -> Float[np.ndarray, " classes"]:
    """What a text of each class weighs in the loss: 1, or so that all classes weigh the same; the mean over the
    training texts is 1."""
    if training.balance == "none":
        return np.ones(len(train.classes))
    counts = np.bincount(train.labels, minlength=len(train.classes)).clip(1)
    return len(train) / (len(train.classes) * counts)


class _Learner:
    """A model, its optimisers, and the texts that it learns from."""

    def __init__(self, model: Averaging, training: ClassifierTraining, train: Labelled, bags: Bags):
        self.model, self.training, self.bags = model, training, bags
        self.labels = torch.from_numpy(train.labels)
        self.weights = torch.tensor(class_weights(train, training), dtype=torch.float32)
        steps = [_steps(part, training, train, bags) for part in model.parts]
        self.updates = [
            RowUpdates(part.table.data, training.rule, each) for part, each in zip(model.parts, steps, strict=True)
        ]
        own = {id(part.table) for part in model.parts}
        rest = [each for each in model.parameters() if id(each) not in own]
        self.dense = AdamW([{"params": rest, "rate": training.rate, "weight_decay": training.weight_decay}])
        self.step = 0

    def epoch(self, number: int) -> float:
        """One pass over the texts in a new order; returns the mean loss."""
        self.model.train()
        seed = step_seed(self.training.seed, number, 0)
        torch.manual_seed(seed)  # of dropout
        order = np.random.default_rng([self.training.seed, number]).permutation(len(self.bags))
        parts = [order[first : first + self.training.batch] for first in range(0, len(order), self.training.batch)]
        batch = partial(self._batch, torch.Generator().manual_seed(seed))
        with ThreadPoolExecutor(1) as beside:  # it prepares a batch while the one before is learnt from
            return sum(self._step(each, len(parts)) for each in ahead(beside, batch, parts)) / len(order)

    def _batch(self, random: torch.Generator, rows: Integer[np.ndarray, " batch"]) -> "_Batch":
        taken = self.bags.take(rows)
        ids, offsets = self.model.drop(torch.from_numpy(taken.ids), torch.from_numpy(taken.offsets), random)
        return _Batch(ids, offsets, self.labels[torch.from_numpy(rows)], *transposed(ids, offsets))

    def _step(self, batch: "_Batch", steps: int) -> float:
        with torch.no_grad():
            sums = self.model.sums(batch.ids, batch.offsets)
        for part, each in zip(self.model.parts, sums, strict=True):
            each.requires_grad_(part.table.requires_grad)
        logits = self.model.logits(sums, batch.offsets.diff())
        # Over the number of texts, not their weights: else a batch of one class would not notice how rare that is.
        loss = functional.cross_entropy(logits, batch.labels, self.weights, reduction="sum") / len(batch.labels)
        self.model.zero_grad(set_to_none=True)
        loss.backward()
        share = 1.0 if self.training.decay == "none" else 1 - self.step / (steps * self.training.epochs)
        for each, updates in zip(sums, self.updates, strict=True):
            if each.grad is not None:
                batch.move(updates, each.grad, share * self.training.table_rate)
        for group in self.dense.groups:
            group["rate"] = share * self.training.rate
        self.dense.step()
        self.step += 1
        return float(loss.detach()) * len(batch.labels)


@dataclass(frozen=True)
class _Batch:
    """The features of some texts, and the other way round: for each feature the texts that it is in."""

    ids: Integer[Tensor, " features"]
    offsets: Integer[Tensor, " bounds"]
    labels: Int[Tensor, " texts"]
    rows: Int[Tensor, " few"]
    texts: Int[Tensor, " features"]
    bounds: Int[Tensor, " bounds_of_few"]

    def move(self, updates: RowUpdates, gradient: Float[Tensor, "texts dim"], rate: float) -> None:
        """Update the rows of a table; a row's gradient is the sum of those of the texts that it is in."""
        updates.begin()
        for first in range(0, len(self.rows), ROWS):
            bounds = self.bounds[first : first + ROWS + 1]
            texts = self.texts[bounds[0] : bounds[-1]]
            updates.move(self.rows[first : first + ROWS], bag_sums(texts, gradient, bounds - bounds[0]), rate)


def ahead(pool: Executor, make: Callable[[Given], Made], given: Sequence[Given]) -> Iterator[Made]:
    """What is made of each of the given, the next one while the last is in use."""
    coming = deque(pool.submit(make, each) for each in given[:1])
    for place in range(len(given)):
        coming.extend(pool.submit(make, each) for each in given[place + 1 : place + 2])
        yield coming.popleft().result()


def transposed(
    ids: Integer[Tensor, " features"], offsets: Integer[Tensor, " bounds"]
) -> tuple[Int[Tensor, " few"], Int[Tensor, " features"], Int[Tensor, " bounds_of_few"]]:
    """The features of a batch, each once; for each of them the texts it is in, in a row; and where those begin.

    >>> [each.tolist() for each in transposed(torch.tensor([7, 3, 3]), torch.tensor([0, 1, 2, 3]))]
    [[3, 7], [1, 2, 0], [0, 2, 3]]
    """
    texts = torch.arange(len(offsets) - 1).repeat_interleave(offsets.diff())
    features, order = torch.sort(ids, stable=True)  # of whole numbers torch sorts several times faster than numpy
    features, counts = torch.unique_consecutive(features, return_counts=True)
    return features.long(), texts[order], functional.pad(counts.cumsum(0), (1, 0))


def _steps(
    part: Network | Votes, training: ClassifierTraining, train: Labelled, bags: Bags
) -> Float[Tensor, "rows _"] | None:
    """How large the steps of each row are. A vote moves in proportion to its naive-Bayes ratio, as a weight on it would
    (Wang & Manning 2012), and so may a vector: a feature that is as common in every class stays quiet, and so does one
    that is rare, the more so the larger the smoothing."""
    if isinstance(part, Votes):
        return part.table.data.abs()
    if training.steps == "even":
        return None
    ratios = log_count_ratios(bags, train.labels, len(part.table), len(train.classes), training.smoothing)
    return torch.from_numpy(np.abs(ratios).max(1, keepdims=True))


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
