"""How long training takes on this machine: a short burst of its operations is measured, and scaled to all of them."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Int

from attnlab.models.bigram import Bigram, BigramConfig, PairCounts
from attnlab.models.devices import find_device
from attnlab.models.kinds import make_network
from attnlab.models.ngrams.ngram import NGram, NGramConfig
from attnlab.text.settings import BytePairTokens, TokenSettings, WordTokens
from attnlab.training.language.config import Config
from attnlab.training.language.counting import CountTraining, train_on_counts
from attnlab.training.language.feeding import sequence_length
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.speed import operations_per_token
from attnlab.training.state import State, make_state
from attnlab.training.step import make_step

BURST = {"cpu": 1e10, "cuda": 1e13}
"""The most floating-point operations of a measured step, on each kind of device."""
WARM, TIMED, LONGEST = 4, 10, 3.0
"""Steps before the clock starts (a GPU captures the fourth), then the most steps and the most seconds of the burst."""
USUAL_SIZES = {"characters": 100, "bytes": 256, "words": 30_000}
"""The number of ids of a tokenizer that has no setting for it."""


@dataclass(frozen=True)
class TimeEstimate:
    """The estimated time of training alone, while nothing else runs: without reading and scoring the text."""

    seconds: float | None
    """None for an n-gram model: its time depends on the length of the text."""
    seconds_per_million: float
    """Seconds for a million tokens; a bigram model on counts sees every token in every step, so for it this is 0."""
    device: str
    threads: int


def estimate(config: Config) -> TimeEstimate:
    """The time that this training takes on this machine."""
    threads, size = torch.get_num_threads(), vocabulary_size(config.tokens)
    if isinstance(config.training, CountTraining):
        assert isinstance(config.model, BigramConfig)
        return TimeEstimate(config.training.steps * _count_seconds(config.model, size), 0.0, "cpu", threads)
    if not isinstance(config.training, Training):
        assert isinstance(config.model, NGramConfig)
        ids, order = _ids(100_000, size), config.model.order
        return TimeEstimate(None, 10 * _timed(lambda: NGram.fit(ids, size, order)), "cpu", 1)
    device = find_device(config.training.device)
    seconds = _step_seconds(config, size, torch.device(device))
    tokens = config.training.batch * sequence_length(config.model)
    limits = [60 * config.training.minutes] * bool(config.training.minutes)
    limits += [config.training.steps * seconds] * bool(config.training.steps)
    return TimeEstimate(min(limits), 1e6 * seconds / tokens, str(device), threads)


def vocabulary_size(tokens: TokenSettings) -> int:
    """The number of ids, as far as the settings tell it.

    >>> vocabulary_size(BytePairTokens(300)), vocabulary_size(WordTokens())
    (300, 30000)
    """
    given = tokens.vocabulary if isinstance(tokens, BytePairTokens | WordTokens) else 0
    return given or USUAL_SIZES[tokens.kind]


def _step_seconds(config: Config, size: int, device: torch.device) -> float:
    """The seconds of a step. A step that is too large is measured with fewer or shorter sequences; then the time of the
    gradient is scaled by its operations, and that of the update is not."""
    training: Any = config.training
    model = make_network(config.model, size).to(device)  # pyright: ignore[reportArgumentType] (not an n-gram)
    batch, length = training.batch, sequence_length(config.model)
    per_token, most = operations_per_token(model), BURST[device.type]
    while batch > 1 and batch * length * per_token > most:
        batch = (batch + 1) // 2
    while length > 16 and length * per_token > most:
        length //= 2
    state = make_state(model, training)
    step = make_step(state, replace(training, compile=False), Process(0, 1, device))
    ids = torch.from_numpy(_ids(batch * (length + 1), size)).reshape(batch, -1).to(device)
    whole = _timed(lambda: step(ids[:, :-1], ids[:, 1:]), WARM)
    update = _timed(lambda: _update(state), 1)
    scale = training.batch * sequence_length(config.model) / (batch * length)
    return max(whole - update, 0.0) * scale + min(update, whole)


def _update(state: State) -> None:
    for optimiser in state.optimisers:
        optimiser.step()


def _count_seconds(config: BigramConfig, size: int) -> float:
    """The seconds of an exact gradient of the whole text, with pairs as frequent as those of a long text."""
    pairs = PairCounts.of_text(torch.from_numpy(_ids(100 * size, size)), size)
    model, steps = Bigram(config, size), 3
    return _timed(lambda: train_on_counts(model, pairs, CountTraining(steps=steps)), 1) / steps


def _ids(count: int, size: int) -> Int[np.ndarray, " count"]:
    """Random ids as frequent as words: the frequency falls with the rank."""
    shares = 1 / np.arange(1, size + 1)
    return np.random.default_rng(0).choice(size, count, p=shares / shares.sum()).astype(np.int64)


def _timed(work: Callable[[], Any], warm: int = 0) -> float:
    """The seconds of the work at its fastest. Other programs and a cold start only make it slower, by a factor that the
    next estimate would not have."""
    for _ in range(warm):
        work()
    times, began = [], time.perf_counter()
    while len(times) < TIMED and (not times or time.perf_counter() - began < LONGEST):
        _wait()
        start = time.perf_counter()
        work()
        _wait()
        times.append(time.perf_counter() - start)
    return min(times)


def _wait() -> None:
    """Wait until a GPU has done its work."""
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
