"""Options and lists that the commands of the knowledge bench share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from tyro.conf import arg

from attnlab.cli.parsing import WithSettings, Words
from attnlab.errors import ArgumentError

if TYPE_CHECKING:
    from attnlab.benches.knowledge import Course

TYPED = "NAME=SHARE with commas between, such as span=1,recital=0.5"


@dataclass(frozen=True)
class CourseCommand(WithSettings):
    """A command that trains a model on facts: `knowledge pretrain` and `knowledge finetune`."""

    dotted: ClassVar[tuple[str, ...]] = ("model", "world")

    recipe: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = ""
    """A recipe: one name for all settings, listed below. Other options change single settings (default: quick)."""
    people: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """How many people the biographies have (default: 100)."""
    distractors: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """How many other places than the birthplace each line of the biographies names, 0 to 2 (default: 0). With
    distractors, the model must understand the line."""
    objectives: Annotated[str, arg(metavar="NAME=SHARE,…", help_behavior_hint="")] = ""
    """What the model learns, and the share of each objective; listed below (default: those of the recipe)."""
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The folder of the run, new or empty (default: a new folder under runs/, named after the time)."""
    resume: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """Continue a stopped run from its last checkpoint."""
    plot: Annotated[Path | None, arg(metavar="FILE", help_behavior_hint="")] = None
    """Write the loss curve to this file: .png, .svg or .html."""
    json: bool = False
    """Print one JSON value instead of lines."""

    @classmethod
    def plain(cls) -> type:
        """The options of training have no dot."""
        from attnlab.training.settings import Training

        return Training

    @abstractmethod
    def base(self) -> Course:
        """The course of the recipe, before other options change it."""

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings of the recipe; without a pretrained run also those of the model and of the generated world."""
        base = self.base()
        training = {"": {"options of training": base.lesson.training}}
        if base.after:
            return training
        return training | {
            "model": {"options of the model": base.model},
            "world": {"options of the generated biographies": base.facts.world},
        }

    def typed_settings(self) -> dict[str, Any]:
        """The options of pretraining and finetuning as they were typed, by their names in Python."""
        base = self.base()
        return {
            "people": self.people,
            "distractors": self.distractors,
            "world": typed("world", base.facts.world, self.words),
            "objectives": read_objectives(self.objectives),
            "model": typed("model", base.model, self.words),
            "training": typed("", base.lesson.training, self.words),
        }


def read_objectives(text: str) -> dict[str, float] | None:
    """Objectives with their shares as they are typed; None for an empty text.

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


def listed_recipes() -> dict[str, str]:
    """The recipes, and a description of each."""
    from attnlab.training.facts.recipes import RECIPES

    return {name: RECIPES.about(name) for name in RECIPES}


def listed_objectives(*, answers: bool) -> dict[str, str]:
    """The objectives, and a description of each; with `answers`, also those that need answers."""
    from attnlab.training.facts.objectives import OBJECTIVES, ON_LINES, about

    return {name: about(name) for name in (OBJECTIVES if answers else ON_LINES)}
