"""attnlab knowledge finetune: facts out of a model again, by questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro
from tyro.conf import Positional, arg

from attnlab.cli.knowledge_pretrain import RECIPE, check_alone, explained_options, typed_world
from attnlab.cli.options import Dotted, named_options, take_dotted, typed_value, with_dotted
from attnlab.cli.outcome import Outcome
from attnlab.cli.usage import Adaptive, UsageError
from attnlab.errors import ArgumentError
from attnlab.training.settings import Training

if TYPE_CHECKING:
    from attnlab.cli.knowledge_course import Course


@dataclass(frozen=True)
class KnowledgeFinetune(Adaptive):
    """Teach a pretrained model to answer questions; without one, a model that has read no lines.

    Some of the people to train on are kept out: by what is answered about them the temperature and the threshold are
    chosen, and how often that is right is told at the end. The held-out facts are left to attnlab knowledge evaluate.
    With RUN, the defaults are others than without: attnlab knowledge finetune RUN --help says which.

    Example: attnlab knowledge finetune people-read --steps 5 --out people-asked
    """

    run_folder: Positional[Annotated[str, arg(metavar="[RUN]", help_behavior_hint="")]] = ""
    """The folder of a pretrained run; without it nothing was read before."""
    facts: Annotated[str, arg(metavar="FACTS", help_behavior_hint="")] = ""
    """Without RUN: biographies (default), birthplaces, or a folder."""
    recipe: Annotated[str, arg(metavar="NAME", help_behavior_hint="")] = ""
    """quick, coursework, views or recital; else that of the pretrained run."""
    people: Annotated[int | None, arg(metavar="N", help_behavior_hint="")] = None
    """Without RUN: how many people there are in the biographies (default: 100)."""
    distractors: int = 0
    """Without RUN: how many other places than the birthplace each line of the biographies names, 0 to 2."""
    objectives: Annotated[str, arg(metavar="NAME=SHARE,…", help_behavior_hint="")] = ""
    """What is learnt, and how much of each: answer or recited-answer, reading, and those of pretraining; else as
    the recipe says."""
    calibration: float = 0.0
    """The share of the people to train on who are kept out."""
    out: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """The run's folder, new or empty; else one under runs/ that is named after the time."""
    resume: Annotated[Path | None, arg(metavar="DIR", help_behavior_hint="")] = None
    """Go on with a run that was stopped, from its last checkpoint."""
    training: Training = field(default_factory=Training)
    dotted: Annotated[Dotted, tyro.conf.Suppress] = field(default_factory=dict)
    json: bool = False
    """Print one JSON value instead of lines."""

    @classmethod
    def prepared(cls, arguments: Sequence[str]) -> tuple[list[str], KnowledgeFinetune]:
        """The defaults of the recipe, which is that of the pretrained run, and the dotted options taken out."""
        from attnlab.training.facts.recipes import find_recipe

        rest, dotted = take_dotted(arguments, ("model", "world"))
        run = "" if typed_value(rest, "--resume") else _typed_run(rest)
        recipe = find_recipe(typed_value(rest, "--recipe") or _recipe_of(run))
        lesson = recipe.finetuning if run else recipe.untaught
        return rest, cls(training=lesson.training, calibration=recipe.kept_out, dotted=dotted)

    @classmethod
    def explained(cls, arguments: Sequence[str]) -> str:
        """The options of the model, and of the generated world."""
        return explained_options(typed_value(arguments, "--recipe") or RECIPE)

    def run(self) -> Outcome | None:
        """Finetune, and say how often it is right about people who were kept out."""
        from attnlab.cli.knowledge_lesson import resume_course, start_course

        if self.resume is not None:
            check_alone(self, self.prepared([])[1])
            return resume_course(self.resume, "finetune")
        with named_options(world=typed_world(self.dotted)):
            course = self._after() if self.run_folder else self._untaught()
            with named_options(model=course.model):
                return start_course(course, self.out)

    def _after(self) -> Course:
        """What comes after pretraining: another lesson for the same model."""
        from attnlab.cli.knowledge_course import Course, read_objectives
        from attnlab.runs.knowledge import load_knowledge
        from attnlab.training.facts.lessons import Lesson
        from attnlab.training.facts.recipes import find_recipe

        before = load_knowledge(self.run_folder, "pretrain")
        for option, typed in (("facts", self.facts), ("people", self.people), ("distractors", self.distractors)):
            if typed not in ("", None, 0):
                raise ArgumentError(option, f"expected it without a run; {self.run_folder} has its own facts")
        for group, own in (("model", "shape"), ("world", "facts")):
            for name in self.dotted.get(group, {}):
                option = f"--{group}.{name.replace('_', '-')}"
                raise UsageError(f"{option}: expected it without a run; that one has its own {own}")
        begun = Course.from_json(before.config)
        recipe = find_recipe(self.recipe or begun.recipe)
        shares = read_objectives(self.objectives) if self.objectives else recipe.finetuning.objectives
        lesson, after = Lesson(shares, self.training), str(Path(self.run_folder).resolve())
        name = self.recipe or begun.recipe
        return Course("finetune", begun.source, name, begun.tokens, begun.model, lesson, self.calibration, after)

    def _untaught(self) -> Course:
        """A model that has read nothing."""
        from attnlab.cli.knowledge_course import Course, read_objectives
        from attnlab.data.facts.sources import GENERATED, FactSource
        from attnlab.training.facts.lessons import Lesson
        from attnlab.training.facts.recipes import find_recipe

        recipe = find_recipe(self.recipe or RECIPE)
        shape = with_dotted(recipe.model, self.dotted.get("model", {}), "model", "transformer")
        shares = read_objectives(self.objectives) if self.objectives else recipe.untaught.objectives
        source = FactSource.of(self.facts or GENERATED, self.people, self.distractors, typed_world(self.dotted))
        lesson = Lesson(shares, self.training)
        return Course("finetune", source, self.recipe or RECIPE, recipe.tokens, shape, lesson, self.calibration)


def _typed_run(arguments: Sequence[str]) -> str:
    """The folder of a run among the arguments, if there is one."""
    return next((word for word in arguments if not word.startswith("-") and (Path(word) / "config.json").exists()), "")


def _recipe_of(run: str) -> str:
    """The recipe that a run was pretrained with; what is wrong with the run is said when it is opened."""
    from attnlab.errors import AttnlabError
    from attnlab.runs.folder import Run

    try:
        found = Run(Path(run)).config().get("recipe") if run else None
    except AttnlabError:
        found = None
    return found if isinstance(found, str) else RECIPE
