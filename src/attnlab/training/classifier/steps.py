"""A classifier's steps: a thread prepares batches of bags, and each batch updates some rows of a table."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
import torch
from jaxtyping import Float, Int, Integer
from torch import Tensor
from torch.nn import functional

from attnlab.data.labelled.loading import Labelled
from attnlab.models.averaging import AveragedVectors, AveragingNetwork, Votes, bag_sums
from attnlab.text.bags import Bags
from attnlab.training.classifier.settings import ClassifierTraining
from attnlab.training.optimisers.adamw import AdamW
from attnlab.training.optimisers.row_updates import RowUpdates
from attnlab.training.step import step_seed

Given = TypeVar("Given")
Made = TypeVar("Made")

ROWS = 8192
"""Rows of a table that are updated together: few enough to stay in the processor's cache."""


def class_weights(train: Labelled, training: ClassifierTraining) -> Float[np.ndarray, " classes"]:
    """The weight of each class's texts in the loss: 1, or such that all classes have the same weight in total. The mean
    over the training texts is 1."""
    if training.balance == "none":
        return np.ones(len(train.classes))
    counts = np.bincount(train.labels, minlength=len(train.classes)).clip(1)
    return len(train) / (len(train.classes) * counts)


class ClassifierTrainer:
    """A model, its optimisers and its training texts."""

    def __init__(self, model: AveragingNetwork, training: ClassifierTraining, train: Labelled, bags: Bags):
        self.model, self.training, self.bags = model, training, bags
        self.labels = torch.from_numpy(train.labels)
        self.weights = torch.tensor(class_weights(train, training), dtype=torch.float32)
        steps = [_step_sizes(part, training, train, bags) for part in model.parts]
        self.updates = [
            RowUpdates(part.table.data, training.rule, each) for part, each in zip(model.parts, steps, strict=True)
        ]
        own = {id(part.table) for part in model.parts}
        rest = [each for each in model.parameters() if id(each) not in own]
        self.dense = AdamW([{"params": rest, "rate": training.rate, "weight_decay": training.weight_decay}])
        self.step = 0

    def epoch(self, number: int) -> float:
        """Train on all texts once, in a new random order; returns the mean loss."""
        self.model.train()
        seed = step_seed(self.training.seed, number, 0)
        torch.manual_seed(seed)  # for dropout
        order = np.random.default_rng([self.training.seed, number]).permutation(len(self.bags))
        parts = [order[first : first + self.training.batch] for first in range(0, len(order), self.training.batch)]
        batch = partial(self.batch, torch.Generator().manual_seed(seed))
        with ThreadPoolExecutor(1) as beside:  # prepares the next batch during a step
            return sum(self.learn(each, len(parts)) for each in ahead(beside, batch, parts)) / len(order)

    def batch(self, random: torch.Generator, rows: Integer[np.ndarray, " batch"]) -> "Batch":
        """The features of some texts, after word dropout."""
        taken = self.bags.take(rows)
        ids, offsets = self.model.drop(torch.from_numpy(taken.ids), torch.from_numpy(taken.offsets), random)
        return Batch(ids, offsets, self.labels[torch.from_numpy(rows)], *transposed(ids, offsets))

    def learn(self, batch: "Batch", steps: int) -> float:
        """One step of an epoch of `steps` steps; returns the sum of the texts' losses."""
        with torch.no_grad():
            sums = self.model.sums(batch.ids, batch.offsets)
        for part, each in zip(self.model.parts, sums, strict=True):
            each.requires_grad_(part.table.requires_grad)
        logits = self.model.logits(sums, batch.offsets.diff())
        # Divide by the number of texts, not by their weights: else the weights would cancel in a batch of one class.
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
class Batch:
    """The features of some texts and, for each feature, the texts that have it."""

    ids: Integer[Tensor, " features"]
    offsets: Integer[Tensor, " bounds"]
    labels: Int[Tensor, " texts"]
    rows: Int[Tensor, " few"]
    texts: Int[Tensor, " features"]
    bounds: Int[Tensor, " bounds_of_few"]

    def move(self, updates: RowUpdates, gradient: Float[Tensor, "texts dim"], rate: float) -> None:
        """Update the rows of a table; the gradient of a row is the sum over the texts that have its feature."""
        updates.begin()
        for first in range(0, len(self.rows), ROWS):
            bounds = self.bounds[first : first + ROWS + 1]
            texts = self.texts[bounds[0] : bounds[-1]]
            updates.move(self.rows[first : first + ROWS], bag_sums(texts, gradient, bounds - bounds[0]), rate)


def ahead(pool: Executor, make: Callable[[Given], Made], given: Sequence[Given]) -> Iterator[Made]:
    """`make(each)` for all of `given`; the pool makes the next one while the caller uses the last."""
    coming = deque(pool.submit(make, each) for each in given[:1])
    for place in range(len(given)):
        coming.extend(pool.submit(make, each) for each in given[place + 1 : place + 2])
        yield coming.popleft().result()


def transposed(
    ids: Integer[Tensor, " features"], offsets: Integer[Tensor, " bounds"]
) -> tuple[Int[Tensor, " few"], Int[Tensor, " features"], Int[Tensor, " bounds_of_few"]]:
    """The different features of a batch; for each feature, one after the other, its texts; and where these begin.

    >>> [each.tolist() for each in transposed(torch.tensor([7, 3, 3]), torch.tensor([0, 1, 2, 3]))]
    [[3, 7], [1, 2, 0], [0, 2, 3]]
    """
    texts = torch.arange(len(offsets) - 1).repeat_interleave(offsets.diff())
    features, order = torch.sort(ids, stable=True)  # several times faster than numpy's sort
    features, counts = torch.unique_consecutive(features, return_counts=True)
    return features.long(), texts[order], functional.pad(counts.cumsum(0), (1, 0))


def _step_sizes(
    part: AveragedVectors | Votes, training: ClassifierTraining, train: Labelled, bags: Bags
) -> Float[Tensor, "rows _"] | None:
    """The factor of each row's step. For a vote it is the size of its naive-Bayes ratio, as if the ratio had a weight
    that learns (Wang & Manning 2012); for a vector as `training.steps` says. So features that are equally common in all
    classes hardly change, and, if the smoothing is large, rare features hardly change either."""
    if isinstance(part, Votes):
        return part.table.data.abs()
    if training.steps == "even":
        return None
    ratios = log_count_ratios(bags, train.labels, len(part.table), len(train.classes), training.smoothing)
    return torch.from_numpy(np.abs(ratios).max(1, keepdims=True))


def log_count_ratios(
    bags: Bags, labels: Int[np.ndarray, " texts"], size: int, classes: int, smoothing: float = 1.0
) -> Float[np.ndarray, "size classes"]:
    """How much more common each feature is in a class than in the other classes (naive Bayes; Wang & Manning 2012).

    r = ln(p/q): p is a feature's share of all features in texts of a class, q its share in all other texts.

    >>> bags = Bags.of([[1, 2], [1, 3], [1, 3]])
    >>> log_count_ratios(bags, np.array([0, 1, 1]), size=4, classes=2)[:, 1].round(2)
    array([-0.29,  0.12, -0.98,  0.81], dtype=float32)
    """
    counts = np.stack(
        [np.bincount(bags.ids[labels[bags.owners] == each], minlength=size) for each in range(classes)], 1
    )
    inside = counts + smoothing
    outside = counts.sum(1, keepdims=True) - counts + smoothing
    return (np.log(inside / inside.sum(0)) - np.log(outside / outside.sum(0))).astype(np.float32)
