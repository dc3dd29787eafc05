"""Train a language model in memory: what a run does between reading its text and writing its folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from jaxtyping import Float, Integer
from torch import Tensor

from attnlab.evaluation.scoring.subjects import Subject, subject_of
from attnlab.models.bigram import Bigram, BigramConfig
from attnlab.models.kinds import make_network
from attnlab.models.ngrams.ngram import NGram, NGramConfig
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.text import Tokenizer
from attnlab.text.tokenizers import line_end
from attnlab.training.language.counting import CountTraining, fit
from attnlab.training.language.feeding import feed, sequence_length
from attnlab.training.loop import Hooks, train
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.state import State, make_state

Ids = Integer[np.ndarray, " tokens"]
Vectors = Float[Tensor, "vocab dim"] | None


@dataclass(frozen=True)
class Counted:
    """A model that was trained on the counts of a text."""

    model: NGram | Bigram
    tokenizer: Tokenizer
    losses: tuple[float, ...]
    """The loss before each step, in nats per token; empty for an n-gram model, which has no steps."""
    seconds: float

    def subject(self, name: str) -> Subject:
        """The model under a name, to be measured."""
        return subject_of(name, self.model, self.tokenizer)


def count(
    config: NGramConfig | BigramConfig,
    tokenizer: Tokenizer,
    ids: Ids,
    training: CountTraining | None = None,
    vectors: Vectors = None,
    folder: Path | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> Counted:
    """Train an n-gram model or a bigram model on the counts of a text, given as tokens. The n-grams of a large text are
    counted in files of `folder`, with `progress`."""
    began = perf_counter()
    model, losses = fit(config, ids, tokenizer.size, training, vectors, line_end(tokenizer), folder, progress)
    return Counted(model, tokenizer, tuple(losses), perf_counter() - began)


def learn(
    config: BigramConfig | RecurrentConfig | TransformerConfig,
    tokenizer: Tokenizer,
    ids: Ids,
    training: Training,
    process: Process,
    *,
    vectors: Vectors = None,
    begin: Callable[[State], Hooks] = lambda state: Hooks(),
) -> State:
    """Train a network step by step on a text, given as tokens. `begin` gets the state before the first step, and gives
    the hooks. Raises KeyboardInterrupt if somebody asks to stop; the last state is saved by then."""
    batch_at = feed(ids, training, sequence_length(config), process)
    model = make_network(config, tokenizer.size, training.seed, vectors).to(process.device)
    state = make_state(model, training)
    if not train(state, training, process, batch_at, begin(state)):
        raise KeyboardInterrupt
    return state
