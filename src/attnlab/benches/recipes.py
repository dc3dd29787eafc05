"""The recipes of every training: language models, classifiers and models that learn facts."""

from dataclasses import dataclass
from typing import Any, ClassVar

from attnlab.benches.language.configuring import configure
from attnlab.benches.language.plans import TrainingPlan
from attnlab.calls import Call
from attnlab.errors import ArgumentError, meant, shortened
from attnlab.records import Record, record
from attnlab.settings import write_used
from attnlab.training.classifier.recipes import RECIPES as OF_CLASSIFIERS
from attnlab.training.classifier.settings import ClassifierSettings
from attnlab.training.facts.recipes import RECIPES as OF_FACTS
from attnlab.training.facts.recipes import KnowledgeRecipe
from attnlab.training.language.estimating import estimate
from attnlab.training.language.recipes import RECIPES as OF_TEXTS
from attnlab.training.recipe_registry import Recipes

GROUPS: dict[str, Recipes[Any]] = {
    "train": OF_TEXTS,
    "classify train": OF_CLASSIFIERS,
    "knowledge pretrain": OF_FACTS,
}
"""The recipes by the command that takes them. `knowledge finetune` and `knowledge run` take those of `knowledge
pretrain`, too."""


@record
class RecipeList(Record):
    """The recipes of every command that trains."""

    shown_by: ClassVar[str] = "recipes.recipe_list"

    def to_dict(self) -> dict[str, Any]:
        """The recipes with their descriptions and settings, by command and name."""
        return {
            command: {name: {"about": made.about(name), **write_used(made.find(name))} for name in made}
            for command, made in GROUPS.items()
        }

    @property
    def call(self) -> Call:
        """The call that lists them again."""
        return Call("recipes")


@dataclass(frozen=True)
class NamedRecipe:
    """A recipe of a command, in full."""

    command: str
    about: str
    settings: TrainingPlan | ClassifierSettings | KnowledgeRecipe
    """A recipe for a language model comes with an estimate of its time on this machine."""

    def to_dict(self) -> dict[str, Any]:
        """Its description and its settings."""
        if isinstance(self.settings, TrainingPlan):
            return self.settings.to_dict()
        return {"about": self.about, **write_used(self.settings)}


@record
class FoundRecipes(Record):
    """Every setting of the recipes of one name: several commands may have a recipe of this name."""

    shown_by: ClassVar[str] = "recipes.found_recipes"

    name: str
    recipes: tuple[NamedRecipe, ...]

    def to_dict(self) -> dict[str, Any]:
        """The settings, by command."""
        return {each.command: each.to_dict() for each in self.recipes}

    @property
    def call(self) -> Call:
        """The call that shows them again."""
        return Call("recipes", (self.name,))


def recipes(name: str = "") -> RecipeList | FoundRecipes:
    """All recipes, or every setting of those with a name."""
    if not name:
        return RecipeList()
    found = [
        NamedRecipe(each, made.about(name), _settings(made, name)) for each, made in GROUPS.items() if name in made
    ]
    if not found:
        known = "; ".join(f"{', '.join(made)} (of {each})" for each, made in GROUPS.items())
        names = [each for made in GROUPS.values() for each in made]
        raise ArgumentError("recipe", f"expected {known}; got {shortened(name)}{meant(name, names)}")
    return FoundRecipes(name, tuple(found))


def _settings(made: Recipes[Any], name: str) -> TrainingPlan | ClassifierSettings | KnowledgeRecipe:
    if made is not OF_TEXTS:
        return made.find(name)
    config = configure(recipe=name)
    return TrainingPlan(config, made.about(name), estimate(config))
