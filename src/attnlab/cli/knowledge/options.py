"""What the commands of the knowledge bench share: reading objectives, settings that were typed, and lists for the
help."""

import dataclasses
from typing import Any

from attnlab.cli.parsing import Words
from attnlab.errors import ArgumentError

TYPED = "NAME=SHARE with commas between, such as span=1,recital=0.5"
BESIDE_RESUME = {"resume", "json", "html", "plot"}
"""Options that may stand beside --resume."""


def read_objectives(text: str) -> dict[str, float] | None:
    """Objectives with their shares as they are typed; None if nothing is.

    >>> read_objectives("span=1, recital=0.5"), read_objectives("answer"), read_objectives("")
    ({'span': 1.0, 'recital': 0.5}, {'answer': 1.0}, None)
    """
    found: dict[str, float] = {}
    for item in text.split(",") if text else ():
        name, equals, share = (part.strip() for part in item.partition("="))
        if not name:
            raise ArgumentError("objectives", f"expected {TYPED}; got {text!r}")
        if name in found:
            raise ArgumentError("objectives", f"expected each objective once, got {name} twice")
        try:
            found[name] = float(share) if equals else 1.0
        except ValueError:
            raise ArgumentError("objectives", f"expected {TYPED}; got {item.strip()!r}") from None
    return found or None


def typed(group: str, usual: Any, words: Words) -> dict[str, Any]:
    """The settings of a group that were typed, by name."""
    from attnlab.benches.knowledge.configuring import typed_changes

    return typed_changes(usual, words.get(group, {}), group)


def check_alone(command: Any) -> None:
    """Raise if --resume stands beside other settings: a run goes on with its own."""
    given = {
        each.name
        for each in dataclasses.fields(command)
        if each.name != "words" and getattr(command, each.name) != each.default
    }
    if given - BESIDE_RESUME or any(command.words.values()):
        raise ArgumentError("resume", "expected no other settings beside it: the run goes on with its own")


def listed_recipes() -> dict[str, str]:
    """The recipes, and what each is about."""
    from attnlab.training.facts.recipes import RECIPES

    return {name: RECIPES.about(name) for name in RECIPES}


def listed_objectives(*, answers: bool) -> dict[str, str]:
    """The objectives, and what is learnt by each; those that need answers only if they are asked for."""
    from attnlab.training.facts.objectives import OBJECTIVES, ON_ANSWERS, about

    return {name: about(name) for name in OBJECTIVES if answers or name not in ON_ANSWERS}
