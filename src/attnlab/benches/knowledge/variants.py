"""Variants of a recipe: the lessons of each variant, and other mixers."""

from dataclasses import replace

from attnlab.errors import ArgumentError
from attnlab.models.matching import matched
from attnlab.models.transformer_config import Mixing, TransformerConfig
from attnlab.training.facts.lessons import Lesson
from attnlab.training.facts.recipes import RECIPES, KnowledgeRecipe

OBJECTIVES_OF = {"span": "coursework", "views": "views", "recital": "recital"}
"""The recipe that gives the objectives of each variant."""
VARIANTS = {
    "none": "Only the answers, without pretraining.",
    "span": "One hidden span of each line, then the answers.",
    "views": "Many views of each line, then the answers.",
    "recital": "Lines to recite, then recited lines with answers.",
    "own": "The lessons of the recipe itself.",
}
"""Every variant, and its lessons."""
MILD = 0.3
"""The factor on the learning rates for answers after lines: at full rates the model forgets the lines."""

Lessons = tuple[Lesson, ...]


def variant_lessons(recipe: KnowledgeRecipe, variant: str) -> Lessons:
    """The lessons of a variant, with the steps and learning rates of a recipe.

    Answers without a recital are learnt in as many steps as without pretraining, and at lower learning rates.
    """
    if variant == "none":
        return (recipe.untaught,)
    if variant == "own":
        return recipe.pretraining, recipe.finetuning
    if variant not in OBJECTIVES_OF:
        raise ArgumentError.unknown("variants", variant, VARIANTS)
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
    """The shape with a mixer. Another mixer than its own gets a shape with about as many parameters."""
    return shape if mixer == shape.mixer else matched(shape, mixer, size)
