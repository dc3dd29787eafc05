"""The settings of a classifier: a recipe, changed by other features, another model or other training."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attnlab.settings import changed
from attnlab.training.classifier.recipes import RECIPES, USUAL
from attnlab.training.classifier.settings import ClassifierSettings

Changes = Mapping[str, Any] | None
"""Settings to change, by name; None changes nothing."""


def configure(
    recipe: str = USUAL,
    *,
    features: Changes = None,
    model: Changes = None,
    training: Changes = None,
    vectors: str = "",
) -> ClassifierSettings:
    """A recipe, changed by the other arguments.

    >>> configure("ngrams", features={"ngrams": 2}, training={"epochs": 1}).features.ngrams
    2
    """
    chosen = RECIPES.find(recipe)
    return replace(
        chosen,
        features=changed(chosen.features, features, "features"),
        model=changed(chosen.model, model, "model"),
        training=changed(chosen.training, training),
        vectors=vectors,
    )
