"""Small versions of the coursework's models of words and characters, and their numbers for findings."""

from dataclasses import replace
from functools import cache

import torch

from attnlab.benches.language.in_memory import count
from attnlab.claims.claim import Quantity
from attnlab.evaluation.scoring.measures import Measure
from attnlab.evaluation.scoring.nats_to_units import bits
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.scoring.tallies import Estimate
from attnlab.models.bigram import BigramConfig
from attnlab.models.ngrams.ngram import NGramConfig
from attnlab.text import Normalisation, Tokenizer
from attnlab.text.characters import CharacterTokenizer
from attnlab.text.words import WordTokenizer
from attnlab.training.language.counting import CountTraining
from attnlab.training.threads import one_thread

SIZE, ORDER = 2_000, 4
SMALL_LETTERS, AS_IT_IS = Normalisation(lower=True), Normalisation()
AT_SPACES = Normalisation(split="whitespace", lower=True)
RECIPE = CountTraining(steps=25, rate=0.15, penalty=2e-5, vector_penalty=1e-5)


@cache
def characters(train: str, order: int = ORDER) -> Subject:
    """A character model: counts of 4-grams, or of another order."""
    return _counted(CharacterTokenizer.train([train]), train, order)


@cache
def word_pairs(train: str, size: int = SIZE, rule: Normalisation = SMALL_LETTERS) -> Subject:
    """A word model: counts of pairs."""
    known = _vocabulary(train, rule)
    return _counted(replace(known, vocabulary=known.vocabulary[: size - 1]), train, 2)


@cache
def network(train: str, seed: int) -> Subject:
    """The coursework's own word model: a neural bigram."""
    tokenizer = _vocabulary(train, SMALL_LETTERS)
    with one_thread():
        ids = tokenizer.encode(train).ids
        return count(BigramConfig(dim=50, hidden=50), tokenizer, ids, replace(RECIPE, seed=seed)).subject("network")


@cache
def _vocabulary(train: str, rule: Normalisation) -> WordTokenizer:
    return WordTokenizer.train([train], SIZE, rule)


def _counted(tokenizer: Tokenizer, train: str, order: int) -> Subject:
    return count(NGramConfig(order=order), tokenizer, tokenizer.encode(train).ids).subject("counts")


def unknown_after_unknown(subject: Subject) -> float:
    """The probability that a word model gives to an unknown word after an unknown word."""
    return float(subject.predictor.log_probs(torch.zeros(1, 1, dtype=torch.long))[0, 0, 0].exp())


def tokens_alone(found: Measure) -> float:
    """Bits per byte of the raw passage for the tokens alone, which is all that a perplexity counts."""
    return bits(found.nats_per_token.value) * found.tokens / found.raw_bytes


def lines_as_words(text: str) -> str:
    """The text with each line joined into one word, for a tokenizer that splits at whitespace; without empty lines.

    >>> lines_as_words("To be, or\\nnot\\n\\nto be.")
    'To_be,_or\\nnot\\nto_be.'
    """
    return "\n".join("_".join(line.split()) for line in text.splitlines() if line.strip())


def stated(name: str, found: Estimate | float) -> Quantity:
    """A number for a finding. The half-width reaches the farther end of the interval, if the number has an interval."""
    if not isinstance(found, Estimate):
        return Quantity(name, float(found), how="observed")
    if found.low is None or found.high is None:
        return Quantity(name, found.value, how="observed")
    return Quantity(name, found.value, max(found.high - found.value, found.value - found.low), "95 % interval")
