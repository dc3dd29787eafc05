"""The complete configuration of a language model's run, as in its config.json."""

from dataclasses import field
from typing import Literal

from attnlab.models.kinds import AnyModel
from attnlab.models.transformer_config import TransformerConfig
from attnlab.settings import settings
from attnlab.text.settings import AnyTokens, CharacterTokens
from attnlab.training.settings import Training


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
    training: Training = field(default_factory=Training)
    recipe: str = ""
    """The recipe that the settings come from, if any."""
    version: Literal[1] = 1
