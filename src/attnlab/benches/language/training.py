"""Train a language model in a run, or resume a stopped run."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from attnlab.benches.language.finished import TrainedRun, finished_run
from attnlab.benches.language.in_memory import count, learn
from attnlab.benches.language.texts import PreparedText, prepare, training_ids
from attnlab.benches.lifecycle import (
    Place,
    beginning,
    check_data,
    continuing,
    going,
    new_place,
    say_finished,
)
from attnlab.benches.stepwise import device_again, restore, training_task, watched
from attnlab.data.tokens.epochs import check_length, share_of
from attnlab.data.vectors import VECTORS_HASH
from attnlab.errors import FileError, system_words
from attnlab.evaluation.sampling import Sampling, opening, sample, stream
from attnlab.files import HIDDEN
from attnlab.models.bigram import BigramConfig
from attnlab.models.kinds import expected_parameters, kept_numbers, parameter_count, weights_of
from attnlab.models.memory import check_memory, counts_in_memory, large_training
from attnlab.models.ngrams.ngram import NGram, NGramConfig
from attnlab.models.transformer_config import TransformerConfig
from attnlab.progress import SILENT, Observer, WatchedTask
from attnlab.runs.folder import KEEP, METRICS, Run, open_run
from attnlab.runs.loading import load_model, run_tokenizer
from attnlab.settings import Device, write_used
from attnlab.training.float8 import check_float8
from attnlab.training.language.config import Config
from attnlab.training.language.counting import CountTraining
from attnlab.training.language.feeding import sequence_length
from attnlab.training.loop import Hooks
from attnlab.training.processes import Process, this_process
from attnlab.training.settings import Training
from attnlab.training.speed import as_used
from attnlab.training.state import State

SAMPLED = 200
"""The number of tokens of a sample during training."""


def train(config: Config, out: Path | str | None = None, observer: Observer = SILENT) -> TrainedRun:
    """Train a new run to its end, in `out` or in a folder under runs/."""
    with this_process(device_of(config)) as process:
        place = new_place(out, "train", process)
        config, ready = start(config, process, observer)
        return train_in(place, config, ready, process, observer)


def resume(path: Path | str, observer: Observer = SILENT) -> TrainedRun:
    """Continue a stopped run from its last checkpoint to its end. A finished run is returned as it is."""
    run = open_run(Path(path))
    check_language(run)
    config = run.settings(Config)
    if run.finished:
        found = finished_run(run)
        run.metrics()  # raises if they are damaged, before a line tells that all is well
        say_finished(run, observer)
        return found
    with this_process(device_again(device_of(config), observer)) as process:
        return resume_in(run, prepare(config, run_tokenizer(run), observer), process, observer)


def start(config: Config, process: Process, observer: Observer = SILENT) -> tuple[Config, PreparedText]:
    """The configuration with its device and precision chosen, and the text. Raises if they do not fit, before a folder
    is made."""
    ready = prepare(config, observer=observer)
    _check(config, ready, process)
    if isinstance(config.training, Training):
        config = replace(config, training=as_used(config.training, process.device))
    return config, ready


def train_in(place: Place, config: Config, ready: PreparedText, process: Process, observer: Observer) -> TrainedRun:
    """Train a new run in a folder."""
    whole = write_used(config) | {"data": ready.described}
    with beginning(place, whole, process, ready.tokenizer) as run:
        return _go(run, config, ready, process, observer)


def resume_in(run: Run, ready: PreparedText, process: Process, observer: Observer) -> TrainedRun:
    """Continue a stopped run. Raises if its text or its word vectors have changed."""
    config = run.settings(Config)
    check_same_data(run, config, ready)
    with continuing(run, process):
        return _go(run, config, ready, process, observer)


def check_language(run: Run) -> None:
    """Raise unless the run is that of a language model."""
    if "task" in run.config():
        raise FileError(run.path, f"expected the run of a language model, got {run.described}")


def check_same_data(run: Run, config: Config, ready: PreparedText) -> None:
    """Raise if the text or the word vectors of a run have changed since it started."""
    noted = run.config().get("data", {})
    if not isinstance(noted, dict):
        raise FileError(run.path / "config.json", f"data: expected the hash of the text, got {noted!r}")
    check_data(run, noted.get("sha256"), ready.described["sha256"], f"the text {config.text}")
    if VECTORS_HASH in noted:  # older labs did not keep it
        found = ready.described.get(VECTORS_HASH, "")
        check_data(run, noted[VECTORS_HASH], found, f"the file of word vectors {config.vectors}")


def device_of(config: Config) -> Device:
    """The device to train on. Counts are made on a CPU."""
    return config.training.device if isinstance(config.training, Training) else "cpu"


def _check(config: Config, ready: PreparedText, process: Process) -> None:
    """Raise if the model cannot fit into memory, the text is too short, the processes cannot share the batch or the
    machine lacks the precision, before a folder is created."""
    if isinstance(config.model, BigramConfig):
        check_memory(expected_parameters(config.model, ready.tokenizer.size), trained=True)
    if not isinstance(config.training, Training):
        return
    if config.training.precision == "float8":
        check_float8(isinstance(config.model, TransformerConfig), process)
    beginning = "".join(islice(ready.text.pieces("train"), 1))  # some megabytes, or the whole text
    share_of(config.training.batch, process.ranks)
    check_length(len(ready.tokenizer.encode(beginning)), sequence_length(config.model))
    parameters, activations = _sizes(config, ready, process)
    check_memory(parameters, trained=True, activations=activations, device=process.device)


def _sizes(config: Config, ready: PreparedText, process: Process) -> tuple[int, int]:
    """How many parameters a model has, and how many numbers a training step keeps at least."""
    assert isinstance(config.training, Training)
    tokens = config.training.batch * sequence_length(config.model) // process.ranks
    return expected_parameters(config.model, ready.tokenizer.size), tokens * kept_numbers(config.model)


def _go(run: Run, config: Config, ready: PreparedText, process: Process, observer: Observer) -> TrainedRun:
    """Train from the last checkpoint, if any, and score the picked checkpoint."""
    counted = not isinstance(config.training, Training)
    if process.leads and not counted and (warning := large_training(*_sizes(config, ready, process))):
        observer.warn(warning)
    with going(run, "train"):
        work = _learn if isinstance(config.training, Training) else _count
        seconds = work(run, config, ready, process, observer)
    process.wait()
    if process.leads:
        _finish(run, ready, seconds)
    process.wait()
    return TrainedRun(run.path, config, run.result())


def _count(run: Run, config: Config, ready: PreparedText, process: Process, observer: Observer) -> float:
    if not process.leads:
        return 0.0
    assert isinstance(config.model, NGramConfig | BigramConfig)
    assert not isinstance(config.training, Training)
    began = perf_counter()
    ids = training_ids(ready, run.path, process, observer)
    training = config.training if isinstance(config.training, CountTraining) else None
    with counting_folder(run, config.model, len(ids)) as folder:
        with observer.task("counting n-grams", 1) if folder else nullcontext(WatchedTask()) as task:
            found = count(config.model, ready.tokenizer, ids, training, ready.vectors, folder, task.reach)
        seconds = perf_counter() - began
        run.forget_after(0)  # measurements of an earlier try
        for step, loss in enumerate(found.losses, start=1):
            run.append({"step": step, "loss": loss})
        validation = ready.validation.score(found.model).to_dict()
        steps = len(found.losses) or 1
        run.append({"step": steps, "validation": validation})
        weights = found.model.state() if isinstance(found.model, NGram) else weights_of(found.model)
        named: Any = {f"model.{name}": each for name, each in weights.items()}
        run.save(steps, named, {"seconds": seconds, "validation": validation, "tokens": len(ids)})
    return seconds


@contextmanager
def counting_folder(run: Run, config: NGramConfig | BigramConfig, tokens: int) -> Iterator[Path | None]:
    """A folder for the files of counting, if the n-grams of a text of this length are counted there, and not in
    memory. Its name is hidden: what a killed process leaves is removed when the run goes on."""
    if not isinstance(config, NGramConfig) or counts_in_memory(tokens):
        yield None
        return
    folder = run.path / f"{HIDDEN}counting"
    try:
        folder.mkdir()
    except OSError as error:
        raise FileError.unwritable(folder, error) from error
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)  # what is left of it goes when the run goes on
        raise
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise FileError(folder, f"cannot be removed: {system_words(error)}") from error


def _learn(run: Run, config: Config, ready: PreparedText, process: Process, observer: Observer) -> float:
    assert not isinstance(config.model, NGramConfig)
    assert isinstance(config.training, Training)
    training, ids = config.training, training_ids(ready, run.path, process, observer)
    with training_task(observer, training, process) as task:

        def begin(state: State) -> Hooks:
            restore(state, run)
            process.wait()  # all processes have read the checkpoint before the first one writes
            hooks = watched(run, training, process, task, state.model, observer=observer)
            if not process.leads:
                return hooks
            run.forget_after(state.step)
            return _validating(hooks, run, training, ready, observer)

        state = learn(config.model, ready.tokenizer, ids, training, process, vectors=ready.vectors, begin=begin)
    return state.seconds


def _validating(hooks: Hooks, run: Run, training: Training, ready: PreparedText, observer: Observer) -> Hooks:
    """The hooks, with validation and samples of a language model added."""
    start = opening(ready.tokenizer)
    measured: dict[int, Mapping[str, Any]] = {}

    def validate(state: State) -> float:
        with state.averaged() as model:
            found = ready.validation.score(model).to_dict()
        measured[state.step] = found
        run.append({"step": state.step, "validation": found, "seconds": state.seconds})
        shown = f"{found['nats_per_token']:.4f} nats per token, {found['bits_per_byte']:.4f} bits per byte"
        observer.say(f"step {state.step}: validation {shown}")
        return found["nats_per_token"]

    def draw(state: State) -> None:
        with state.averaged() as model:
            drawn = list(islice(sample(model, start, Sampling(seed=state.step)), SAMPLED))
        text = "".join(stream(ready.tokenizer, drawn, start))
        run.append({"step": state.step, "sample": text})
        observer.say(f"step {state.step}: {text}")

    def save(state: State) -> None:
        notes: dict[str, Any] = {"seconds": state.seconds, KEEP: training.keeps(state.step)}
        notes["validation"] = measured.get(state.step)
        # Without a test split, validation must not pick the checkpoint, because it is reported: the last one is used.
        if ready.test is not None and state.step in measured:
            notes["validation_nats"] = measured[state.step]["nats_per_token"]
        run.save(state.step, state.tensors(), notes)

    return replace(hooks, validate=validate, sample=draw, save=save)


def _finish(run: Run, ready: PreparedText, seconds: float) -> None:
    """Write result.json: the picked checkpoint with its scores on the validation split and the test split."""
    checkpoint = run.best()
    model = load_model(run, checkpoint, ready.tokenizer.size)
    metrics = run.metrics()
    speeds = [each["tokens_per_second"] for each in metrics if isinstance(each.get("tokens_per_second"), int | float)]
    if not metrics or not (speeds or "tokens" in checkpoint.notes):
        raise FileError(run.path / METRICS, "expected the measurements of the training; the file was changed")
    speed = median(speeds) if speeds else checkpoint.notes["tokens"] / max(seconds, 1e-9)
    run.finish(
        {
            "run": str(run.path),
            "parameters": parameter_count(model),
            "steps": max(each["step"] for each in metrics),
            "seconds": round(seconds, 3),
            "tokens_per_second": round(speed),
            "checkpoint": str(checkpoint.path),
            "test": ready.test.score(model).to_dict() if ready.test is not None else None,
            "validation": checkpoint.notes["validation"],
        }
    )
