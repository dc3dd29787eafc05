"""All that is asked of a classifier, in one value; its run's config.json holds it."""

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
    """Passes over the training texts, at most."""
    patience: Many = 2
    """Stop after this many epochs without a lower validation loss; the best epoch's weights are kept."""
    batch: Many = 256
    """Texts a step."""
    rate: Rate = 0.001
    """The learning rate of the layers, by AdamW."""
    table_rate: Rate = 0.01
    """The learning rate of the rows of features that a batch has."""
    rule: Rule = "adam"
    """How those rows learn."""
    steps: Steps = "even"
    """bayes: a feature's row learns as fast as its naive-Bayes ratio is far from 0: rare words and names hardly."""
    decay: Literal["none", "linear"] = "none"
    """linear: rates fall to 0 at the end of the last epoch."""
    weight_decay: Annotated[float, Range(0, 100)] = 0.0
    """How fast the layers' matrices decay, times the rate."""
    balance: Literal["none", "classes"] = "none"
    """classes: each class weighs the same in the loss, however few texts it has."""
    smoothing: Annotated[float, Range(1e-9, 1e6)] = 1.0
    """The number that is added to every count before naive Bayes takes its ratios."""
    seed: Seed = 0
    """The seed of the weights, the order of texts and dropout."""


@settings
class ClassifierSettings:
    """The features of a classifier, its model, the word vectors it begins with, and its training."""

    features: FeatureSettings = field(default_factory=FeatureSettings)
    model: AveragingConfig = field(default_factory=AveragingConfig)
    training: ClassifierTraining = field(default_factory=ClassifierTraining)
    vectors: str = ""
    """The word vectors to begin with: glove, or a file in its format; else random ones."""

    def __post_init__(self):
        if self.vectors and not self.model.dim:
            raise ArgumentError(
                "vectors", "expected a model with vectors (--model.dim above 0), got one whose features only vote"
            )
