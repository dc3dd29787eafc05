"""Batches on the device of the model. A small text stays on the device; a large text is read from its file."""

from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Integer

from attnlab.data.tokens.epochs import starts
from attnlab.models.kinds import ModelConfig
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer_config import TransformerConfig
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.step import Batch


def sequence_length(model: ModelConfig) -> int:
    """The tokens of a training sequence: the context window; for a bigram model 1, so that a sequence is a pair."""
    return model.context if isinstance(model, RecurrentConfig | TransformerConfig) else 1


def feed(
    ids: Integer[np.ndarray, " tokens"], training: Training, context: int, process: Process
) -> Callable[[int], Batch]:
    """A function from a step to this process's share of its batch. A memory-mapped text stays on disk."""
    settings = {"rank": process.rank, "ranks": process.ranks, "batch": training.batch, "context": context}
    starts(len(ids), seed=training.seed, step=0, **settings)  # raises here if the text is too short
    held = None if isinstance(ids, np.memmap) else torch.from_numpy(ids.astype(np.int32)).to(process.device)
    window = torch.arange(context + 1, device=process.device)

    def batch_at(step: int) -> Batch:
        first = starts(len(ids), seed=training.seed, step=step, **settings)
        if held is None:
            found = torch.from_numpy(ids[first[:, None] + np.arange(context + 1)].astype(np.int64)).to(process.device)
        else:
            found = held[torch.from_numpy(first).to(process.device, non_blocking=True)[:, None] + window].long()
        return found[:, :-1], found[:, 1:]

    return batch_at
