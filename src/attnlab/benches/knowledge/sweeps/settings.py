"""What a sweep trains and measures."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from attnlab.benches.knowledge.configuring import RECIPE
from attnlab.benches.knowledge.courses import facts_words
from attnlab.benches.knowledge.models import PRECISION
from attnlab.benches.knowledge.variants import VARIANTS, Lessons, variant_lessons
from attnlab.data.facts.sources import GENERATED, FactSource
from attnlab.errors import ArgumentError
from attnlab.evaluation.knowledge.coverage import check_precision
from attnlab.models.transformer_config import Mixing
from attnlab.settings import Range, changed, changed_words, option_names, settings
from attnlab.training.facts.lessons import Lesson
from attnlab.training.facts.objectives import check_rows
from attnlab.training.facts.recipes import RECIPES, KnowledgeRecipe
from attnlab.training.settings import Device

OWN = {"seed": "--seed", "device": "--device"}
"""Settings of training that a sweep sets for all of its models."""

Changes = dict[str, int | float | str | bool]


@settings
class SweepOptions:
    """Which models a sweep trains, and how they are compared."""

    variants: tuple[str, ...] = ()
    """What is taught; empty: none, span, views and recital with the recipe quick, none and own with another."""
    mixers: tuple[Mixing, ...] = ("dot-product",)
    """How tokens take in those before them; all models of a recipe have about as many parameters."""
    seeds: Annotated[int, Range(1, 100)] = 3
    """How many models of each to train; the table has the mean with its interval, that of questions and of seeds."""
    seed: Annotated[int, Range(0, 2**31 - 100)] = 0
    """The first of the seeds."""
    effort: Annotated[float, Range(1e-6, 1000)] = 1.0
    """How many times the recipe's steps to train."""
    precision: float = PRECISION
    """The share of given answers that is to be right."""
    device: Device = "auto"
    """Where the models run; auto: on a GPU where there is one."""

    def __post_init__(self):
        check_precision(self.precision)
        check_names("variants", self.variants, VARIANTS)
        check_names("mixers", self.mixers)
        if not self.mixers:
            raise ArgumentError("mixers", "expected at least one mixer")


@dataclass(frozen=True)
class Trial:
    """A row of the table: a variant of a recipe with a mixer."""

    name: str
    recipe_name: str
    recipe: KnowledgeRecipe
    lessons: Lessons
    mixer: Mixing

    def folder(self, seed: int) -> str:
        """The folder of a model in that of the sweep."""
        return f"{self.name}-{self.mixer}-{seed}".replace(" ", "-")


@settings
class SweepSettings(SweepOptions):
    """A sweep: its facts, which models it trains, and what is changed of their shape and training by name."""

    facts: FactSource = field(default_factory=lambda: FactSource.of(GENERATED))
    recipes: tuple[str, ...] = (RECIPE,)
    """Of which size and with how many steps the models are."""
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
            raise ArgumentError(f"training.{name}", f"expected {OWN[name]} instead, which holds for all models")
        for trial in self.trials():  # which checks the changes
            for lesson in trial.lessons:
                check_rows(lesson.objectives, lesson.training.batch)

    @property
    def all_seeds(self) -> range:
        """Every seed."""
        return range(self.seed, self.seed + self.seeds)

    def trials(self) -> list[Trial]:
        """What is to be trained, a row of the table each."""
        found = []
        for recipe_name in self.recipes:
            recipe = RECIPES.find(recipe_name)
            recipe = replace(recipe, model=changed(recipe.model, self.model, "model"))
            for variant in self.variants or usual_variants(recipe_name):
                lessons = tuple(map(self._lesson, variant_lessons(recipe, variant)))
                own = recipe_name if variant == "own" else f"{recipe_name} {variant}"
                name = variant if len(self.recipes) == 1 and variant != "own" else own
                found += [Trial(name, recipe_name, recipe, lessons, mixer) for mixer in self.mixers]
        return found

    @property
    def words(self) -> list[str]:
        """What to type behind `attnlab` for it."""
        plain = SweepOptions(**{name: getattr(self, name) for name in option_names(SweepOptions)})
        words = ["knowledge", "run", *facts_words(self.facts, []), *changed_words(plain, SweepOptions())]
        words += ["--recipes", ",".join(self.recipes)] if self.recipes != (RECIPE,) else []
        for group in ("model", "training"):
            for name, value in getattr(self, group).items():
                said = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
                words += [f"--{group}.{name.replace('_', '-')}", said]
        return words

    def _lesson(self, lesson: Lesson) -> Lesson:
        """A lesson with what is changed, and as many steps as the effort takes."""
        training = changed(lesson.training, self.training, "training")
        steps = max(1, round(self.effort * training.steps))
        return replace(lesson, training=replace(training, steps=steps, device=self.device))


def usual_variants(recipe: str) -> tuple[str, ...]:
    """The variants of a recipe if no others are asked for: large recipes are taken whole."""
    return ("none", "span", "views", "recital") if recipe == RECIPE else ("none", "own")


def check_names(option: str, names: Sequence[str], known: Collection[str] | None = None) -> None:
    """Raise on unknown names, and on those that come twice."""
    for name in names:
        if known is not None and name not in known:
            raise ArgumentError(option, f"expected {', '.join(known)}, got {name!r}")
        if names.count(name) > 1:
            raise ArgumentError(option, f"expected each once, got {name} twice")
