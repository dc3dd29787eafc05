"""The two models of the coursework, words and characters, at a quick scale; and what a passage costs them."""

import math
from functools import cache

import numpy as np
import torch

from attnlab.claims.threads import one_thread
from attnlab.evaluation.costs import Costs
from attnlab.evaluation.predictors import predictor_of
from attnlab.evaluation.subjects import Subject
from attnlab.models.bigram import Bigram, BigramConfig, Pairs
from attnlab.models.bigram_counts import CountRecipe, train_on_counts
from attnlab.models.ngram import NGram
from attnlab.text import Normalisation, Tokenizer
from attnlab.text.characters import CharacterTokenizer
from attnlab.text.words import WordTokenizer

WORDS, ORDER = 2_000, 4
SMALL_LETTERS, AS_IT_IS = Normalisation(lower=True), Normalisation()
RECIPE = CountRecipe(steps=25, step_size=0.15, penalty=2e-5, vector_penalty=1e-5)


@cache
def characters(train: str) -> Subject:
    """A model of characters: counts of four in a row."""
    return _counted(CharacterTokenizer.train([train]), train, ORDER)


@cache
def words(train: str, size: int = WORDS, rule: Normalisation = SMALL_LETTERS) -> Subject:
    """A model of words: counts of pairs."""
    known = _vocabulary(train, rule)
    return _counted(WordTokenizer(known.vocabulary[: size - 1], rule), train, 2)


@cache
def network(train: str) -> Subject:
    """The coursework's own model of words: a neural bigram."""
    tokenizer = _vocabulary(train, SMALL_LETTERS)
    model = Bigram(BigramConfig(tokenizer.size, dim=50, hidden=50))
    with one_thread():
        ids = torch.from_numpy(tokenizer.encode(train).ids.astype(np.int64))
        train_on_counts(model, Pairs.of_text(ids, tokenizer.size), RECIPE)
    return Subject("network", tokenizer, predictor_of(model), unknown=0)


@cache
def _vocabulary(train: str, rule: Normalisation) -> WordTokenizer:
    return WordTokenizer.train([train], WORDS, rule)


def _counted(tokenizer: Tokenizer, train: str, order: int) -> Subject:
    model = NGram.fit(tokenizer.encode(train).ids, tokenizer.size, order)
    return Subject("counts", tokenizer, predictor_of(model), unknown=0)


def perplexity(found: Costs) -> float:
    """Of the tokens, as the coursework has it."""
    return math.exp(float(found.nats.mean()))


def known_perplexity(found: Costs) -> float:
    """Of the tokens that are known."""
    return math.exp(float(found.nats[~found.unknown].mean()))


def unknown_share(found: Costs) -> float:
    """Of the tokens, those that are unknown."""
    return float(found.unknown.mean())


def bits_per_byte(found: Costs) -> float:
    """Of the raw passage, with unknown words spelled and what normalisation took told."""
    return _bits(found, found.comparable)


def model_bits_per_byte(found: Costs) -> float:
    """Of the raw passage, for the tokens alone: all that the perplexity knows of."""
    return _bits(found, found.nats)


def spelling_bits_per_byte(found: Costs) -> float:
    """Of the raw passage, for spelling unknown words alone."""
    return _bits(found, found.charged.spelling)


def _bits(found: Costs, nats: np.ndarray) -> float:
    return float(nats.sum()) / math.log(2) / int(found.encoding.raw_bytes.sum())
