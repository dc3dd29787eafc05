"""A run of training: training and evaluation, which do not know each other, put together around the run's folder."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

from attnlab.cli.bars import training_bar
from attnlab.cli.outcome import Outcome
from attnlab.cli.results import tell
from attnlab.cli.texts import Prepared, prepare, training_ids
from attnlab.data.tokens.epochs import starts
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.sampling import Sampling, opening, sample, stream
from attnlab.evaluation.scoring.scores import score
from attnlab.models.kinds import BigramShape, NGramShape, make_model, weights_of
from attnlab.runs.folder import Run, free_path, new_run, open_run
from attnlab.text import save_tokenizer
from attnlab.training.language.config import Config
from attnlab.training.language.counting import fit
from attnlab.training.language.feeding import feed
from attnlab.training.loop import DivergedError, Hooks, Look, train
from attnlab.training.processes import Process, this_process
from attnlab.training.state import State, make_state

SAMPLED = 200
"""Tokens of a sample while training."""


def start_run(config: Config, out: Path | None, plot: Path | None) -> Outcome | None:
    """Train a new run to its end."""
    with this_process(config.training.device) as process:
        place = out or free_path(Path("runs") / f"train-{datetime.now():%Y-%m-%d-%H%M%S}")
        ready = prepare(config)
        run = Run(place)
        _check(config, ready, process)
        if process.leads:
            noted = config.as_json() | {"data": ready.described}
            run = new_run(place, noted)
            save_tokenizer(ready.tokenizer, run.path / "tokenizer.json")
        return _go(run, config, ready, process, plot)


def resume_run(path: Path, plot: Path | None) -> Outcome | None:
    """Go on with a run from its last checkpoint."""
    run = open_run(path)
    try:
        config = Config.from_json(run.config())
    except ArgumentError as error:
        raise FileError(path / "config.json", str(error)) from error
    if (path / "result.json").exists():
        raise FileError(path, "expected a run that was stopped; this one came to its end")
    with this_process(config.training.device) as process:
        ready = prepare(config, path / "tokenizer.json")
        if ready.described["sha256"] != run.config().get("data", {}).get("sha256"):
            raise FileError(path, f"expected the text {config.text} as it was; it has changed since the run began")
        return _go(run, config, ready, process, plot)


def _check(config: Config, ready: Prepared, process: Process) -> None:
    """Raise where the text is too short or the batch cannot be shared, before a folder is made for nothing."""
    if isinstance(config.model, NGramShape | BigramShape):
        return
    beginning = "".join(islice(ready.text.pieces("train"), 1))  # megabytes, or all of it
    starts(
        len(ready.tokenizer.encode(beginning)),
        seed=config.training.seed,
        step=0,
        ranks=process.ranks,
        batch=config.training.batch,
        context=config.model.context,
    )


def _go(run: Run, config: Config, ready: Prepared, process: Process, plot: Path | None) -> Outcome | None:
    """Train from where the run is, and tell."""
    if isinstance(config.model, NGramShape | BigramShape):
        seconds = _count(run, config, ready, process)
    else:
        seconds = _learn(run, config, ready, process)
    process.wait()
    if not process.leads:
        return None
    return tell(run, config, ready, seconds, plot)


def _count(run: Run, config: Config, ready: Prepared, process: Process) -> float:
    began = perf_counter()
    if not process.leads:
        return 0.0
    assert isinstance(config.model, NGramShape | BigramShape)
    ids = training_ids(ready, run.path, process)
    model, losses = fit(config.model, ids, ready.tokenizer.size, config.training)
    seconds = perf_counter() - began
    run.forget_after(0)  # of an earlier try
    for step, loss in enumerate(losses, start=1):
        run.append({"step": step, "loss": loss})
    validation = score(model, ready.validation).as_json() | ready.lost(ready.validation)
    steps = len(losses) or 1
    run.append({"step": steps, "validation": validation})
    tensors = {f"model.{name}": tensor for name, tensor in weights_of(model).items()}
    run.save(steps, tensors, {"seconds": seconds, "validation": validation, "tokens": len(ids)})
    return seconds


def _learn(run: Run, config: Config, ready: Prepared, process: Process) -> float:
    assert not isinstance(config.model, NGramShape | BigramShape)
    ids = training_ids(ready, run.path, process)
    batch_at = feed(ids, config.training, config.model.context, process)
    model = make_model(config.model, ready.tokenizer.size, config.training.seed).to(process.device)
    state = make_state(model, config.training)
    checkpoint = run.last()
    if checkpoint is not None:
        try:
            state.load(checkpoint.tensors(), checkpoint.step, float(checkpoint.notes["seconds"]))
        except (ArgumentError, KeyError) as error:
            raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error
    process.wait()  # before the first of them writes
    if process.leads:
        run.forget_after(state.step)
    with training_bar(config, model, process) as bar:
        hooks = _hooks(run, ready, bar) if process.leads else Hooks()
        try:
            finished = train(state, config.training, process, batch_at, hooks)
        except DivergedError as error:
            raise _lost(run, error) from error
    if not finished:
        if process.leads:
            print(f"stopped at step {state.step}; go on: attnlab train --resume {run.path}", file=sys.stderr)
        raise KeyboardInterrupt
    return state.seconds


def _hooks(run: Run, ready: Prepared, bar: Any) -> Hooks:
    """What is written, measured and shown while a model learns."""
    start = opening(ready.tokenizer)
    measured: dict[int, Mapping[str, Any]] = {}

    def looked(look: Look) -> None:
        line = asdict(look)
        run.append(line | bar.show(look))

    def validate(state: State) -> float:
        with state.averaged() as model:
            found = score(model, ready.validation).as_json() | ready.lost(ready.validation)
        measured[state.step] = found
        run.append({"step": state.step, "validation": found, "seconds": state.seconds})
        return found["nats_per_token"]

    def write(state: State) -> None:
        with state.averaged() as model:
            drawn = list(islice(sample(model, start, Sampling(seed=state.step)), SAMPLED))
        text = "".join(stream(ready.tokenizer, drawn, start))
        run.append({"step": state.step, "sample": text})
        bar.say(f"step {state.step}: {text}")

    def save(state: State) -> None:
        notes: dict[str, Any] = {"seconds": state.seconds, "validation": measured.get(state.step)}
        if ready.test is not None and state.step in measured:  # else nothing is left to report on: the last counts
            notes["validation_nats"] = measured[state.step]["nats_per_token"]
        run.save(state.step, state.tensors(), notes)

    return Hooks(looked, validate, write, save)


def _lost(run: Run, error: DivergedError) -> DivergedError:
    """The error with the way back."""
    last = run.last()
    where = f"the last good checkpoint is {last.path}" if last else "there was no checkpoint yet"
    found = DivergedError(error.step, error.what)
    found.args = (f"{error}; {where}; a lower --rate or --muon-rate may help",)
    return found
