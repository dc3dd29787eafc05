"""A trained model from its run's folder, with the tokenizer it was trained with."""

from dataclasses import dataclass
from pathlib import Path

from attnlab.errors import ArgumentError, FileError
from attnlab.models.kinds import Model, model_from_weights, shape_from_json
from attnlab.runs.checkpoints import Checkpoint
from attnlab.runs.folder import Run, open_run
from attnlab.text import Tokenizer, load_tokenizer


@dataclass(frozen=True)
class Trained:
    """A model that was trained, its tokenizer, and the checkpoint that it comes from."""

    model: Model
    tokenizer: Tokenizer
    checkpoint: Checkpoint


def load_trained(path: Path | str) -> Trained:
    """The model of a run's best checkpoint."""
    run = open_run(Path(path))
    if run.config().get("task") == "classify":
        raise FileError(
            run.path, "expected the run of a language model, got that of a classifier; attnlab classify reads it"
        )
    tokenizer = load_tokenizer(run.path / "tokenizer.json")
    checkpoint = run.best()
    return Trained(load_model(run, checkpoint, tokenizer.size), tokenizer, checkpoint)


def load_model(run: Run, checkpoint: Checkpoint, size: int) -> Model:
    """The model of a checkpoint, with the average of its weights where that was kept."""
    tensors = checkpoint.tensors()
    kept = "average." if any(name.startswith("average.") for name in tensors) else "model."
    weights = {name.removeprefix(kept): tensor for name, tensor in tensors.items() if name.startswith(kept)}
    try:
        shape = shape_from_json(run.config().get("model", {}))
    except ArgumentError as error:
        raise FileError(run.path / "config.json", str(error)) from error
    try:
        return model_from_weights(shape, size, weights)
    except ArgumentError as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error
