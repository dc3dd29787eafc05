"""The complete settings of a classifier, as in its run's config.json."""

from dataclasses import field
from typing import Annotated, Literal

from attnlab.errors import ArgumentError
from attnlab.models.averaging import AveragingConfig
from attnlab.settings import Range, Seed, settings
from attnlab.text.features import FeatureSettings

Rule = Literal["adam", "adagrad"]
Steps = Literal["even", "bayes"]
Many = Annotated[int, Range(1, 10**6)]
Rate = Annotated[float, Range(0, 10)]


@settings
class ClassifierTraining:
    """How a classifier is trained."""

    epochs: Many = 10
    """The most passes over the training texts."""
    patience: Many = 2
    """Stop after this many epochs without a lower validation loss; the best epoch's weights are kept."""
    batch: Many = 256
    """Texts per step."""
    rate: Rate = 0.001
    """The learning rate of the layers, which AdamW updates."""
    table_rate: Rate = 0.01
    """The learning rate of the features' rows (vectors and votes)."""
    rule: Rule = "adam"
    """The optimiser of the features' rows."""
    steps: Steps = "even"
    """bayes: multiply a feature's step by the size of its naive-Bayes ratio, so that rare words hardly learn."""
    decay: Literal["none", "linear"] = "none"
    """linear: the learning rates fall to 0 at the end of the last epoch."""
    weight_decay: Annotated[float, Range(0, 100)] = 0.0
    """The weight decay of the layers; it is multiplied by the learning rate."""
    balance: Literal["none", "classes"] = "none"
    """classes: every class has the same weight in the loss, however few texts it has."""
    smoothing: Annotated[float, Range(1e-9, 1e6)] = 1.0
    """The number that naive Bayes adds to every count."""
    seed: Seed = 0
    """The seed of the weights, the order of texts and dropout."""


@settings
class ClassifierSettings:
    """The features of a classifier, its model, its training and its first word vectors."""

    features: FeatureSettings = field(default_factory=FeatureSettings)
    model: AveragingConfig = field(default_factory=AveragingConfig)
    training: ClassifierTraining = field(default_factory=ClassifierTraining)
    vectors: str = ""
    """The word vectors to start with: glove, or a file in GloVe's format; empty: random vectors."""

    def __post_init__(self):
        if self.vectors and not self.model.dim:
            raise ArgumentError(
                "vectors", "expected a model with word vectors, got one without: set --model.dim above 0"
            )
