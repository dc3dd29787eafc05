"""Options and lists that the commands of the knowledge bench share."""

from abc import abstractmethod
from typing import Annotated, Any, ClassVar

from attnlab.cli.command import OutFile, TrainingCommand, command, shown


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
        return self.course(**self.facts_settings(), objectives=self.objectives, training=self.typed())

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


def listed_recipes() -> dict[str, str]:
    """The recipes, and a description of each."""
    from attnlab.training.facts.recipes import RECIPES

    return RECIPES.abouts()


def listed_objectives(*, answers: bool) -> dict[str, str]:
    """The objectives, and a description of each; with `answers`, also those that need answers."""
    from attnlab.training.facts.objectives import OBJECTIVES, ON_LINES, about

    return {name: about(name) for name in (OBJECTIVES if answers else ON_LINES)}
