"""Recipes for language models: functions that return complete configurations. Every setting can be changed."""

from dataclasses import replace

from attnlab.models.bigram import BigramConfig
from attnlab.models.ngrams.ngram import NGramConfig
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import GPT2
from attnlab.models.transformer_config import TransformerConfig
from attnlab.text.settings import BytePairTokens, WordTokens
from attnlab.training.language.config import Config
from attnlab.training.language.counting import CountTraining, NoTraining
from attnlab.training.recipe_registry import Recipes
from attnlab.training.settings import Training


def quick() -> Config:
    """A small Transformer on characters: one minute on two cores."""
    return Config(
        "topics",
        model=TransformerConfig(layers=3, heads=2, width=128, context=128, norm="layer", activation="gelu"),
        training=Training(steps=600, batch=24, validate_every=100),
    )


def quick_recurrent() -> Config:
    """A GRU on characters: one minute on two cores."""
    return Config(
        "topics",
        model=RecurrentConfig(width=256, context=128),
        training=Training(steps=600, batch=24, validate_every=200, optimiser="adamw", rate=0.005),
    )


def ngram() -> Config:
    """Counts of up to five characters in a row: one second."""
    return Config("topics", model=NGramConfig(), training=NoTraining())


def bigram() -> Config:
    """A neural bigram model on characters: seconds."""
    return Config("topics", model=BigramConfig(), training=CountTraining())


def shakespeare() -> Config:
    """The usual small Transformer on Shakespeare's characters: seconds on one GPU."""
    return Config(
        "tinyshakespeare",
        model=TransformerConfig(layers=6, heads=6, width=384, context=256, dropout=0.2, activation="gelu"),
        training=Training(steps=800, batch=64, rate=0.003, muon_rate=0.02, weight_decay=0.5, validate_every=250),
    )


def shakespeare_cpu() -> Config:
    """A smaller Transformer on Shakespeare's characters: minutes on two cores."""
    return Config(
        "tinyshakespeare",
        model=TransformerConfig(layers=3, heads=2, width=128, context=128, norm="layer", activation="gelu"),
        training=Training(steps=3000, batch=24, validate_every=500),
    )


def shakespeare_quick() -> Config:
    """The smallest Transformer on Shakespeare: seconds on two cores, where more steps help more than more layers."""
    return Config(
        "tinyshakespeare",
        model=TransformerConfig(layers=2, heads=2, width=128, context=64, norm="layer", activation="gelu"),
        training=Training(steps=300, batch=32, validate_every=100),
    )


def course_bigram() -> Config:
    """The coursework's neural bigram model: 2,000 words, word vectors, one sigmoid layer; a minute on two cores."""
    return Config(
        "wikitext2",
        WordTokens(vocabulary=2000, split="whitespace", lower=True, lines=True),
        BigramConfig(dim=100, hidden=100),
        CountTraining(steps=100, vector_penalty=3e-6),
    )


def gpt2() -> Config:
    """The layout of GPT-2 with 124 million parameters, for a large GPU or several."""
    return Config(
        "wikitext2",
        BytePairTokens(50_257),
        GPT2,
        Training(steps=5000, batch=64, optimiser="adamw", rate=6e-4, validate_every=1000),
    )


def induction() -> Config:
    """Two layers of attention alone, which learn to continue repeated letters: half a minute on two cores."""
    return Config(
        "repeats",
        model=TransformerConfig(layers=2, heads=2, width=128, context=64, qk_gain=True, attention_only=True),
        training=Training(steps=500, batch=32, rate=0.01, weight_decay=1.0, warmup=0.1, decay=0.4),
    )


def induction_one_layer() -> Config:
    """The recipe induction with one layer, which cannot learn this: a quarter of a minute on two cores."""
    two = induction()
    assert isinstance(two.model, TransformerConfig)
    return replace(two, model=replace(two.model, layers=1))


RECIPES = Recipes(
    quick,
    quick_recurrent,
    ngram,
    bigram,
    induction,
    induction_one_layer,
    shakespeare,
    shakespeare_cpu,
    shakespeare_quick,
    course_bigram,
    gpt2,
)


def recipe_for(kind: str) -> str:
    """The default recipe of a kind of model.

    >>> recipe_for("recurrent")
    'quick-recurrent'
    """
    return {"recurrent": "quick-recurrent", "ngram": "ngram", "bigram": "bigram"}.get(kind, "quick")
