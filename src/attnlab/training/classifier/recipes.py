"""Recipes for classifiers."""

from attnlab.models.averaging import AveragingConfig
from attnlab.text.features import FeatureSettings
from attnlab.training.classifier.settings import ClassifierSettings, ClassifierTraining
from attnlab.training.recipes import Recipes


def words() -> ClassifierSettings:
    """Words alone, each once a text: their vectors' average and a hidden layer. Vectors of rare words hardly learn."""
    return ClassifierSettings(
        FeatureSettings(vocabulary=0, once=True),
        AveragingConfig(dim=50, hidden=50),
        ClassifierTraining(epochs=4, table_rate=0.03, steps="bayes", decay="linear", smoothing=10.0),
    )


def ngrams() -> ClassifierSettings:
    """Up to three words in a row, each once a text, that vote as naive Bayes has them and then learn. With 10
    added to every count, a rare feature hardly votes, and hardly learns."""
    return ClassifierSettings(
        FeatureSettings(vocabulary=0, ngrams=3, buckets=1 << 22, once=True),
        AveragingConfig(dim=0, votes="bayes"),
        ClassifierTraining(epochs=3, table_rate=0.2, decay="linear", smoothing=10.0),
    )


RECIPES = Recipes(words, ngrams)
USUAL = "words"
