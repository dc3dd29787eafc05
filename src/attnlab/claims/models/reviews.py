"""Classifiers of generated reviews, small enough to be trained in a second: some average, some read in order.

Each seed has its own world to learn from, and one network of each kind. All claims test the same networks, on fresh
reviews that the networks have not seen.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float

from attnlab.benches.sentiment.readers import Reader, train_reader
from attnlab.benches.sentiment.training import learn
from attnlab.claims.seeds import seed_of
from attnlab.data.labelled.loading import Labelled, labelled_of
from attnlab.data.worlds.reviews.draws import ReviewSettings
from attnlab.data.worlds.reviews.reviews import Review, generate_reviews
from attnlab.models.averaging import AveragingConfig
from attnlab.models.classifier import Classifier
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import TransformerConfig
from attnlab.text.features import FeatureSettings
from attnlab.training.classifier.settings import ClassifierSettings, ClassifierTraining
from attnlab.training.settings import Training
from attnlab.training.threads import one_thread

WORLD = ReviewSettings(words=4, asides=0.0, mislabelled=0.0)
TRAIN, HELD = 2_000, 300
SEEDS, READING_SEEDS = 8, 5
"""How many networks of each kind: averaging ones, and ones that read in order, which take longer to train."""
SPARE = 60
"""How many extra reviews are drawn, since some were seen in training."""
WIDTH = 32
MODEL = AveragingConfig(dim=WIDTH, hidden=WIDTH, word_dropout=0.3)
TRAINING = ClassifierTraining(epochs=8, patience=8, batch=64, rate=0.005, table_rate=0.03, decay="linear")
READING = Training(steps=100, batch=64, rate=0.01, precision="float32")
READERS = {
    "recurrent": (RecurrentConfig(width=WIDTH), replace(READING, muon_rate=0.06)),
    "Transformer": (
        TransformerConfig(layers=1, heads=2, width=WIDTH, context=64),
        replace(READING, muon_rate=0.03),
    ),
}

ReviewNetwork = Literal["words", "pairs", "recurrent", "Transformer"]
"""Averaging networks of words, and of words and pairs; and two models that read in order."""


@cache
def _world(seed: int) -> tuple[Labelled, Labelled, frozenset[str]]:
    """The training reviews of a seed's networks, the held-out reviews, and the texts of both."""
    reviews = generate_reviews(TRAIN + HELD, WORLD, seed=seed)
    whole = labelled_of([review.text for review in reviews], [review.label for review in reviews])
    train, held = whole.take(np.arange(TRAIN)), whole.take(np.arange(TRAIN, TRAIN + HELD))
    return train, held, frozenset(whole.texts)


@cache
def averaging_network(seed: int, ngrams: int) -> Classifier:
    """An averaging network of words and, if `ngrams` is above 1, of n-grams."""
    train, held, _ = _world(seed)
    features = FeatureSettings(ngrams=ngrams, buckets=1 << 14)
    with one_thread():
        settings = ClassifierSettings(features, MODEL, replace(TRAINING, seed=seed))
        return learn(train, held, settings).classifier


@cache
def _reader(seed: int, kind: str) -> Reader:
    """A model that reads in order; it starts from the word vectors of the averaging network."""
    shape, training = READERS[kind]
    averaging, (train, _, _) = averaging_network(seed, 1), _world(seed)
    assert averaging.model.network is not None
    with one_thread():
        reader = Reader(shape, torch.from_numpy(averaging.model.network.table), 2, seed)
        train_reader(reader, averaging.features.words(train.texts), train.labels, replace(training, seed=seed))
    return reader


def praise(network: ReviewNetwork, seed: int, texts: Sequence[str]) -> Float[np.ndarray, " texts"]:
    """The probability that each text is positive, by a network of that seed."""
    with one_thread():
        if network in ("words", "pairs"):
            return averaging_network(seed, 1 if network == "words" else 2).probabilities(texts)[:, 1]
        words = averaging_network(seed, 1).features.words(texts)
        return _reader(seed, network).probabilities(words)[:, 1]


def right(network: ReviewNetwork, seed: int, reviews: Sequence[Review]) -> Bool[np.ndarray, " reviews"]:
    """Whether the network is right about each review."""
    labels = np.array([review.label == "pos" for review in reviews])
    return (praise(network, seed, [review.text for review in reviews]) > 0.5) == labels


def fresh(seed: int, count: int, **rates: float) -> list[Review]:
    """Reviews that the networks of a seed have not seen, from the same world but with these rates."""
    world = replace(WORLD, **{"contrast": 0.0, "reported": 0.0, "mixed": 0.0, **rates}) if rates else WORLD
    drawn = _drawn(seed, count + SPARE, world)
    return [each for each in drawn if each.text not in _world(seed)[2]][:count]


@lru_cache(maxsize=32)
def _drawn(seed: int, count: int, world: ReviewSettings) -> list[Review]:
    return generate_reviews(count, world, seed=seed_of(seed, "fresh"))


def work(network: ReviewNetwork, seed: int) -> int:
    """How many multiply-adds each word of a text costs: by the vectors that are added up, or by the matrices.

    Work that is done once per text is left out. So are the attention weights of the Transformer, which cost little
    beside its matrices in texts this short.
    """
    if network in ("words", "pairs"):
        return WIDTH * (1 if network == "words" else 2)
    inner = _reader(seed, network).model.named_parameters()
    return sum(p.numel() for name, p in inner if p.dim() == 2 and name.split(".")[0] not in ("embedding", "readout"))
