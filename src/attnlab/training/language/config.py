"""The complete configuration of a language model's run, as in its config.json."""

from dataclasses import field
from typing import Annotated

from attnlab.errors import ArgumentError
from attnlab.models.kinds import AnyModel
from attnlab.models.transformer import TransformerConfig
from attnlab.settings import ByKind, settings
from attnlab.text.settings import AnyTokens, CharacterTokens
from attnlab.training.language.counting import CountTraining, NoTraining
from attnlab.training.settings import Training

ModelTraining = Training | CountTraining | NoTraining
AnyTraining = Annotated[ModelTraining, ByKind()]
"""The settings of any kind of training."""
TRAININGS: dict[str, type[ModelTraining]] = {
    "ngram": NoTraining,
    "bigram": CountTraining,
    "recurrent": Training,
    "transformer": Training,
}
"""How each kind of model is trained."""


@settings
class Config:
    """A complete configuration of a run: the text, its tokens, the model and its training.

    >>> from attnlab.settings import read, write
    >>> from attnlab.text.settings import BytePairTokens
    >>> config = Config("topics", BytePairTokens(300))
    >>> read(Config, write(config)) == config
    True
    """

    text: str
    """A file, a folder, or the name of a text."""
    tokens: AnyTokens = field(default_factory=CharacterTokens)
    model: AnyModel = field(default_factory=TransformerConfig)
    training: AnyTraining = field(default_factory=Training)
    recipe: str = ""
    """The recipe that the settings come from, if any."""

    def __post_init__(self):
        expected = TRAININGS[self.model.kind]
        if not isinstance(self.training, expected):
            wanted = f"expected {expected.kind} for a model of kind {self.model.kind}"
            raise ArgumentError("training.kind", f"{wanted}, got {self.training.kind}")
