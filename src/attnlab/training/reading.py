"""Training a classifier that reads: epochs of batches of texts of about one length."""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Int
from torch import nn
from torch.nn import functional

from attnlab.models.kinds import StepwiseModel
from attnlab.models.reading import class_logits, padded
from attnlab.text.bags import Bags
from attnlab.training.optimisers.assignment import make_optimisers, set_rates
from attnlab.training.settings import Training
from attnlab.training.step import step_seed

POOL = 8
"""So many batches are drawn at once and sorted by length, so that little of a batch is padding."""


def train_reader(model: StepwiseModel, words: Bags, labels: Int[np.ndarray, " texts"], training: Training) -> None:
    """Teach a reader the classes of texts whose words are given in their order: `training.steps` steps."""
    optimisers, targets = make_optimisers(model, training), torch.from_numpy(labels)
    model.train()
    with torch.random.fork_rng(devices=[]):  # torch's own seed is left alone
        for step, rows in zip(range(training.steps), _batches(words, training), strict=False):
            set_rates(optimisers, training.share_of_rate(step / training.steps))
            torch.manual_seed(step_seed(training.seed, step, 0))
            logits = class_logits(model, *padded(words.take(rows), model.config.context))
            model.zero_grad(set_to_none=True)
            functional.cross_entropy(logits, targets[torch.from_numpy(rows)]).backward()
            if training.clip:
                nn.utils.clip_grad_norm_(model.parameters(), training.clip)
            for optimiser in optimisers:
                optimiser.step()
    model.eval()


def _batches(words: Bags, training: Training) -> Iterator[Int[np.ndarray, " batch"]]:
    """Every text once an epoch, for as many epochs as are asked for."""
    epoch = 0
    while True:
        draws = np.random.default_rng([training.seed, epoch])
        order, lengths = draws.permutation(len(words)), words.lengths
        for first in range(0, len(order), POOL * training.batch):
            pool = order[first : first + POOL * training.batch]
            pool = pool[np.argsort(lengths[pool], kind="stable")]
            batches = [pool[start : start + training.batch] for start in range(0, len(pool), training.batch)]
            yield from (batches[place] for place in draws.permutation(len(batches)))
        epoch += 1
