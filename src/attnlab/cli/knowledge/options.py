"""Options and lists that the commands of the knowledge bench share."""

from abc import abstractmethod
from typing import Annotated, Any, ClassVar

from attnlab.cli.command import OutFile, TrainingCommand, command, shown
from attnlab.errors import ArgumentError

TYPED = "NAME=SHARE with commas between, such as span=1,recital=0.5"


@command
class FactsCommand(TrainingCommand):
    """A command that trains models on facts: `knowledge pretrain`, `knowledge finetune` and `knowledge run`."""

    people: Annotated[int | None, shown("N")] = None
    """How many people the biographies have (default: 100)."""
    distractors: Annotated[int | None, shown("N")] = None
    """How many other places than the birthplace each line of the biographies names, 0 to 2 (default: 0). With
    distractors, the model must understand the line."""

    def facts_settings(self) -> dict[str, Any]:
        """The options of the facts and of the model as they were typed, by their names in Python."""
        words = {"world": self.typed("world"), "model": self.typed("model")}
        return {"people": self.people, "distractors": self.distractors, **words}


@command
class CourseCommand(FactsCommand):
    """A command that trains one model on facts: `knowledge pretrain` and `knowledge finetune`."""

    shared: ClassVar[bool] = True
    plain_class: ClassVar[str] = "training.settings:Training"
    dotted: ClassVar[tuple[str, ...]] = ("model", "world")

    recipe: Annotated[str, shown("NAME")] = ""
    """A recipe: one name for all settings, listed below. Other options change single settings (default: quick)."""
    objectives: Annotated[str, shown("NAME=SHARE,…")] = ""
    """What the model learns, and the share of each objective; listed below (default: those of the recipe)."""
    plot: OutFile = None
    """Write the loss curve to this file: .png, .svg or .html."""

    @abstractmethod
    def course(self, **changes: Any) -> Any:
        """The course of the recipe, with changes by name."""

    def changed_course(self) -> Any:
        """The course as it was typed."""
        objectives = read_objectives(self.objectives)
        return self.course(**self.facts_settings(), objectives=objectives, training=self.typed())

    def defaults(self) -> dict[str, dict[str, Any]]:
        """The settings of the recipe; without a pretrained run also those of the model and of the generated world."""
        base = self.course()
        training = {"": {"options of training": base.lesson.training}}
        if base.after:
            return training
        return training | {
            "model": {"options of the model": base.model},
            "world": {"options of the generated biographies": base.facts.world},
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


def listed_recipes() -> dict[str, str]:
    """The recipes, and a description of each."""
    from attnlab.training.facts.recipes import RECIPES

    return RECIPES.abouts()


def listed_objectives(*, answers: bool) -> dict[str, str]:
    """The objectives, and a description of each; with `answers`, also those that need answers."""
    from attnlab.training.facts.objectives import OBJECTIVES, ON_LINES, about

    return {name: about(name) for name in (OBJECTIVES if answers else ON_LINES)}
