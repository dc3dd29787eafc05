"""The course of a run: a recipe, changed by other facts, another model or other training."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attnlab.arguments import checked
from attnlab.benches.knowledge.courses import BegunCourse, Course
from attnlab.data.facts.sources import GENERATED, FactSource
from attnlab.errors import ArgumentError
from attnlab.runs.knowledge import finished_run
from attnlab.settings import changed
from attnlab.training.facts.lessons import Lesson
from attnlab.training.facts.objectives import OBJECTIVES, ON_LINES, check_shares, read_objectives
from attnlab.training.facts.recipes import RECIPES

RECIPE = "quick"

Changes = Mapping[str, Any] | None
"""Settings to change, by name; None changes nothing."""
Shares = str | Mapping[str, float] | None
"""Objectives with their shares, by name or as `span=1,recital=0.5`; None or an empty text for those of the recipe."""


@checked
def pretraining(
    facts: str | FactSource = "",
    recipe: str = "",
    *,
    people: int | None = None,
    distractors: int | None = None,
    world: Changes = None,
    objectives: Shares = None,
    model: Changes = None,
    training: Changes = None,
) -> Course:
    """The course of pretraining of a recipe, changed by the other arguments.

    >>> pretraining(people=50, model={"width": 32}, training={"steps": 20}).lesson.objectives
    {'recital': 0.7, 'next-token': 0.3}
    """
    found = RECIPES.find(recipe or RECIPE)
    lesson = _lesson(found.pretraining, objectives, training, taken=ON_LINES)
    source = _source(facts, people, distractors, world)
    return Course("pretrain", source, recipe or RECIPE, found.tokens, changed(found.model, model, "model"), lesson)


@checked
def finetuning(
    run: str | Path = "",
    recipe: str = "",
    *,
    facts: str | FactSource = "",
    people: int | None = None,
    distractors: int | None = None,
    world: Changes = None,
    objectives: Shares = None,
    calibration: float | None = None,
    model: Changes = None,
    training: Changes = None,
) -> Course:
    """The course of finetuning of a recipe. A pretrained run gives the facts and the model; without a run, finetuning
    begins with random weights."""
    name = recipe or usual_recipe(run)
    found = RECIPES.find(name)
    share = found.kept_out if calibration is None else calibration
    lesson = _lesson(found.finetuning if run else found.untaught, objectives, training)
    if not run:
        source = _source(facts, people, distractors, world)
        return Course("finetune", source, name, found.tokens, changed(found.model, model, "model"), lesson, share)
    given = {"facts": facts or None, "people": people, "distractors": distractors}
    given |= {f"{group}.{each}": True for group, of in (("model", model), ("world", world)) for each in of or {}}
    for option in (option for option, value in given.items() if value is not None):
        own = "model" if option.startswith("model.") else "facts"
        raise ArgumentError(option, f"cannot be given together with a run: {run} has its own {own}")
    before, after = finished_course(run), str(Path(run).resolve())
    return Course("finetune", before.facts.source, name, before.tokens, before.model, lesson, share, after)


def usual_recipe(run: str | Path = "") -> str:
    """The default recipe: that of the pretrained run, or quick without a run."""
    return finished_course(run).recipe if run else RECIPE


def finished_course(run: str | Path) -> BegunCourse:
    """The course of a finished run of pretraining."""
    return finished_run(run, "pretrain")[0].settings(BegunCourse)


def _lesson(usual: Lesson, objectives: Shares, training: Changes, taken: Sequence[str] = tuple(OBJECTIVES)) -> Lesson:
    """The usual lesson with these changes. An error about an unknown objective lists those in `taken`."""
    wanted = read_objectives(objectives) if isinstance(objectives, str) and objectives else objectives
    shares = {name: float(share) for name, share in dict(wanted or usual.objectives).items()}
    check_shares(shares, taken)
    return Lesson(shares, changed(usual.training, training))


def _source(facts: str | FactSource, people: int | None, distractors: int | None, world: Changes) -> FactSource:
    if isinstance(facts, FactSource):
        return facts
    return FactSource.of(facts or GENERATED, people, distractors, world)
