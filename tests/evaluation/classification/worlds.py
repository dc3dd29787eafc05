"""Classifiers for tests: random ones of every shape, and one that has learnt generated reviews."""

from functools import cache
from typing import Any

import numpy as np

from attnlab.data.labelled.loading import Labelled, labelled_of
from attnlab.data.worlds.reviews.draws import ReviewSettings
from attnlab.data.worlds.reviews.reviews import Review, generate_reviews
from attnlab.models.averaging import AveragingConfig, AveragingNetwork
from attnlab.models.classifier import Classifier
from attnlab.text.features import Features, FeatureSettings
from attnlab.training.classifier.settings import ClassifierSettings, ClassifierTraining
from attnlab.training.classifier.training import train_classifier

WORDS = ["the", "plot", "was", "not", "good", "but", "bad", "and", "dull", ",", "very", "superb", ".", "acting", "felt"]
WORLD = ReviewSettings(words=4, asides=0.3, mislabelled=0.04, made_up=0.05)
TRAIN, HELD, TEST = 3000, 200, 800


def random_classifier(seed: int, classes: int = 2, ngrams: int = 1, once: bool = False, **shape: Any) -> Classifier:
    """A classifier with random weights, large enough to bend its layers."""
    features = Features.train([" ".join(WORDS)], FeatureSettings(ngrams=ngrams, buckets=64, once=once))
    model = AveragingNetwork(AveragingConfig(**{"dim": 5, "hidden": 4, **shape}), features.size, classes)
    draws = np.random.default_rng(seed)
    for each in model.parameters().values():
        each[...] = 2 * draws.standard_normal(each.shape)
    return Classifier(tuple("abcdefgh"[:classes]), features, model)


@cache
def learnt(seed: int, ngrams: int) -> tuple[Classifier, Labelled, list[Review]]:
    """A classifier of generated reviews, and others that it has not seen."""
    reviews = generate_reviews(TRAIN + HELD + TEST, WORLD, seed=seed)
    whole = labelled_of([each.text for each in reviews], [each.label for each in reviews])
    train, held, test = (
        whole.take(np.arange(*ends)) for ends in ((0, TRAIN), (TRAIN, TRAIN + HELD), (TRAIN + HELD, len(whole)))
    )
    training = ClassifierTraining(
        epochs=5, patience=5, batch=64, rate=0.005, table_rate=0.02, decay="linear", seed=seed
    )
    shape = AveragingConfig(dim=32, hidden=32, word_dropout=0.1)
    settings = ClassifierSettings(FeatureSettings(ngrams=ngrams, buckets=1 << 14), shape, training)
    return train_classifier(train, held, settings).classifier, test, reviews[TRAIN + HELD :]
