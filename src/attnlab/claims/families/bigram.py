"""Claim 12: a neural bigram model, at a quick scale: the documentation of Python, 1,000 words.

The coursework trains on its own corpus and reports a perplexity of 113.3. Perplexities of different texts cannot be
compared, so these claims can be checked on any text: the network learns which words follow each other, and counting
pairs does as well.
"""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import torch

from attnlab.benches.language.in_memory import count
from attnlab.charts import Bar, Bars
from attnlab.claims.claim import Family, Finding, Quantity, over_seeds
from attnlab.claims.seeds import worlds
from attnlab.claims.sources import topics
from attnlab.data.texts.loading import load_text
from attnlab.models.bigram import BigramConfig
from attnlab.models.ngrams.ngram import NGram, NGramConfig
from attnlab.numbers import plus_minus
from attnlab.statistics import mean_and_half_width
from attnlab.text import Normalisation, Tokenizer, train_tokenizer
from attnlab.training.language.counting import CountTraining
from attnlab.training.threads import one_thread

FAMILY = Family(
    12,
    "bigram",
    "A neural bigram model",
    bench="language",
    question="Does a network of one sigmoid layer learn which word follows which?",
    shares="bigram",
    data=lambda seed: topics(),
)
WORDS, SEEDS = 1_000, 4
TRAINING = CountTraining(penalty=2e-5, vector_penalty=1e-5)
CLOSE = 0.03
"""Perplexities that differ by a smaller share, with their intervals, are equally good."""


@cache
def _text() -> tuple[np.ndarray, np.ndarray, Tokenizer]:
    """The training words, the held-out words, and their tokenizer."""
    text = load_text("topics")
    tokenizer = train_tokenizer("words", text.train, vocabulary=WORDS, normalisation=Normalisation(lower=True))
    return tokenizer.encode(text.train).ids, tokenizer.encode(text.validation).ids, tokenizer


@cache
def _perplexities(seed: int) -> tuple[float, float, tuple[float, ...]]:
    """Perplexities of held-out words: by their frequencies, by counts of pairs, and by networks of several seeds."""
    train, held, tokenizer = _text()

    def perplexity(config: NGramConfig | BigramConfig, seed: int = 0) -> float:
        model = count(config, tokenizer, train, replace(TRAINING, seed=seed)).model
        if isinstance(model, NGram):
            return math.exp(model.nats(held)[1:].mean())
        return math.exp(float(model.nats(torch.from_numpy(held.astype(np.int64))).double().mean()))

    with one_thread():
        single, counts = (perplexity(NGramConfig(order=order)) for order in (1, 2))
        networks = tuple(perplexity(BigramConfig(dim=50, hidden=50), each) for each in worlds(seed, SEEDS))
    return single, counts, networks


def _measures(single: float, counts: float, mean: float, half: float) -> tuple[Quantity, ...]:
    return (
        Quantity("perplexity, each word by its own frequency", single),
        Quantity("perplexity, modified Kneser–Ney counts of pairs", counts),
        over_seeds(f"perplexity, network, {SEEDS} seeds", mean, half),
        Quantity("different words", _text()[2].size),
        Quantity("words to learn from", len(_text()[0])),
        Quantity("words held out", len(_text()[1])),
    )


@FAMILY.claim("learns", "Word vectors, one sigmoid layer and a softmax learn which word follows which.", said_by="E")
def _learns(seed: int) -> Finding:
    single, counts, found = _perplexities(seed)
    mean, half = mean_and_half_width(found)
    return Finding(
        "holds" if mean + half < 0.7 * single else "fails",
        f"Guessing each word by its frequency alone gives a perplexity of {single:.1f} on held-out documentation of "
        "Python: such a guess is as unsure as one among that many equally likely words. The network, which sees the "
        f"previous word, has {plus_minus(mean, half, 1)}. The write-up reports 113.3, but on another text with another "
        "vocabulary, so the two numbers must not be compared.",
        _measures(single, counts, mean, half),
        chart=Bars(
            "How much the previous word helps",
            "perplexity of held-out text",
            (
                Bar("own frequency", single),
                Bar("counts of pairs", counts),
                Bar("network", mean, mean - half, mean + half),
            ),
            f"The perplexity is {single:.0f} if each word is guessed by its own frequency, {counts:.1f} with counts "
            f"of pairs, and {mean:.1f} with the network.",
        ),
    )


@FAMILY.claim(
    "counting",
    "Counting pairs, with Kneser–Ney smoothing, is as good as this network, to within 3 % of the perplexity.",
    said_by="the lab",
)
def _counting(seed: int) -> Finding:
    single, counts, found = _perplexities(seed)
    mean, half = mean_and_half_width(found)
    return Finding(
        "holds" if abs(mean - counts) + half < CLOSE * counts else "fails",
        "The loss of a bigram model depends on the text only through how often each pair of words occurs. So the "
        "network cannot know more than the counts; it can only smooth them better. Counts with modified Kneser–Ney "
        f"smoothing have a perplexity of {counts:.1f}; the network has {plus_minus(mean, half, 1)}. A wider network on "
        "a larger text gets a little below the counts: benchmarks/bigram.py measures that on WikiText-2.",
        _measures(single, counts, mean, half),
    )
