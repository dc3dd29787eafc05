"""What is measured, audited and explained: a model with its tokenizer, by the name that a person types."""

from dataclasses import dataclass
from pathlib import Path

from torch import nn

from attnlab.errors import FileError
from attnlab.evaluation.scoring.predictors import Predictor, predictor_of
from attnlab.files import read_json
from attnlab.models.kinds import Model
from attnlab.runs.folder import open_run
from attnlab.runs.loading import load_trained
from attnlab.text import Tokenizer

FOREIGN = "hf:"
"""What a model of Hugging Face's is written with: hf:FOLDER."""


@dataclass(frozen=True)
class Subject:
    """A model and its tokenizer."""

    name: str
    tokenizer: Tokenizer
    predictor: Predictor
    start: int | None = None
    """The token that every text begins after, if the model has one; else every first token is equally likely."""
    unknown: int | None = None
    """The token for all that the tokenizer does not know, where it has one."""
    trained_on: str | None = None
    """The name or path of the text it was trained on, where that is known."""

    @property
    def unit(self) -> str:
        """What its tokens stand for, where one of them may be unknown: words, characters, or just tokens."""
        return self.tokenizer.kind if self.tokenizer.kind in ("words", "characters") else "tokens"


def open_subject(name: str, device: str = "cpu") -> Subject:
    """A run of the lab by its folder, or a model of Hugging Face's by hf:FOLDER; a network goes to the device."""
    if name.startswith(FOREIGN):
        from attnlab.evaluation.external.models import open_foreign

        return open_foreign(name, device)
    if not Path(name).exists():
        raise FileError(Path(name), f"there is no such folder of a run; a model of Hugging Face's is {FOREIGN}{name}")
    if (Path(name) / "config.json").is_file() and "model_type" in read_json(
        Path(name) / "config.json", "a config.json"
    ):
        raise FileError(Path(name), f"expected the folder of a run; this is one of Hugging Face's: {FOREIGN}{name}")
    trained = load_trained(Path(name))
    if isinstance(trained.model, nn.Module):
        trained.model.to(device)
    return subject_of(name, trained.model, trained.tokenizer, open_run(Path(name)).config().get("text"))


def subject_of(name: str, model: Model, tokenizer: Tokenizer, trained_on: str | None = None) -> Subject:
    """A model of the lab with its tokenizer."""
    return Subject(name, tokenizer, predictor_of(model), unknown=unknown_token(tokenizer), trained_on=trained_on)


def unknown_token(tokenizer: Tokenizer) -> int | None:
    """The token for all that a tokenizer of the lab does not know; None if it knows everything."""
    return 0 if tokenizer.kind in ("characters", "words") else None
