"""A classifier's steps: a thread prepares batches of bags, and each batch updates some rows of a table."""

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from jaxtyping import Float, Int, Int32, Integer

from attnlab.data.labelled.loading import Labelled
from attnlab.models.averaging import AveragedVectors, AveragingNetwork, Votes, Weights
from attnlab.parallel.ahead import ahead
from attnlab.text.bags import Bags, sorted_pairs
from attnlab.training.classifier.settings import ClassifierTraining
from attnlab.training.optimisers.array_adamw import ArrayAdamW
from attnlab.training.optimisers.rows.updates import RowUpdates

PARTS = 4
"""The parts of a batch that threads share. Their number is fixed, so that no sum depends on the number of threads."""


def class_weights(train: Labelled, training: ClassifierTraining) -> Float[np.ndarray, " classes"]:
    """The weight of each class's texts in the loss: 1, or such that all classes have the same weight in total. The mean
    over the training texts is 1."""
    if training.balance == "none":
        return np.ones(len(train.classes))
    counts = np.bincount(train.labels, minlength=len(train.classes)).clip(1)
    return len(train) / (len(train.classes) * counts)


@dataclass(frozen=True)
class Batch:
    """Some texts: their labels, their numbers of features, and the pairs (feature, text), sorted by feature."""

    labels: Int[np.ndarray, " texts"]
    counts: Int[np.ndarray, " texts"]
    rows: Int32[np.ndarray, " pairs"]
    texts: Int32[np.ndarray, " pairs"]

    @property
    def parts(self) -> list[slice]:
        """The pairs in `PARTS` parts of about one size; all pairs of a feature are in one part."""
        whole = len(self.rows)
        inner = [np.searchsorted(self.rows, self.rows[whole * part // PARTS]) for part in range(1, PARTS) if whole]
        ends = [0, *map(int, inner), whole]
        return [slice(first, last) for first, last in pairwise(ends) if last > first]


class ClassifierTrainer:
    """A model, its optimisers and its training texts."""

    def __init__(
        self, model: AveragingNetwork, training: ClassifierTraining, train: Labelled, bags: Bags, threads: int = 1
    ):
        self.model, self.training, self.bags, self.threads = model, training, bags, threads
        self.labels = train.labels
        self.weights = class_weights(train, training).astype(np.float32)
        self.updates = [
            RowUpdates(part.table, training.rule, _step_sizes(part, training, train, bags)) if part.learns else None
            for part in model.parts
        ]
        layers = {name: each for name, each in model.parameters().items() if not name.endswith("table")}
        self.dense = ArrayAdamW(layers, training.weight_decay)
        self.step = 0

    def epoch(self, number: int) -> float:
        """Train on all texts once, in a new random order; returns the mean loss."""
        draws = np.random.default_rng([self.training.seed, number])
        order = draws.permutation(len(self.bags))
        words, hidden = draws.spawn(2)
        parts = [order[first : first + self.training.batch] for first in range(0, len(order), self.training.batch)]
        batch = partial(self.batch, words)
        # One thread prepares the next batch during a step.
        with ThreadPoolExecutor(1) as beside, ThreadPoolExecutor(self.threads) as workers:
            losses = (self.learn(each, len(parts), hidden, workers) for each in ahead(beside, batch, parts))
            return sum(losses) / len(order)

    def batch(self, random: np.random.Generator, rows: Integer[np.ndarray, " batch"]) -> Batch:
        """The features of some texts, after word dropout."""
        taken = self.bags.take(rows)
        ids, owners, counts, share = taken.ids, taken.owners, taken.lengths, self.model.config.word_dropout
        if share:
            kept = random.random(len(ids), np.float32) >= share
            ids, owners = ids[kept], owners[kept]
            counts = np.bincount(owners, minlength=len(rows))
        return Batch(self.labels[rows], counts, *sorted_pairs(ids, owners))

    def learn(self, batch: Batch, steps: int, random: np.random.Generator, workers: Executor) -> float:
        """One step of an epoch of `steps` steps; returns the sum of the texts' losses."""
        parts = batch.parts
        passes = [
            part.forward(self.sums(part.table, batch, parts, workers), batch.counts, random)
            for part in self.model.parts
        ]
        loss, slope = self.loss(sum((each.logits for each in passes), start=self.model.bias), batch.labels)
        share = 1.0 if self.training.decay == "none" else 1 - self.step / (steps * self.training.epochs)
        gradients: Weights = {"bias": slope.sum(0)}
        names = [name for name, part in (("network", self.model.network), ("votes", self.model.votes)) if part]
        for name, part, seen, updates in zip(names, self.model.parts, passes, self.updates, strict=True):
            of_sums, of_layers = part.backward(seen, slope)
            gradients |= {f"{name}.{key}": each for key, each in of_layers.items()}
            if updates is not None:
                updates.begin()
                move = partial(_move, updates, batch, np.ascontiguousarray(of_sums), share * self.training.table_rate)
                list(workers.map(move, parts))
        self.dense.step(gradients, share * self.training.rate)
        self.step += 1
        return loss

    def sums(
        self, table: Float[np.ndarray, "rows dim"], batch: Batch, parts: Sequence[slice], workers: Executor
    ) -> Float[np.ndarray, "texts dim"]:
        """The sum of a table's rows over the features of each text: of each part, then of all."""
        from attnlab.training.optimisers.rows.loops import add_rows

        def of_part(part: slice) -> Float[np.ndarray, "texts dim"]:
            found = np.zeros((len(batch.counts), table.shape[1]), np.float32)
            add_rows(batch.rows[part], batch.texts[part], table, found)
            return found

        return sum(workers.map(of_part, parts), start=np.zeros((len(batch.counts), table.shape[1]), np.float32))

    def loss(
        self, logits: Float[np.ndarray, "texts classes"], labels: Int[np.ndarray, " texts"]
    ) -> tuple[float, Float[np.ndarray, "texts classes"]]:
        """The weighted sum of −ln p of the right classes, and the gradient of its mean with respect to the logits."""
        texts = np.arange(len(labels))
        logits = logits - logits.max(1, keepdims=True)
        odds = np.exp(logits)
        chances = odds / odds.sum(1, keepdims=True)
        weights = self.weights[labels]
        found = np.log(odds.sum(1)) - logits[texts, labels]
        chances[texts, labels] -= 1
        # Divide by the number of texts, not by their weights: else the weights would cancel in a batch of one class.
        return float(weights @ found), chances * (weights / len(labels))[:, None]


def _move(
    updates: RowUpdates, batch: Batch, gradients: Float[np.ndarray, "texts dim"], rate: float, part: slice
) -> None:
    updates.move(batch.rows[part], batch.texts[part], gradients, rate)


def _step_sizes(
    part: AveragedVectors | Votes, training: ClassifierTraining, train: Labelled, bags: Bags
) -> Float[np.ndarray, "rows _"] | None:
    """The factor of each row's step. For a vote it is the size of its naive-Bayes ratio, as if the ratio had a weight
    that learns (Wang & Manning 2012); for a vector as `training.steps` says. So features that are equally common in all
    classes hardly change, and, if the smoothing is large, rare features hardly change either."""
    if isinstance(part, Votes):
        return np.abs(part.table)
    if training.steps == "even":
        return None
    ratios = log_count_ratios(bags, train.labels, len(part.table), len(train.classes), training.smoothing)
    return np.abs(ratios).max(1, keepdims=True)


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
