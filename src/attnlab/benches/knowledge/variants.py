"""Variants of a recipe: what is taught one after the other, by which mixer."""

from dataclasses import replace

from attnlab.errors import ArgumentError
from attnlab.models.matching import matched
from attnlab.models.transformer_config import Mixing, TransformerConfig
from attnlab.training.facts.lessons import Lesson
from attnlab.training.facts.recipes import RECIPES, KnowledgeRecipe

OBJECTIVES_OF = {"span": "coursework", "views": "views", "recital": "recital"}
"""Variants, each with the recipe whose objectives it has."""
VARIANTS = {
    "none": "The answers alone, without pretraining.",
    "span": "One hidden span of each line, then the answers.",
    "views": "Many views of each line, then the answers.",
    "recital": "Lines to recite, then answers read off them.",
    "own": "Whatever the recipe says.",
}
"""Every variant, and what is taught in it."""
MILD = 0.3
"""The share of the rates at which answers alone are learnt after lines: at full rates the lines are forgotten."""

Lessons = tuple[Lesson, ...]


def variant_lessons(recipe: KnowledgeRecipe, variant: str) -> Lessons:
    """What is taught one after the other in a variant of a recipe, by its steps and rates.

    Answers that are not read off a recital are learnt in as many steps as without pretraining, and at lower rates.
    """
    if variant == "none":
        return (recipe.untaught,)
    if variant == "own":
        return recipe.pretraining, recipe.finetuning
    if variant not in OBJECTIVES_OF:
        raise ArgumentError("variants", f"expected {', '.join(VARIANTS)}, got {variant!r}")
    like = RECIPES.find(OBJECTIVES_OF[variant])
    finetuning = recipe.finetuning.training
    if not like.recites:
        rates = {"rate": MILD * finetuning.rate, "muon_rate": MILD * finetuning.muon_rate}
        finetuning = replace(finetuning, steps=recipe.untaught.training.steps, **rates)
    return (
        Lesson(like.pretraining.objectives, recipe.pretraining.training),
        Lesson(like.finetuning.objectives, finetuning),
    )


def with_mixer(shape: TransformerConfig, mixer: Mixing, size: int) -> TransformerConfig:
    """The shape with a mixer: with another one than its own, of about as many parameters."""
    return shape if mixer == shape.mixer else matched(shape, mixer, size)
