"""attnlab recipes: the recipes for language models, and every setting of one of them."""

from typing import Annotated

from tyro.conf import Positional

from attnlab.cli.command import Command, command, shown
from attnlab.records import Record


@command
class Recipes(Command):
    """The recipes for language models; with a NAME, every setting of the recipe and an estimate of its time.

    The estimate is for this machine. It comes from a short burst of the recipe's operations, and leaves out the time
    for reading and scoring the text. `attnlab train --dry-run` shows the same for any other options.

    Example: attnlab recipes quick
    """

    recipe: Positional[Annotated[str, shown("[NAME]")]] = ""
    """A recipe (default: a list of all)."""

    def run(self) -> Record:
        """The list, or the settings."""
        from attnlab.benches.language.plans import recipes

        return recipes(self.recipe)
