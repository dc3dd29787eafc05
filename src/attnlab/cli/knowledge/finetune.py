"""attnlab knowledge finetune: facts out of a model again, by questions."""

from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional

from attnlab.cli.command import command, shown
from attnlab.cli.knowledge.options import CourseCommand, listed_objectives, listed_recipes
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Finetune(CourseCommand):
    """Teach a pretrained model to answer questions; without RUN, a new model that has read no lines.

    Some of the people to train on are kept out of finetuning. The answers about them choose the temperature and the
    threshold, and the share of right answers among them is printed at the end. The held-out facts are for attnlab
    knowledge evaluate. With RUN, the facts, the model and the recipe are those of RUN, and the defaults differ: attnlab
    knowledge finetune RUN --help lists them.

    Example: attnlab knowledge finetune people-read --steps 5 --out people-asked
    """

    run_folder: Positional[Annotated[str, shown("[RUN]")]] = ""
    """The folder of a pretrained run; without it, finetuning begins with random weights."""
    facts: Annotated[str, shown("FACTS")] = ""
    """Without RUN: biographies (default), birthplaces, or a folder."""
    calibration: Annotated[float | None, shown("SHARE")] = None
    """The share of the people to train on who are kept out (default: 0.2 with the recipe quick, else 0.1)."""

    def course(self, **changes: Any) -> Any:
        """The recipe's course of finetuning; the recipe is that of the pretrained run, unless another is given."""
        from attnlab.benches.knowledge import finetuning

        given = {"facts": self.facts, "calibration": self.calibration, **changes} if changes else {}
        return finetuning(self.run_folder, self.recipe, **given)

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes and the objectives."""
        objectives = listed_objectives(answers=True)
        return {"recipes": listed_recipes(), "objectives (answer or recited-answer must be among them)": objectives}

    def begin(self) -> Record:
        """Finetune, and measure how often the model is right about people who were kept out."""
        from attnlab.benches.knowledge import finetune

        return finetune(self.changed_course(), self.out, TerminalObserver())

    def continued(self, run: Path) -> Record:
        """Continue a stopped finetuning."""
        from attnlab.benches.knowledge import resume

        return resume(run, TerminalObserver(), "finetune")
