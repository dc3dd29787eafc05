"""All that is asked of a classifier, in one value; its run's config.json holds it. Whole ones by name are recipes."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from attnlab.errors import ArgumentError
from attnlab.models.averaging import AveragingConfig
from attnlab.text.features import FeatureSettings
from attnlab.training.classifier.settings import ClassifierTraining


@dataclass(frozen=True)
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

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON."""
        model = {"kind": "averaging", **dataclasses.asdict(self.model)}
        return dataclasses.asdict(self) | {"model": model}


def words() -> ClassifierSettings:
    """Words alone, each once a text: their vectors' average and a hidden layer. Vectors of rare words hardly learn."""
    return ClassifierSettings(
        FeatureSettings(vocabulary=0, once=True),
        AveragingConfig(dim=50, hidden=50),
        ClassifierTraining(epochs=4, table_rate=0.03, steps="bayes", decay="linear", smoothing=10.0),
    )


def ngrams() -> ClassifierSettings:
    """Up to three words in a row, each once a text, that vote as naive Bayes has them and then learn. With so much
    added to every count, what is rare hardly votes, and hardly learns."""
    return ClassifierSettings(
        FeatureSettings(vocabulary=0, ngrams=3, buckets=1 << 22, once=True),
        AveragingConfig(dim=0, votes="bayes"),
        ClassifierTraining(epochs=3, table_rate=0.2, decay="linear", smoothing=10.0),
    )


RECIPES: dict[str, Callable[[], ClassifierSettings]] = {function.__name__: function for function in (words, ngrams)}


def find_recipe(name: str) -> ClassifierSettings:
    """The settings of that name."""
    if name not in RECIPES:
        raise ArgumentError("recipe", f"expected {', '.join(RECIPES)}, got {name!r}")
    return RECIPES[name]()
