"""Loading a language model from its run's folder, with its tokenizer."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from attnlab.errors import ArgumentError, FileError
from attnlab.models.kinds import AnyModel, Model, check_fits, model_from_weights
from attnlab.models.ngrams.ngram import NGram, NGramConfig
from attnlab.runs.checkpoints import Checkpoint, again_if_removed
from attnlab.runs.folder import CLASSIFIER, TOKENIZER, TOKENIZER_HASH, Run, open_run
from attnlab.text.tokenizers import Tokenizer, load_tokenizer, tokenizer_hash


@dataclass(frozen=True)
class Trained:
    """A trained model, its tokenizer and its checkpoint."""

    model: Model
    tokenizer: Tokenizer
    checkpoint: Checkpoint


def load_trained(path: Path | str) -> Trained:
    """The model of a run's best checkpoint."""
    run = open_run(Path(path))
    if run.config().get("task") == CLASSIFIER:
        raise FileError(run.path, f"expected the run of a language model, got {run.described}")
    tokenizer = run_tokenizer(run)

    def read() -> Trained:
        checkpoint = run.best()
        return Trained(load_model(run, checkpoint, tokenizer.size), tokenizer, checkpoint)

    return again_if_removed(read)


def run_tokenizer(run: Run) -> Tokenizer:
    """The tokenizer of a run. Raises if it is not the one that the run was trained with."""
    path, noted = run.path / TOKENIZER, run.config().get(TOKENIZER_HASH)
    found = load_tokenizer(path)
    if noted is not None and noted != tokenizer_hash(found):
        raise FileError(path, "not the tokenizer that the run was trained with; restore the original file")
    return found


def load_model(run: Run, checkpoint: Checkpoint, size: int) -> Model:
    """The model of a checkpoint, with the average of its weights if the run kept one."""
    config = run.settings(AnyModel, "model")
    if isinstance(config, NGramConfig):
        return _load_ngrams(checkpoint, size)
    try:
        check_fits(config, size)
    except ArgumentError as error:
        raise FileError(run.path / "config.json", str(error)) from error
    tensors = checkpoint.tensors()
    kept = "average." if any(name.startswith("average.") for name in tensors) else "model."
    weights = {name.removeprefix(kept): tensor for name, tensor in tensors.items() if name.startswith(kept)}
    check_finite(checkpoint, weights)
    try:
        return model_from_weights(config, size, weights)
    except ArgumentError as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error


def _load_ngrams(checkpoint: Checkpoint, size: int) -> NGram:
    """The n-gram model of a checkpoint, memory-mapped if it is large."""
    arrays = {name.removeprefix("model."): each for name, each in checkpoint.mapped_arrays().items()}
    try:
        found = NGram.from_state(arrays)
    except ArgumentError as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error
    if found.size != size:
        raise FileError(checkpoint.path, f"expected a model of {size} tokens, as tokenizer.json has; got {found.size}")
    return found


def check_finite(checkpoint: Checkpoint, weights: Mapping[str, Tensor]) -> None:
    """Raise if a weight is NaN or infinite."""
    for name, tensor in weights.items():
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise FileError(checkpoint.path, f"expected finite weights; {name} has NaN or infinity")
