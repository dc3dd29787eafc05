"""attnlab knowledge run: the whole chain for several variants, and one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

import tyro
from tyro.conf import Positional, arg

from attnlab.cli.knowledge_evaluate import check_pages
from attnlab.cli.knowledge_pretrain import RECIPE, check_alone, explained_options, typed_world
from attnlab.cli.options import Dotted, named_options, take_dotted, typed_value, with_dotted
from attnlab.cli.outcome import Outcome
from attnlab.cli.usage import Adaptive
from attnlab.errors import ArgumentError, FileError

if TYPE_CHECKING:
    from attnlab.cli.knowledge_plan import Plan
    from attnlab.cli.knowledge_table import Trial
    from attnlab.training.facts.lessons import Lesson
    from attnlab.training.facts.recipes import KnowledgeRecipe


@dataclass(frozen=True)
class KnowledgeRun(Adaptive):
    """The whole chain, pretraining, finetuning and questions, for several variants: one table at the end.

    none is not pretrained; span is pretrained by one hidden span of each line; views by many views of it; recital
    recites the line before it answers; own is whatever a recipe says. All have the recipe's size and steps, and all
    mixers as many parameters. Every model is a run in the folder, which attnlab knowledge evaluate and ask read.

    Example: attnlab knowledge run --people 20 --effort 0.05 --seeds 1 --variants none,recital --out all
    """

    facts: Positional[Annotated[str, arg(metavar="[FACTS]", help_behavior_hint="")]] = "biographies"
    """biographies (generated, no download), birthplaces, or a folder."""
    recipes: Annotated[str, arg(metavar="NAME,…", help_behavior_hint="")] = "quick"
    """Of which size and with how many steps: quick; for a GPU coursework, views, recital."""
    variants: Annotated[str, arg(metavar="NAME,…", help_behavior_hint="")] = ""
    """none, span, views, recital, own (default: the first four; for other recipes than quick, none and own)."""
    mixers: Annotated[str, arg(metavar="NAME,…", help_behavior_hint="")] = "dot-product"
    """dot-product, synthesizer, random-synthesizer, perceiver."""
    seeds: int = 3
    """Train so many of each, and tell the mean with its interval: that of the questions and of the seeds."""
    seed: int = 0
    """The first of the seeds."""
    people: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """How many people there are in the biographies (default: 100)."""
    distractors: int = 0
    """How many other places than the birthplace each line of the biographies names, 0 to 2: with some, it must be
    understood."""
    effort: float = 1.0
    """Train for so many times the recipe's steps."""
    precision: float = 0.9
    """The share of given answers that is to be right."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """A folder for the runs, new or empty; else one under runs/ that is named after the time."""
    resume: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """Go on with a run that was stopped: models that were finished stay as they are."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the bars of the variants to this page, .html."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the bars of the variants to this file: .png, .svg or .html."""
    dotted: Annotated[Dotted, tyro.conf.Suppress] = field(default_factory=dict)
    json: bool = False
    """Print one JSON value instead of a table."""

    @classmethod
    def prepared(cls, arguments: Sequence[str]) -> tuple[list[str], KnowledgeRun]:
        """The dotted options taken out."""
        rest, dotted = take_dotted(arguments, ("model", "world"))
        return rest, cls(dotted=dotted)

    @classmethod
    def explained(cls, arguments: Sequence[str]) -> str:
        """The options of the model, by the first of the recipes, and of the generated world."""
        return explained_options((typed_value(arguments, "--recipes") or RECIPE).partition(",")[0].strip())

    def run(self) -> Outcome | None:
        """Train them all, or those that are not yet, and tell."""
        check_pages(self.html, self.plot)
        if self.resume is None:
            return self._train(self._checked())
        from attnlab.cli.knowledge_plan import read_plan

        check_alone(replace(self, html=None, plot=None), self.prepared([])[1])
        plan = read_plan(self.resume)
        planned = replace(self, **plan.options)
        try:
            trials = planned._checked()
        except ArgumentError as error:
            raise FileError(self.resume / "plan.json", str(error)) from error
        return planned._train(trials, plan)

    def _checked(self) -> list[Trial]:
        """The trials, of options that can be used."""
        for option, value, least, most in (
            ("seeds", self.seeds, 1, 100),
            ("seed", self.seed, 0, 2**31 - 100),
            ("effort", self.effort, 1e-6, 1000),
            ("precision", self.precision, 1e-6, 1),
        ):
            if not least <= value <= most:
                raise ArgumentError(option, f"expected from {least:g} to {most:g}, got {value}")
        return self.trials()

    def _train(self, trials: list[Trial], plan: Plan | None = None) -> Outcome | None:
        from attnlab.cli.knowledge_table import run_trials
        from attnlab.data.facts.sources import FactSource

        world = typed_world(self.dotted)
        with named_options(model=trials[0].recipe.model, world=world):
            return run_trials(FactSource.of(self.facts, self.people, self.distractors, world), trials, self, plan)

    def trials(self) -> list[Trial]:
        """What is to be trained, a row of the table each."""
        from attnlab.claims.knowledge_chain import lessons_of
        from attnlab.cli.knowledge_table import Trial
        from attnlab.models.transformer_config import Mixing
        from attnlab.training.facts.recipes import find_recipe

        recipes = _names(self.recipes, "recipes")
        mixers = cast("list[Mixing]", _names(self.mixers, "mixers", get_args(Mixing)))
        found = []
        for recipe_name in recipes:
            try:
                recipe = self._shaped(find_recipe(recipe_name))
            except ArgumentError as error:
                raise ArgumentError(
                    "recipes" if error.argument == "recipe" else error.argument, error.message
                ) from error
            for variant in _names(self.variants or _usual(recipe_name), "variants"):
                lessons = tuple(map(self._shortened, lessons_of(recipe, variant)))
                own = recipe_name if variant == "own" else f"{recipe_name} {variant}"
                name = variant if len(recipes) == 1 and variant != "own" else own
                found += [Trial(name, recipe_name, recipe, lessons, mixer) for mixer in mixers]
        return found

    def _shaped(self, recipe: KnowledgeRecipe) -> KnowledgeRecipe:
        return replace(recipe, model=with_dotted(recipe.model, self.dotted.get("model", {}), "model", "transformer"))

    def _shortened(self, lesson: Lesson) -> Lesson:
        steps = max(1, round(self.effort * lesson.training.steps))
        return replace(lesson, training=replace(lesson.training, steps=steps, device=self.device))


def _usual(recipe: str) -> str:
    return "none,span,views,recital" if recipe == "quick" else "none,own"


def _names(text: str, option: str, known: Sequence[str] = ()) -> list[str]:
    """Names with commas between, each once."""
    found = [each.strip() for each in text.split(",")]
    for name in found:
        if not name or (known and name not in known):
            expected = ", ".join(known) or "names with commas between"
            raise ArgumentError(option, f"expected {expected}; got {name!r}")
        if found.count(name) > 1:
            raise ArgumentError(option, f"expected each once, got {name} twice")
    return found
