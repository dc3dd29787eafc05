"""attnlab knowledge run: the whole chain for several variants, and one table."""

from pathlib import Path
from typing import Annotated, Any, ClassVar

from tyro.conf import Positional

from attnlab.cli.command import OutFile, Spreading, command, shown
from attnlab.cli.knowledge.options import FactsCommand, listed_recipes
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Run(FactsCommand, Spreading):
    """Pretrain, finetune and ask models of several variants, and compare them in one table.

    All models have the size and the steps of the recipe, and all mixers have about as many parameters. Every model is a
    run in the folder: attnlab knowledge evaluate and ask can open it. Ctrl-C prints the command that continues.

    Example: attnlab knowledge run --people 20 --effort 0.05 --seeds 1 --variants none,recital --out all
    """

    plain_class: ClassVar[str] = "benches.knowledge.sweeps.settings:PlainSweepSettings"
    dotted: ClassVar[tuple[str, ...]] = ("model", "training", "world")
    hidden: ClassVar[tuple[str, ...]] = ("training.seed", "training.device")

    facts: Positional[Annotated[str, shown("[FACTS]")]] = ""
    """biographies (the default: generated, no download), birthplaces, or a folder."""
    recipes: Annotated[str, shown("NAME,…")] = "quick"
    """The recipes that give the size and the steps of the models, listed below (default: quick)."""
    out: Annotated[Path | None, shown("DIR")] = None
    """The folder for the runs, new or empty (default: a new folder under runs/, named after the time)."""
    resume: Annotated[Path | None, shown("DIR")] = None
    """Continue a stopped table: only the models that are not finished are trained."""
    html: OutFile = None
    """Write a page with the table and the bar chart of the variants to this .html file."""
    plot: OutFile = None
    """Write the bar chart of the variants to this file: .png, .svg or .html."""

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings of the table, of the model and training (by the first recipe), and of the generated world."""
        from attnlab.benches.knowledge import pretraining
        from attnlab.benches.knowledge.sweeps.settings import PlainSweepSettings, usual_variants

        recipe = self.recipes.partition(",")[0].strip()
        base = pretraining(recipe=recipe)
        return {
            "": {"options of the table": PlainSweepSettings(variants=usual_variants(recipe))},
            "model": {"options of the model": base.model},
            "training": {"options of training, for every lesson; seed and device have no dot": base.lesson.training},
            "world": {"options of the generated biographies": base.facts.world},
        }

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes and the variants."""
        from attnlab.benches.knowledge.variants import VARIANTS

        return {"recipes": listed_recipes(), "variants": dict(VARIANTS)}

    def begin(self) -> Record:
        """Train all models."""
        from attnlab.benches.knowledge import sweep, sweeping

        given = {**self.facts_settings(), "training": self.typed("training"), "options": self.typed()}
        return sweep(sweeping(self.facts, self.recipes, **given), self.out, TerminalObserver(), self.workers())

    def continued(self, run: Path) -> Record:
        """Train the models that are not finished."""
        from attnlab.benches.knowledge import resume_sweep

        return resume_sweep(run, TerminalObserver(), self.workers())
