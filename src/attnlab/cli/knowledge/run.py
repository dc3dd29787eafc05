"""attnlab knowledge run: the whole chain for several variants, and one table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from tyro.conf import Positional, arg

from attnlab.cli.knowledge.options import listed_recipes, typed
from attnlab.cli.parsing import WithSettings, with_typed
from attnlab.observers import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.knowledge import Sweep, SweepSettings


@dataclass(frozen=True)
class Run(WithSettings):
    """Pretrain, finetune and ask models of several variants, and compare them in one table.

    All models have the size and the steps of the recipe, and all mixers have about as many parameters. Every model is a
    run in the folder: attnlab knowledge evaluate and ask can open it. Ctrl-C prints the command that continues.

    Example: attnlab knowledge run --people 20 --effort 0.05 --seeds 1 --variants none,recital --out all
    """

    dotted: ClassVar[tuple[str, ...]] = ("model", "training", "world")

    facts: Positional[Annotated[str, arg(metavar="[FACTS]", help_behavior_hint="")]] = ""
    """biographies (the default: generated, no download), birthplaces, or a folder."""
    recipes: Annotated[str, arg(metavar="NAME,…", help_behavior_hint="")] = ""
    """The recipes that give the size and the steps of the models, listed below (default: quick)."""
    people: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """How many people the biographies have (default: 100)."""
    distractors: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """How many other places than the birthplace each line of the biographies names, 0 to 2 (default: 0). With
    distractors, the model must understand the line."""
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The folder for the runs, new or empty (default: a new folder under runs/, named after the time)."""
    resume: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """Continue a stopped table: only the models that are not finished are trained."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write a page with the table and the bar chart of the variants to this .html file."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the bar chart of the variants to this file: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of a table."""

    @classmethod
    def plain(cls) -> type:
        """The options of the sweep have no dot."""
        from attnlab.benches.knowledge.sweeps.settings import SweepOptions

        return SweepOptions

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings of the table, of the model and training (by the first recipe), and of the generated world."""
        from attnlab.benches.knowledge import pretraining
        from attnlab.benches.knowledge.sweeps.settings import SweepOptions, usual_variants

        recipe = self._recipes()[0]
        base = pretraining(recipe=recipe)
        return {
            "": {"options of the table": SweepOptions(variants=usual_variants(recipe))},
            "model": {"options of the model": base.model},
            "training": {"options of training, for every lesson; seed and device have no dot": base.lesson.training},
            "world": {"options of the generated biographies": base.facts.world},
        }

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes and the variants."""
        from attnlab.benches.knowledge.variants import VARIANTS

        return {"recipes": listed_recipes(), "variants": dict(VARIANTS)}

    def run(self) -> Sweep:
        """Train all models, or those that are not finished."""
        from attnlab.benches.knowledge import resume_sweep, sweep

        if self.resume is None:
            return sweep(self.settings(), self.out, TerminalObserver())
        self.check_alone()
        return resume_sweep(self.resume, TerminalObserver())

    def settings(self) -> SweepSettings:
        """The settings of the sweep, as they were typed."""
        from attnlab.benches.knowledge import SweepSettings, pretraining
        from attnlab.benches.knowledge.sweeps.settings import SweepOptions, check_names
        from attnlab.data.facts.sources import GENERATED, FactSource
        from attnlab.training.facts.recipes import RECIPES

        options = with_typed("", SweepOptions(), self.words)
        recipes = self._recipes()
        check_names("recipes", recipes, RECIPES)
        base = pretraining(recipe=recipes[0])
        world = typed("world", base.facts.world, self.words)
        return SweepSettings(
            **vars(options),
            recipes=recipes,
            facts=FactSource.of(self.facts or GENERATED, self.people, self.distractors, world),
            model=typed("model", base.model, self.words),
            training=typed("training", base.lesson.training, self.words),
        )

    def _recipes(self) -> tuple[str, ...]:
        return tuple(each.strip() for each in (self.recipes or "quick").split(","))
