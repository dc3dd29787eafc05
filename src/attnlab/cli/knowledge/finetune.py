"""attnlab knowledge finetune: facts out of a model again, by questions."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import tyro
from tyro.conf import Positional, arg

from attnlab.cli.knowledge.options import check_alone, listed_objectives, listed_recipes, read_objectives, typed
from attnlab.cli.parsing import WithSettings, Words
from attnlab.progress import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.knowledge import Course, Finetuned


@dataclass(frozen=True)
class Finetune(WithSettings):
    """Teach a pretrained model to answer questions; without one, a model that has read no lines.

    Some of the people to train on are kept out: by the answers about them the temperature and the threshold are chosen,
    and how often these answers are right is told at the end. The held-out facts are left to attnlab knowledge evaluate.
    With RUN, the defaults are others than without: attnlab knowledge finetune RUN --help says which.

    Example: attnlab knowledge finetune people-read --steps 5 --out people-asked
    """

    dotted: ClassVar[tuple[str, ...]] = ("model", "world")

    run_folder: Positional[Annotated[str, arg(metavar="[RUN]", help_behavior_hint="")]] = ""
    """The folder of a pretrained run; without it the model has read nothing before."""
    facts: Annotated[str, arg(metavar="FACTS", help_behavior_hint="")] = ""
    """Without RUN: biographies (default), birthplaces, or a folder."""
    recipe: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = ""
    """All settings by one name, listed below; else that of the pretrained run, or quick."""
    people: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """Without RUN: how many people there are in the biographies (default: 100)."""
    distractors: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """Without RUN: how many other places than the birthplace each line of the biographies names, 0 to 2 (default:
    0)."""
    objectives: Annotated[str, arg(metavar="NAME=SHARE,…", help_behavior_hint="")] = ""
    """What is learnt, and how much of each: answer or recited-answer must be among them; else as the recipe says. They
    are listed below."""
    calibration: Annotated[float | None, arg(metavar="SHARE", help_behavior_hint="")] = None
    """The share of the people to train on who are kept out (default: 0.2 with quick, else 0.1)."""
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The run's folder, new or empty; else one under runs/ that is named after the time."""
    resume: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """Go on with a run that was stopped, from its last checkpoint."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the loss curve to this file: .png, .svg or .html."""
    words: Annotated[Words, tyro.conf.Suppress] = field(default_factory=dict)
    json: bool = False
    """Print one JSON value instead of lines."""

    @classmethod
    def plain(cls) -> type:
        """The options of training have no dot."""
        from attnlab.training.settings import Training

        return Training

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings of the recipe, which is that of the pretrained run; and without a run, the model and the
        generated world."""
        base = self._base()
        training = {"": {"options of training": base.lesson.training}}
        if self.run_folder:
            return training
        return training | {
            "model": {"options of the model": base.model},
            "world": {"options of the generated biographies": base.facts.world},
        }

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes and the objectives."""
        return {"recipes": listed_recipes(), "objectives": listed_objectives(answers=True)}

    def run(self) -> Finetuned:
        """Finetune, and say how often it is right about people who were kept out."""
        from attnlab.benches.knowledge import Finetuned, finetune, resume

        if self.resume is None:
            return finetune(self.course(), self.out, TerminalObserver())
        check_alone(self)
        found = resume(self.resume, TerminalObserver(), "finetune")
        assert isinstance(found, Finetuned)
        return found

    def course(self) -> Course:
        """The recipe, with what was typed."""
        from attnlab.benches.knowledge import finetuning

        base = self._base()
        return finetuning(
            self.run_folder,
            self.recipe,
            facts=self.facts,
            people=self.people,
            distractors=self.distractors,
            world=typed("world", base.facts.world, self.words),
            objectives=read_objectives(self.objectives),
            calibration=self.calibration,
            model=typed("model", base.model, self.words),
            training=typed("", base.lesson.training, self.words),
        )

    def _base(self) -> Course:
        from attnlab.benches.knowledge import finetuning

        return finetuning(self.run_folder, self.recipe)
