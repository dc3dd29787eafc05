"""How recipes are shown: a list for each command, and every setting of those with one name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from attnlab.report.blocks import Block, Presentation, borderless
from attnlab.report.language.plans import option_rows, option_table, plan_rows, time_in_words
from attnlab.settings import options, unused

if TYPE_CHECKING:
    from attnlab.benches.recipes import FoundRecipes, NamedRecipe, RecipeList
    from attnlab.training.facts.lessons import Lesson
    from attnlab.training.facts.recipes import KnowledgeRecipe

USE = (
    "all settings of a recipe: attnlab recipes NAME; to use it: attnlab train --recipe NAME, and so with other commands"
)
Row = dict[str, str]


def recipe_list(found: RecipeList) -> Presentation:
    """A line for each recipe."""
    rows = [
        {"command": command, "recipe": name, "about": each["about"]}
        for command, made in found.to_dict().items()
        for name, each in made.items()
    ]
    table = borderless(tuple(rows[0]), [tuple(row.values()) for row in rows], words=len(rows[0]))
    return Presentation([table, USE], rows=rows)


def found_recipes(found: FoundRecipes) -> Presentation:
    """Every setting of each recipe, below the command that takes it."""
    blocks: list[Block] = []
    rows: list[Row] = []
    for each in found.recipes:
        blocks += ["", f"attnlab {each.command} --recipe {found.name}: {each.about}"]
        for heading, part in _parts(each):
            blocks += [f"{heading}:"] if heading else []
            blocks.append(option_table(part))
            rows += [{"command": each.command, "part": heading} | row for row in part]
        blocks += _last(each)
    return Presentation(blocks[1:], rows=rows)


def _parts(found: NamedRecipe) -> Iterator[tuple[str, list[Row]]]:
    """The settings in parts, each with its heading."""
    settings: Any = found.settings
    if found.command == "train":
        yield "", plan_rows(settings)
    elif found.command == "classify train":
        parts = {"--features.": settings.features, "--model.": settings.model, "--": settings.training}
        yield "", [row for prefix, part in parts.items() for row in _used(prefix, part)]
    else:
        yield from _knowledge_parts(settings)


def _knowledge_parts(recipe: KnowledgeRecipe) -> Iterator[tuple[str, list[Row]]]:
    tokens = {"option": "tokens", "value": recipe.tokens.kind, "about": "What the model reads: words or characters"}
    yield "the model", [tokens, *_used("--model.", recipe.model)]
    yield "knowledge pretrain", _lesson(recipe.pretraining)
    kept = {"option": "--calibration", "value": str(recipe.kept_out)}
    kept["about"] = "The share of the training people who are kept out, to choose the threshold on"
    yield "knowledge finetune", [*_lesson(recipe.finetuning), kept]
    yield "knowledge finetune without a pretrained run", _lesson(recipe.untaught)


def _lesson(lesson: Lesson) -> list[Row]:
    shares = ",".join(f"{name}={share:g}" for name, share in lesson.objectives.items())
    first = {
        "option": "--objectives",
        "value": shares,
        "about": "What the model learns, and the share of each objective",
    }
    return [first, *_used("--", lesson.training)]


def _used(prefix: str, settings: Any) -> list[Row]:
    """The settings that have an effect."""
    idle = unused(settings)
    return option_rows(prefix, [each for each in options(settings) if each.name not in idle])


def _last(found: NamedRecipe) -> list[Block]:
    """The estimate of the time; only recipes for language models have one."""
    settings: Any = found.settings
    return [time_in_words(settings)] if found.command == "train" else []
