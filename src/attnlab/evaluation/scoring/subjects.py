"""The subject of a measurement, audit or explanation: a model with its tokenizer, opened by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from attnlab.data.texts.loading import TrainingText
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.external.names import ARPA, HUGGING_FACE
from attnlab.evaluation.scoring.predictors import Predictor, predictor_of
from attnlab.files import read_json
from attnlab.models.kinds import Model
from attnlab.models.ngrams.context_tree import ContextTree
from attnlab.runs.folder import open_run, similar_run
from attnlab.runs.loading import load_trained
from attnlab.text import Tokenizer


@dataclass(frozen=True)
class Subject:
    """A model and its tokenizer."""

    name: str
    tokenizer: Tokenizer
    predictor: Predictor
    start: int | None = None
    """The token before every text, if the model has one; else all first tokens count as equally likely."""
    unknown: int | None = None
    """The token for unknown words or characters, if the tokenizer has one."""
    trained_on: TrainingText | None = None
    """Its training text, if known."""

    @property
    def unit(self) -> str:
        """The unit of its tokens, for sentences about unknown ones: words, characters or tokens."""
        return self.tokenizer.kind if self.tokenizer.kind in ("words", "characters") else "tokens"


def open_subject(name: str, device: str = "cpu") -> Subject:
    """Opens the folder of a run, an ARPA file, or a Hugging Face model written hf:FOLDER, on the device."""
    if name.startswith(HUGGING_FACE):
        from attnlab.evaluation.external.models import open_external

        return open_external(name, device)
    if name.endswith(ARPA) and not Path(name).is_dir():
        from attnlab.evaluation.external.arpa import open_arpa

        return open_arpa(name)
    if not name:
        raise ArgumentError("model", "expected the folder of a run, an ARPA file or hf:NAME, got an empty word")
    if not Path(name).exists():
        hint = similar_run(Path(name)) or f"; for a Hugging Face model, write {HUGGING_FACE}{name}"
        raise FileError(Path(name), f"there is no such run folder{hint}")
    if (Path(name) / "config.json").is_file() and "model_type" in read_json(
        Path(name) / "config.json", "a config.json"
    ):
        raise FileError(
            Path(name), f"expected the folder of a run, got a Hugging Face model; write {HUGGING_FACE}{name}"
        )
    trained = load_trained(Path(name))
    if isinstance(trained.model, nn.Module):
        trained.model.to(device)
    return subject_of(name, trained.model, trained.tokenizer, trained_text(open_run(Path(name)).config()))


def subject_of(name: str, model: Model, tokenizer: Tokenizer, trained_on: TrainingText | None = None) -> Subject:
    """A model of the lab with its tokenizer."""
    start = model.boundary if isinstance(model, ContextTree) else None
    return Subject(name, tokenizer, predictor_of(model), start, unknown_token(tokenizer), trained_on)


def is_run(name: str) -> bool:
    """Whether a model's name is that of a run's folder, not of a model from elsewhere."""
    return not name.startswith(HUGGING_FACE) and (not name.endswith(ARPA) or Path(name).is_dir())


def trained_text(config: Mapping[str, Any]) -> TrainingText | None:
    """The training text that the config of a run names."""
    text, data = config.get("text"), config.get("data")
    hashed = data.get("sha256") if isinstance(data, dict) else None
    return TrainingText(text, hashed if isinstance(hashed, str) else None) if isinstance(text, str) else None


def unknown_token(tokenizer: Tokenizer) -> int | None:
    """The token for unknown words or characters of a tokenizer of the lab; None if it can encode everything."""
    return 0 if tokenizer.kind in ("characters", "words") else None
