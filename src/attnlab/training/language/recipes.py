"""Recipes: complete configurations by name, each a function that returns one. Whatever it says can be changed."""

from collections.abc import Callable

from attnlab.errors import ArgumentError
from attnlab.models.kinds import BigramShape, NGramShape
from attnlab.models.recurrent import RecurrentConfig
from attnlab.models.transformer import GPT2, TransformerConfig
from attnlab.training.language.config import BytePairs, Config, Tokens, Words
from attnlab.training.settings import Training


def quick() -> Config:
    """A small Transformer on characters: a minute on two cores."""
    return Config(
        "topics",
        model=TransformerConfig(layers=3, heads=2, width=128, context=128, norm="layer", activation="gelu"),
        training=Training(steps=600, batch=24, validate_every=100, precision="bfloat16"),
    )


def quick_recurrent() -> Config:
    """A GRU on characters: a minute on two cores."""
    return Config(
        "topics",
        model=RecurrentConfig(width=256, context=128),
        training=Training(steps=600, batch=24, validate_every=200, optimiser="adamw", rate=0.005),
    )


def ngram() -> Config:
    """Counts of up to five characters in a row: a second."""
    return Config("topics", model=NGramShape())


def shakespeare() -> Config:
    """The customary small Transformer on Shakespeare's characters: seconds on one GPU."""
    return Config(
        "tinyshakespeare",
        model=TransformerConfig(layers=6, heads=6, width=384, context=256, dropout=0.2, activation="gelu"),
        training=Training(
            steps=800, batch=64, rate=0.003, muon_rate=0.02, weight_decay=0.5, precision="bfloat16", validate_every=250
        ),
    )


def shakespeare_cpu() -> Config:
    """A smaller one of the same: minutes on two cores."""
    return Config(
        "tinyshakespeare",
        model=TransformerConfig(layers=3, heads=2, width=128, context=128, norm="layer", activation="gelu"),
        training=Training(steps=3000, batch=24, precision="bfloat16", validate_every=500),
    )


def shakespeare_quick() -> Config:
    """The smallest of them: seconds on two cores. So early in training many small steps are worth more than layers."""
    return Config(
        "tinyshakespeare",
        model=TransformerConfig(layers=2, heads=2, width=128, context=64, norm="layer", activation="gelu"),
        training=Training(steps=300, batch=32, precision="bfloat16", validate_every=100),
    )


def course_bigram() -> Config:
    """The coursework's neural bigram model: 2,000 words, their vectors, one sigmoid layer."""
    return Config(
        "wikitext2",
        Tokens("words", Words(vocabulary=2000, split="whitespace", lower=True, lines=True)),
        BigramShape(dim=50, hidden=50),
        Training(steps=100),
    )


def gpt2() -> Config:
    """The layout of GPT-2 with 124 million parameters, for a large GPU or several."""
    return Config(
        "wikitext2",
        Tokens("byte-pairs", BytePairs(50_257)),
        GPT2,
        Training(steps=5000, batch=64, optimiser="adamw", rate=6e-4, precision="bfloat16", validate_every=1000),
    )


RECIPES: dict[str, Callable[[], Config]] = {
    function.__name__.replace("_", "-"): function
    for function in (
        quick,
        quick_recurrent,
        ngram,
        shakespeare,
        shakespeare_cpu,
        shakespeare_quick,
        course_bigram,
        gpt2,
    )
}


def find_recipe(name: str) -> Config:
    """The configuration of that name."""
    if name not in RECIPES:
        raise ArgumentError("recipe", f"expected {', '.join(RECIPES)}, got {name!r}")
    return RECIPES[name]()


def recipe_for(kind: str) -> str:
    """The recipe whose training suits a kind of model, where only that was chosen.

    >>> recipe_for("recurrent")
    'quick-recurrent'
    """
    return {"recurrent": "quick-recurrent", "ngram": "ngram", "bigram": "course-bigram"}.get(kind, "quick")
