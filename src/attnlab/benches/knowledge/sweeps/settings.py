"""The settings of a sweep."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from attnlab.benches.knowledge.configuring import RECIPE
from attnlab.benches.knowledge.courses import facts_options
from attnlab.benches.knowledge.variants import VARIANTS, Lessons, variant_lessons
from attnlab.calls import Call
from attnlab.data.facts.sources import GENERATED, FactSource
from attnlab.errors import ArgumentError
from attnlab.evaluation.settings import PRECISION, check_precision
from attnlab.models.transformer_config import Mixing
from attnlab.settings import Device, Range, changed, changed_values, changes, option_names, settings
from attnlab.training.facts.lessons import Lesson
from attnlab.training.facts.objectives import check_rows
from attnlab.training.facts.recipes import RECIPES, KnowledgeRecipe

OWN = {"seed": "--seed", "device": "--device"}
"""Settings of training that have their own option in a sweep."""

Changes = dict[str, int | float | str | bool]


@settings
class PlainSweepSettings:
    """The models of a sweep, and how they are compared."""

    variants: tuple[str, ...] = ()
    """The variants to train. Empty: none, span, views and recital with the recipe quick; none and own with others."""
    mixers: tuple[Mixing, ...] = ("dot-product",)
    """The mixers to train: how a token uses the tokens before it. All mixers have about as many parameters."""
    seeds: Annotated[int, Range(1, 100)] = 3
    """The number of models for each row of the table, which shows their mean with its interval."""
    seed: Annotated[int, Range(0, 2**31 - 100)] = 0
    """The first seed."""
    effort: Annotated[float, Range(1e-6, 1000)] = 1.0
    """A factor on the number of steps of the recipe."""
    precision: float = PRECISION
    """The share of given answers that should be right."""
    device: Device = "auto"
    """Where the models run; auto: on a GPU if there is one."""

    def __post_init__(self):
        check_precision(self.precision)
        check_names("variants", self.variants, VARIANTS)
        check_names("mixers", self.mixers)
        if not self.mixers:
            raise ArgumentError("mixers", "expected at least one mixer")


@dataclass(frozen=True)
class SweepVariant:
    """A row of the table: a variant of a recipe with a mixer."""

    name: str
    recipe_name: str
    recipe: KnowledgeRecipe
    lessons: Lessons
    mixer: Mixing

    def folder(self, seed: int) -> str:
        """The name of a model's folder in the folder of the sweep."""
        return f"{self.name}-{self.mixer}-{seed}".replace(" ", "-")


@settings
class SweepSettings(PlainSweepSettings):
    """A sweep: its facts, its models, and the settings of model and training that differ from the recipe's."""

    facts: FactSource = field(default_factory=lambda: FactSource.of(GENERATED))
    recipes: tuple[str, ...] = (RECIPE,)
    """The recipes that give the size and the steps of the models."""
    model: Changes = field(default_factory=dict)
    """Settings of the model that differ from the recipe's."""
    training: Changes = field(default_factory=dict)
    """Settings of the training that differ from the recipe's, in every lesson."""

    def __post_init__(self):
        super().__post_init__()
        check_names("recipes", self.recipes, RECIPES)
        if not self.recipes:
            raise ArgumentError("recipes", "expected at least one recipe")
        for name in OWN.keys() & self.training.keys():
            raise ArgumentError(f"training.{name}", f"use {OWN[name]} instead: it holds for all models")
        for variant in self.all_variants():  # this also checks the changed settings
            for lesson in variant.lessons:
                check_rows(lesson.objectives, lesson.training.batch)

    @property
    def all_seeds(self) -> range:
        """Every seed."""
        return range(self.seed, self.seed + self.seeds)

    def all_variants(self) -> list[SweepVariant]:
        """The variants, one for each row of the table."""
        found = []
        for recipe_name in self.recipes:
            recipe = RECIPES.find(recipe_name)
            recipe = replace(recipe, model=changed(recipe.model, self.model, "model"))
            for variant in self.variants or usual_variants(recipe_name):
                lessons = tuple(map(self._lesson, variant_lessons(recipe, variant)))
                own = recipe_name if variant == "own" else f"{recipe_name} {variant}"
                name = variant if len(self.recipes) == 1 and variant != "own" else own
                found += [SweepVariant(name, recipe_name, recipe, lessons, mixer) for mixer in self.mixers]
        return found

    @property
    def call(self) -> Call:
        """The call that trains and compares the models."""
        plain = PlainSweepSettings(**{name: getattr(self, name) for name in option_names(PlainSweepSettings)})
        options = facts_options(self.facts) | changes(plain, PlainSweepSettings())
        options |= {"recipes": self.recipes} if self.recipes != (RECIPE,) else {}
        options |= {group: dict(given) for group in ("model", "training") if (given := getattr(self, group))}
        return Call("knowledge run", (self.facts.name,), options)

    def _lesson(self, lesson: Lesson) -> Lesson:
        """A lesson with the changed settings, and with its steps multiplied by the effort."""
        training = changed(lesson.training, self.training, "training")
        steps = max(1, round(self.effort * training.steps))
        return replace(lesson, training=replace(training, steps=steps, device=self.device))


def sweeping(
    facts: str = "",
    recipes: str | Sequence[str] = RECIPE,
    *,
    people: int | None = None,
    distractors: int | None = None,
    world: Mapping[str, Any] | None = None,
    model: Mapping[str, Any] | None = None,
    training: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> SweepSettings:
    """The settings of a sweep. Several recipes are a list, or one text with commas; `options` are
    `PlainSweepSettings`."""
    plain = changed(PlainSweepSettings(), options)
    names = tuple(each.strip() for each in (recipes.split(",") if isinstance(recipes, str) else recipes))
    check_names("recipes", names, RECIPES)
    usual = RECIPES.find(names[0] if names else RECIPE)
    return SweepSettings(
        **vars(plain),
        recipes=names,
        facts=FactSource.of(facts or GENERATED, people, distractors, world),
        model=changed_values(usual.model, model, "model"),
        training=changed_values(usual.pretraining.training, training, "training"),
    )


def usual_variants(recipe: str) -> tuple[str, ...]:
    """The default variants of a recipe: a large recipe is compared only with no pretraining."""
    return ("none", "span", "views", "recital") if recipe == RECIPE else ("none", "own")


def check_names(option: str, names: Sequence[str], known: Collection[str] | None = None) -> None:
    """Raise on unknown names, and on names that come twice."""
    for name in names:
        if known is not None and name not in known:
            raise ArgumentError.unknown(option, name, known)
        if names.count(name) > 1:
            raise ArgumentError(option, f"expected each name once, got {name} twice")
