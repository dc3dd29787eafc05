"""attnlab knowledge pretrain: facts into a model."""

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
    from attnlab.benches.knowledge import Course, Pretrained


@dataclass(frozen=True)
class Pretrain(WithSettings):
    """Put facts into a model: pretrain it on lines about people.

    The run's folder holds config.json, metrics.jsonl, the tokenizer and the last checkpoint. Ctrl-C saves and says how
    to go on. A folder of facts has lines.txt (`Name. …` in each line), training.tsv and held_out.tsv (a question, a tab
    and an answer).

    Example: attnlab knowledge pretrain biographies --people 20 --steps 20 --out first-lines
    """

    dotted: ClassVar[tuple[str, ...]] = ("model", "world")

    facts: Positional[Annotated[str, arg(metavar="[FACTS]", help_behavior_hint="")]] = ""
    """biographies (default: generated, no download), birthplaces, or a folder."""
    recipe: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = ""
    """All settings by one name, which other options change; they are listed below (default: quick)."""
    people: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """How many people there are in the biographies (default: 100)."""
    distractors: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """How many other places than the birthplace each line of the biographies names, 0 to 2 (default: 0): with some, a
    line must be understood."""
    objectives: Annotated[str, arg(metavar="NAME=SHARE,…", help_behavior_hint="")] = ""
    """What is learnt, and how much of each; else as the recipe says. They are listed below."""
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
        """The settings of the recipe, and the generated world."""
        from attnlab.benches.knowledge import pretraining

        base = pretraining(recipe=self.recipe)
        return {
            "": {"options of training": base.lesson.training},
            "model": {"options of the model": base.model},
            "world": {"options of the generated biographies": base.facts.world},
        }

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes and the objectives."""
        return {"recipes": listed_recipes(), "objectives": listed_objectives(answers=False)}

    def run(self) -> Pretrained:
        """Pretrain, and say how much is memorised."""
        from attnlab.benches.knowledge import Pretrained, pretrain, resume

        if self.resume is None:
            return pretrain(self.course(), self.out, TerminalObserver())
        check_alone(self)
        found = resume(self.resume, TerminalObserver(), "pretrain")
        assert isinstance(found, Pretrained)
        return found

    def course(self) -> Course:
        """The recipe, with what was typed."""
        from attnlab.benches.knowledge import pretraining

        base = pretraining(recipe=self.recipe)
        return pretraining(
            self.facts,
            self.recipe,
            people=self.people,
            distractors=self.distractors,
            world=typed("world", base.facts.world, self.words),
            objectives=read_objectives(self.objectives),
            model=typed("model", base.model, self.words),
            training=typed("", base.lesson.training, self.words),
        )
