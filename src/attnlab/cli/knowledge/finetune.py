"""attnlab knowledge finetune: facts out of a model again, by questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from attnlab.cli.knowledge.options import CourseCommand, listed_objectives, listed_recipes
from attnlab.observers import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.knowledge import Course, Finetuned


@dataclass(frozen=True)
class Finetune(CourseCommand):
    """Teach a pretrained model to answer questions; without RUN, a new model that has read no lines.

    Some of the people to train on are kept out of finetuning. The answers about them choose the temperature and the
    threshold, and the share of right answers among them is printed at the end. The held-out facts are for attnlab
    knowledge evaluate. With RUN, the facts, the model and the recipe are those of RUN, and the defaults differ: attnlab
    knowledge finetune RUN --help lists them.

    Example: attnlab knowledge finetune people-read --steps 5 --out people-asked
    """

    run_folder: Positional[Annotated[str, arg(metavar="[RUN]", help_behavior_hint="")]] = ""
    """The folder of a pretrained run; without it, finetuning begins with random weights."""
    facts: Annotated[str, arg(metavar="FACTS", help_behavior_hint="")] = ""
    """Without RUN: biographies (default), birthplaces, or a folder."""
    calibration: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="")] = None
    """The share of the people to train on who are kept out (default: 0.2 with the recipe quick, else 0.1)."""

    def base(self) -> Course:
        """The recipe's course of finetuning; the recipe is that of the pretrained run, unless another is given."""
        from attnlab.benches.knowledge import finetuning

        return finetuning(self.run_folder, self.recipe)

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes and the objectives."""
        objectives = listed_objectives(answers=True)
        return {"recipes": listed_recipes(), "objectives (answer or recited-answer must be among them)": objectives}

    def run(self) -> Finetuned:
        """Finetune, and measure how often the model is right about people who were kept out."""
        from attnlab.benches.knowledge import Finetuned, finetune, finetuning, resume

        if self.resume is None:
            given = {"facts": self.facts, "calibration": self.calibration, **self.typed_settings()}
            return finetune(finetuning(self.run_folder, self.recipe, **given), self.out, TerminalObserver())
        self.check_alone()
        found = resume(self.resume, TerminalObserver(), "finetune")
        assert isinstance(found, Finetuned)
        return found
