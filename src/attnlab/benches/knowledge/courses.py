"""A course: the settings of one run of pretraining or finetuning. The run's config.json holds it."""

from dataclasses import field
from typing import Annotated, Any

from attnlab.calls import Call, Weights
from attnlab.data.facts.facts import Facts
from attnlab.data.facts.sources import PEOPLE, FactSource, HashedSource, OpenedFacts
from attnlab.data.worlds.biographies.biographies import World
from attnlab.errors import ArgumentError
from attnlab.files import path_from_here
from attnlab.models.transformer_config import TransformerConfig
from attnlab.progress import Observer
from attnlab.runs.knowledge import TASK, Stage
from attnlab.settings import Fraction, Range, changes, option_names, settings, write_used
from attnlab.text.settings import AnyTokens
from attnlab.training.facts.fact_tokens import FactTokens
from attnlab.training.facts.lessons import Lesson
from attnlab.training.facts.objectives import ANSWERING, ON_ANSWERS
from attnlab.training.facts.recipes import RECIPES

CPU_SPEED = 1e11
"""The operations per second of a CPU, by order of magnitude."""
LONG = 300
"""Warn above this estimated CPU time, in seconds."""


@settings
class Course:
    """The settings of one lesson: the facts, the model, the objectives and the training."""

    stage: Stage
    facts: FactSource
    recipe: str
    tokens: AnyTokens
    model: TransformerConfig
    lesson: Lesson
    calibration: Fraction = 0.0
    """The share of the people to train on who are kept out of finetuning; 0 for pretraining, which has no questions."""
    after: str = ""
    """The run whose weights training begins with; empty for random weights."""

    def __post_init__(self):
        objectives = self.lesson.objectives
        wrong = [name for name in objectives if name in ON_ANSWERS]
        if self.stage == "pretrain" and wrong:
            raise ArgumentError("objectives", f"{wrong[0]} needs answers: use it in finetune")
        if self.stage == "finetune" and not set(objectives) & set(ANSWERING):
            expected = " or ".join(ANSWERING)
            raise ArgumentError("objectives", f"expected {expected} among the objectives, got {', '.join(objectives)}")

    @property
    def call(self) -> Call:
        """The call that teaches it."""
        recipe = RECIPES.find(self.recipe)
        usual = recipe.pretraining if self.stage == "pretrain" else recipe.finetuning if self.after else recipe.untaught
        given, options = (self.facts.name,), facts_options(self.facts)
        if self.after:
            given, options = (path_from_here(self.after),), {}
        elif self.stage == "finetune":
            given, options = (), {"facts": self.facts.name, **options}
        model = {} if self.after else changes(self.model, recipe.model)
        options |= {**({"model": model} if model else {}), "recipe": self.recipe}
        if self.lesson.objectives != usual.objectives:
            options["objectives"] = Weights(self.lesson.objectives)
        if self.stage == "finetune" and self.calibration != recipe.kept_out:
            options["calibration"] = self.calibration
        return Call(f"knowledge {self.stage}", given, options | changes(self.lesson.training, usual.training))


@settings
class BegunCourse(Course):
    """A course as config.json holds it: with the hash of its facts and the form of its questions."""

    facts: HashedSource
    shapes: tuple[tuple[str, str], ...] = field(kw_only=True)
    """The text before and after the name in the questions to train on."""
    longest_question: Annotated[int, Range(0)] = field(kw_only=True)
    """The most tokens of a question that leave as much room for the answer as in training."""
    earlier: tuple[Lesson, ...] | None = field(default=None, kw_only=True)
    """The lessons before this one, for a model of a sweep: all of its lessons are in one run."""

    def __post_init__(self):
        super().__post_init__()

    @property
    def course(self) -> Course:
        """The course without these additions."""
        own = {name: getattr(self, name) for name in option_names(Course)}
        return Course(**{**own, "facts": self.facts.source})

    @property
    def config(self) -> dict[str, Any]:
        """The content of config.json."""
        written = write_used(self)
        if self.earlier is None:
            del written["earlier"]
        return {"task": TASK, "text": self.facts.name, **written}


def begin_course(
    course: Course, opened: OpenedFacts, tokens: FactTokens, earlier: tuple[Lesson, ...] | None = None
) -> BegunCourse:
    """The course as config.json holds it, from its opened facts and their tokens."""
    facts = HashedSource(**vars(course.facts), sha256=opened.sha256)
    shapes, longest = question_shapes(opened.facts), tokens.longest_question
    given = {**vars(course), "facts": facts}
    return BegunCourse(**given, shapes=shapes, longest_question=longest, earlier=earlier)


def question_shapes(facts: Facts) -> tuple[tuple[str, str], ...]:
    """The text before and after the name in the questions to train on. A question that is only a name has no shape,
    because every question would match it."""
    parts = [fact.question.partition(fact.name) for fact in facts.training if fact.name in fact.question]
    return tuple(shape for shape in dict.fromkeys((before, after) for before, _, after in parts) if any(shape))


def facts_options(source: FactSource) -> dict[str, Any]:
    """The options for a source of facts, without its name."""
    people = {"people": source.people} if source.people not in (0, PEOPLE) else {}
    distractors = {"distractors": source.distractors} if source.distractors else {}
    world = changes(source.world, World())
    return people | distractors | ({"world": world} if world else {})


def operations(lesson: Lesson, context: int, parameters: int) -> float:
    """The approximate number of operations of a lesson."""
    return 6.0 * parameters * lesson.training.steps * lesson.training.batch * context


def warn_if_long(count: float, device: str, observer: Observer) -> None:
    """Warn if the operations take long on a CPU."""
    seconds = count / CPU_SPEED
    if device == "cpu" and seconds > LONG:
        order = f"{seconds / 3600:.0f} hours" if seconds > 5400 else f"{seconds / 60:.0f} minutes"
        observer.warn(f"this takes about {order} on a CPU; a GPU is much faster")
