"""The complete configuration of a language model's run, as in its config.json."""

from dataclasses import field
from typing import Annotated

from attnlab.errors import ArgumentError
from attnlab.models.bigram import BigramConfig
from attnlab.models.kinds import AnyModel
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.settings import ByKind, settings
from attnlab.text.settings import AnyTokens, CharacterTokens
from attnlab.training.language.counting import CountTraining, NoTraining
from attnlab.training.settings import Training

ModelTraining = Training | CountTraining | NoTraining
AnyTraining = Annotated[ModelTraining, ByKind()]
"""The settings of any kind of training."""
PAIR_BATCHES = Training(
    steps=40_000, batch=50, optimiser="sgd", rate=0.3, warmup=0.0, weight_decay=0.0, clip=0.0, validate_every=10_000
)
"""The usual training of a bigram model on batches, each of 50 pairs of words: minibatch gradient descent."""
TRAININGS: dict[str, dict[str, ModelTraining]] = {
    "ngram": {"none": NoTraining()},
    "bigram": {"counts": CountTraining(), "batches": PAIR_BATCHES},
    "recurrent": {"batches": Training()},
    "transformer": {"batches": Training()},
}
"""The kinds of training of each kind of model, with their usual settings; the first is the default."""
TRAINING_CLASSES = (NoTraining, CountTraining, Training)


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
    vectors: str | None = None
    """The word vectors to start with: glove, or a file in GloVe's format; None: random vectors."""

    def __post_init__(self):
        possible = TRAININGS[self.model.kind]
        if self.training.kind not in possible:
            wanted = f"expected {' or '.join(possible)} for a model of kind {self.model.kind}"
            raise ArgumentError("training.kind", f"{wanted}, got {self.training.kind}")
        if self.vectors is not None:
            if not isinstance(self.model, BigramConfig | RecurrentConfig):
                wanted = "expected a model that starts with word vectors, bigram or recurrent"
                raise ArgumentError("vectors", f"{wanted}; got {self.model.kind}")
            if self.tokens.kind != "words":
                raise ArgumentError("vectors", f"expected words as tokens (--tokens words), got {self.tokens.kind}")


def possible_trainings(recipe: Config, model: str) -> dict[str, ModelTraining]:
    """The kinds of training of a kind of model: that of the recipe first, if its model is of this kind."""
    own = {recipe.training.kind: recipe.training} if recipe.model.kind == model else {}
    return own | TRAININGS[model] | own
