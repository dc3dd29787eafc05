"""attnlab recipes: the recipes of every command that trains, and every setting of one of them."""

from typing import Annotated

from tyro.conf import Positional

from attnlab.cli.command import Command, command, shown
from attnlab.records import Record


@command
class Recipes(Command):
    """The recipes of every command that trains; with a NAME, every setting of the recipe.

    A name may stand for recipes of several commands: all are shown. A recipe for a language model comes with an
    estimate of its time on this machine, from a short burst of its operations. The estimate leaves out the time for
    reading and scoring the text. `attnlab train --dry-run` shows the same for any other options.

    Example: attnlab recipes quick
    """

    recipe: Positional[Annotated[str, shown("[NAME]")]] = ""
    """A recipe (default: a list of all)."""

    def run(self) -> Record:
        """The list, or the settings."""
        from attnlab.benches.recipes import recipes

        return recipes(self.recipe)
