"""attnlab knowledge pretrain: facts into a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from attnlab.cli.knowledge.options import CourseCommand, listed_objectives, listed_recipes
from attnlab.observers import TerminalObserver

if TYPE_CHECKING:
    from attnlab.benches.knowledge import Course, Pretrained


@dataclass(frozen=True)
class Pretrain(CourseCommand):
    """Put facts into a model: pretrain it on lines about people.

    The folder of the run holds config.json, metrics.jsonl, the tokenizer and the last checkpoint. Ctrl-C saves the run
    and prints the command that continues it. A folder of facts has three files. Each line of lines.txt begins with the
    person: `Name. …`. Each line of training.tsv and held_out.tsv has a question, a tab and an answer.

    Example: attnlab knowledge pretrain biographies --people 20 --steps 20 --out first-lines
    """

    facts: Positional[Annotated[str, arg(metavar="[FACTS]", help_behavior_hint="")]] = ""
    """biographies (the default: generated, no download), birthplaces, or a folder."""

    def base(self) -> Course:
        """The recipe's course of pretraining."""
        from attnlab.benches.knowledge import pretraining

        return pretraining(recipe=self.recipe)

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes and the objectives."""
        return {"recipes": listed_recipes(), "objectives": listed_objectives(answers=False)}

    def run(self) -> Pretrained:
        """Pretrain, and measure how many lines the model memorised."""
        from attnlab.benches.knowledge import Pretrained, pretrain, pretraining, resume

        if self.resume is None:
            course = pretraining(self.facts, self.recipe, **self.typed_settings())
            return pretrain(course, self.out, TerminalObserver())
        self.check_alone()
        found = resume(self.resume, TerminalObserver(), "pretrain")
        assert isinstance(found, Pretrained)
        return found
