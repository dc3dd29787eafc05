"""attnlab knowledge pretrain: facts into a model."""

from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional

from attnlab.cli.command import command, shown
from attnlab.cli.knowledge.options import CourseCommand, listed_objectives, listed_recipes
from attnlab.observers import TerminalObserver
from attnlab.records import Record


@command
class Pretrain(CourseCommand):
    """Put facts into a model: pretrain it on lines about people.

    The folder of the run holds config.json, metrics.jsonl, the tokenizer and the last checkpoint. Ctrl-C saves the run
    and prints the command that continues it. A folder of facts has three files. Each line of lines.txt begins with the
    person: `Name. …`. Each line of training.tsv and held_out.tsv has a question, a tab and an answer.

    Example: attnlab knowledge pretrain biographies --people 20 --steps 20 --out first-lines
    """

    facts: Positional[Annotated[str, shown("[FACTS]")]] = ""
    """biographies (the default: generated, no download), birthplaces, or a folder."""

    def course(self, **changes: Any) -> Any:
        """The recipe's course of pretraining."""
        from attnlab.benches.knowledge import pretraining

        return pretraining(self.facts, self.recipe, **changes)

    def listed(self) -> dict[str, dict[str, str]]:
        """The recipes and the objectives."""
        return {"recipes": listed_recipes(), "objectives": listed_objectives(answers=False)}

    def begin(self) -> Record:
        """Pretrain, and measure how many lines the model memorised."""
        from attnlab.benches.knowledge import pretrain

        return pretrain(self.changed_course(), self.out, TerminalObserver())

    def continued(self, run: Path) -> Record:
        """Continue a stopped pretraining."""
        from attnlab.benches.knowledge import resume

        return resume(run, TerminalObserver(), "pretrain")
