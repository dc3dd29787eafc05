"""What runs share that are trained step by step: their device when they continue, the last checkpoint, hooks that
record and save, and the task."""

from dataclasses import asdict
from typing import Any

from attnlab.errors import ArgumentError, FileError
from attnlab.models.devices import find_device
from attnlab.numbers import whole_percent
from attnlab.progress import SILENT, Observer, WatchedTask
from attnlab.runs.folder import KEEP, Run
from attnlab.runs.loading import check_finite
from attnlab.settings import Device
from attnlab.training.loop import Hooks, LossReading
from attnlab.training.processes import Process
from attnlab.training.settings import Training
from attnlab.training.speed import share_of_peak
from attnlab.training.state import State
from attnlab.training.threads import ThreadWatch


def device_again(device: Device, observer: Observer) -> Device:
    """The device on which a run continues: its own, or the CPU if its own is a GPU that this machine lacks."""
    if device == "cuda" and find_device("auto") != "cuda":
        observer.warn("the run began on a GPU, and torch finds none here: it continues on the CPU, with other rounding")
        return "cpu"
    return device


def restore(state: State, run: Run) -> None:
    """Load the last checkpoint of a run into a state, if there is a checkpoint."""
    checkpoint = run.last()
    if checkpoint is None:
        return
    try:
        tensors = checkpoint.tensors()
        check_finite(checkpoint, tensors)
        state.load(tensors, checkpoint.step, float(checkpoint.notes["seconds"]))
    except (ArgumentError, KeyError, TypeError, ValueError) as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error


def watched(
    run: Run,
    training: Training,
    process: Process,
    task: WatchedTask,
    model: Any,
    before: int = 0,
    observer: Observer = SILENT,
) -> Hooks:
    """Hooks that record and show the loss, and save checkpoints. Only the first of several processes does so. `before`
    is the number of steps in earlier lessons. The observer is told if threads wait for one another."""
    if not process.leads:
        return Hooks()
    threads = ThreadWatch()

    def looked(look: LossReading) -> None:
        share = share_of_peak(model, look.tokens_per_second / process.ranks, process.device)
        peak = f", {whole_percent(share)} of the peak" if share is not None else ""
        speed = f"{look.tokens_per_second:,.0f} tokens/s{peak}"
        task.reach(look.progress, f"step {look.step}: loss {look.loss:.4f}, {speed}")
        more = {"share_of_peak": share} if share is not None else {}
        run.append(asdict(look) | {"step": before + look.step} | more)
        if process.device.type == "cpu" and (advice := threads.advice()):
            observer.say(advice)

    def save(state: State) -> None:
        notes = {"seconds": state.seconds, KEEP: training.keeps(state.step)}
        run.save(before + state.step, state.tensors(), notes)

    return Hooks(looked=looked, save=save)


def training_task(observer: Observer, training: Training, process: Process) -> Any:
    """The task of training. Only the first of several processes shows it."""
    shown = observer if process.leads else Observer()
    steps = f"{training.steps:,} step{'s' * (training.steps != 1)}" if training.steps else ""
    minutes = f"{training.minutes:g} minute{'s' * (training.minutes != 1)}" if training.minutes else ""
    return shown.task(f"training for {' or '.join(filter(None, (steps, minutes)))}", total=1.0)
