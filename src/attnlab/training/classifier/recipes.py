"""Recipes for classifiers."""

from attnlab.models.averaging import AveragingConfig
from attnlab.text.features import FeatureSettings
from attnlab.training.classifier.settings import ClassifierSettings, ClassifierTraining
from attnlab.training.recipe_registry import Recipes


def words() -> ClassifierSettings:
    """Words only, each once per text: the average of their vectors and a hidden layer. Rare words hardly learn."""
    return ClassifierSettings(
        FeatureSettings(vocabulary=0, once=True),
        AveragingConfig(dim=50, hidden=50),
        ClassifierTraining(epochs=4, table_rate=0.03, steps="bayes", decay="linear", smoothing=10.0),
    )


def ngrams() -> ClassifierSettings:
    """Up to three words in a row, each once per text, vote for a class. Votes start as in naive Bayes. 10 is
    added to every count, so rare features hardly vote and hardly learn."""
    return ClassifierSettings(
        FeatureSettings(vocabulary=0, ngrams=3, buckets=1 << 22, once=True),
        AveragingConfig(dim=0, votes="bayes"),
        ClassifierTraining(epochs=3, table_rate=0.2, decay="linear", smoothing=10.0),
    )


RECIPES = Recipes(words, ngrams)
USUAL = "words"
