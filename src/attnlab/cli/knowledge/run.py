"""attnlab knowledge run: the whole chain for several variants, and one table."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import tyro
from tyro.conf import Positional, arg

from attnlab.cli.knowledge.options import check_alone, listed_recipes, typed
from attnlab.cli.parsing import WithSettings, Words, with_typed
from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.knowledge import Sweep, SweepSettings


@dataclass(frozen=True)
class Run(WithSettings):
    """The whole chain, pretraining, finetuning and questions, for several variants: one table at the end.

    All models have the recipe's size and steps, and all mixers about as many parameters. Every model is a run in the
    folder, which attnlab knowledge evaluate and ask read. Ctrl-C says how to go on.

    Example: attnlab knowledge run --people 20 --effort 0.05 --seeds 1 --variants none,recital --out all
    """

    dotted: ClassVar[tuple[str, ...]] = ("model", "training", "world")

    facts: Positional[Annotated[str, arg(metavar="[FACTS]", help_behavior_hint="")]] = ""
    """biographies (default: generated, no download), birthplaces, or a folder."""
    recipes: Annotated[str, arg(metavar="NAME,…", help_behavior_hint="")] = ""
    """Of which size and with how many steps the models are; they are listed below (default: quick)."""
    people: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """How many people there are in the biographies (default: 100)."""
    distractors: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """How many other places than the birthplace each line of the biographies names, 0 to 2 (default: 0): with some, a
    line must be understood."""
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """A folder for the runs, new or empty; else one under runs/ that is named after the time."""
    resume: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """Go on with a table that was stopped: models that were finished stay as they are."""
    html: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the table and the bars of the variants to this page, .html."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the bars of the variants to this file: .png, .svg or .html."""
    words: Annotated[Words, tyro.conf.Suppress] = field(default_factory=dict)
    json: bool = False
    """Print one JSON value instead of a table."""

    @classmethod
    def plain(cls) -> type:
        """The options of the sweep have no dot."""
        from attnlab.benches.knowledge.sweeps.settings import SweepOptions

        return SweepOptions

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The options of the table; those of the model and of training by the first of the recipes; and the world."""
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
        """Train them all, or those that are not finished yet."""
        from attnlab.benches.knowledge import resume_sweep, sweep

        if self.resume is None:
            return sweep(self.settings(), self.out, TerminalObserver())
        check_alone(self)
        return resume_sweep(self.resume, TerminalObserver())

    def settings(self) -> SweepSettings:
        """What is to be trained and measured, as it was typed."""
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
