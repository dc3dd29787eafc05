"""The loop: batch, gradient, update, step by step.

Batches and dropout depend on (seed, step, rank) only. So a run that goes on from a checkpoint equals a run that never
stopped. Reporting, validating, sampling and saving are functions that the caller passes as `Hooks`.
"""

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from attnlab.errors import DivergedError
from attnlab.parallel.messages import stop_requested
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.state import State
from attnlab.training.step import Batch, make_step, prepare_step

USUAL = (signal.SIG_DFL, signal.SIG_IGN, signal.default_int_handler, None)
"""What a signal does unless a program sets its own handler; None: a handler that Python did not set."""
LOOK_EVERY = 10
"""Steps between two readings of the loss: each reading makes a GPU wait."""


@dataclass(frozen=True)
class LossReading:
    """A reading of the loss, with other measurements since the last reading."""

    step: int
    loss: float
    """The mean over the steps since the last look, and over the processes."""
    rate: float
    """The share of the full learning rate."""
    progress: float
    """The share of the training that is done, from 0 to 1."""
    seconds: float
    tokens_per_second: float


@dataclass(frozen=True)
class Hooks:
    """Functions that the loop calls: `looked` after every look, the others now and then.

    `validate` returns the nats per token of the validation split; NaN or infinity ends the run.
    """

    looked: Callable[[LossReading], None] = lambda look: None
    validate: Callable[[State], float] = lambda state: 0.0
    sample: Callable[[State], None] = lambda state: None
    save: Callable[[State], None] = lambda state: None


@dataclass
class _Watch:
    """The losses since the last look, and the time of that look."""

    first: float = math.nan
    losses: list[Tensor] = field(default_factory=list)
    since: float = field(default_factory=time.perf_counter)
    tokens: int = 0

    def look(self, state: State, training: Training, process: Process) -> LossReading:
        """Wait for the GPU and read the losses. Raises if training diverged, before a checkpoint is saved."""
        losses = process.mean(torch.stack(self.losses)).tolist()
        elapsed = time.perf_counter() - self.since
        mean = sum(losses) / len(losses)
        self.first = mean if math.isnan(self.first) else self.first
        for step, loss in enumerate(losses, start=state.step - len(losses) + 1):
            if not math.isfinite(loss):
                raise DivergedError(step, f"the loss is {loss}")
        if mean > 2 * self.first + 1:
            raise DivergedError(state.step, f"the loss went from {self.first:.4g} to {mean:.4g}")
        progress = min(1.0, _progress(state, training))
        tokens = len(losses) * self.tokens * process.ranks
        self.losses.clear()
        return LossReading(
            state.step, mean, training.share_of_rate(progress), progress, state.seconds, tokens / elapsed
        )

    def restart(self) -> None:
        """Restart the clock, after validating, sampling or saving took time."""
        self.since = time.perf_counter()


def train(state: State, training: Training, process: Process, batch_at: Callable[[int], Batch], hooks: Hooks) -> bool:
    """Train from `state` to the end; `batch_at(step)` returns this process's share of the batch of that step.

    Returns False if somebody asked to stop; the loop then saves the state first.
    """
    devices = [process.device] if process.device.type == "cuda" else []
    with torch.random.fork_rng(devices=devices), interrupts() as asked:
        return _train(state, training, process, batch_at, hooks, asked)


def _train(
    state: State,
    training: Training,
    process: Process,
    batch_at: Callable[[int], Batch],
    hooks: Hooks,
    asked: Callable[[], bool],
) -> bool:
    step = make_step(state, training, process)
    watch, began = _Watch(), time.perf_counter() - state.seconds
    while (progress := _progress(state, training)) < 1:
        prepare_step(state, training, process, progress)
        inputs, targets = batch_at(state.step)
        watch.tokens = inputs.numel()
        watch.losses.append(step(inputs, targets))
        state.step += 1
        state.seconds = _agreed(time.perf_counter() - began, training, process)
        last = _progress(state, training) >= 1
        due = last or state.step % training.validate_every == 0
        sampling = training.sample_every > 0 and state.step % training.sample_every == 0
        keeping = training.keeps(state.step)
        looking = due or sampling or keeping or state.step % LOOK_EVERY == 0
        stop = process.any(asked()) if looking and process.ranks > 1 else process.ranks == 1 and asked()
        if looking or stop:
            hooks.looked(watch.look(state, training, process))
            if due:
                _validate(state, hooks)
            if sampling:
                hooks.sample(state)
            if due or keeping or stop:
                _save(state, hooks)
            if stop and not last:
                return False
            watch.restart()
    return True


def _progress(state: State, training: Training) -> float:
    """The share of the training that is done: of the steps or of the minutes, whichever is larger."""
    of_time = state.seconds / (60 * training.minutes) if training.minutes else 0.0
    of_steps = state.step / training.steps if training.steps else 0.0
    return max(of_steps, of_time)


def _agreed(seconds: float, training: Training, process: Process) -> float:
    """The seconds since the start. If minutes limit the training, all processes get the same number."""
    if training.minutes and process.ranks > 1:
        return float(process.mean(torch.tensor(seconds, dtype=torch.float64, device=process.device)))
    return seconds


def _validate(state: State, hooks: Hooks) -> None:
    nats = hooks.validate(state)
    if not math.isfinite(nats):
        raise DivergedError(state.step, f"the validation loss is {nats}")


def _save(state: State, hooks: Hooks) -> None:
    """Save a checkpoint, but never one with NaN or infinite weights."""
    if not state.finite():
        raise DivergedError(state.step, "a weight became NaN or infinite")
    hooks.save(state)


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """A function that says whether somebody asked to stop, by Ctrl-C or SIGTERM, in this process or in the one that
    spreads its work over this one and others. A second Ctrl-C stops at once.

    The loop asks between two steps: a run cannot go on from the middle of a step. A handler that the program has set
    itself stays.
    """
    asked: list[int] = []

    def ask(number: int, _frame: Any) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    if threading.current_thread() is not threading.main_thread():  # only the main thread may handle signals
        yield stop_requested
        return
    heard = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) in USUAL]
    before = {number: signal.signal(number, ask) for number in heard}
    try:
        yield lambda: bool(asked) or stop_requested()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
