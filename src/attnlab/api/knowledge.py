"""Knowledge: `al.knowledge.pretrain`, `finetune`, `resume`, `open`, `ask`, `evaluate`, and `run`, the whole chain."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

from attnlab.api.options import EvaluationOptions, SweepOptions, TrainingOptions
from attnlab.benches import knowledge
from attnlab.benches.knowledge import (
    Evaluated,
    EvaluationSettings,
    Finetuned,
    KnownModel,
    Pretrained,
    Replies,
    Sweep,
    SweepSettings,
)
from attnlab.benches.knowledge.models import PRECISION
from attnlab.data.facts.sources import GENERATED, FactSource
from attnlab.errors import FileError
from attnlab.progress import watching
from attnlab.settings import read

__all__ = ["ask", "evaluate", "finetune", "open", "pretrain", "resume", "run"]

Settings = Mapping[str, Any]


def pretrain(
    facts: str = "",
    *,
    recipe: str = "",
    people: int | None = None,
    distractors: int | None = None,
    world: Settings | None = None,
    objectives: Mapping[str, float] | None = None,
    model: Settings | None = None,
    out: str | Path | None = None,
    **training: Unpack[TrainingOptions],
) -> Pretrained:
    """Put facts into a model: pretrain it on lines about people, as `attnlab knowledge pretrain` does.

    Facts are "biographies" (generated, the default), "birthplaces" or a folder. Settings of the model and of the
    generated world are given by name: `model={"width": 64}`; objectives with their shares: `{"recital": 1}`.
    """
    course = knowledge.pretraining(
        facts,
        recipe,
        people=people,
        distractors=distractors,
        world=world,
        objectives=objectives,
        model=model,
        training=training,
    )
    return knowledge.pretrain(course, out, watching())


def finetune(
    run: str | Path | Pretrained = "",
    *,
    recipe: str = "",
    facts: str = "",
    people: int | None = None,
    distractors: int | None = None,
    world: Settings | None = None,
    objectives: Mapping[str, float] | None = None,
    calibration: float | None = None,
    model: Settings | None = None,
    out: str | Path | None = None,
    **training: Unpack[TrainingOptions],
) -> Finetuned:
    """Teach a pretrained model to answer questions; without a run, a model that has read no lines. Its `.model` can be
    asked and evaluated."""
    course = knowledge.finetuning(
        run.path if isinstance(run, Pretrained) else run,
        recipe,
        facts=facts,
        people=people,
        distractors=distractors,
        world=world,
        objectives=objectives,
        calibration=calibration,
        model=model,
        training=training,
    )
    return knowledge.finetune(course, out, watching())


def run(
    facts: str = "",
    *,
    people: int | None = None,
    distractors: int | None = None,
    world: Settings | None = None,
    recipes: str | Sequence[str] = "quick",
    model: Settings | None = None,
    training: Settings | None = None,
    out: str | Path | None = None,
    **options: Unpack[SweepOptions],
) -> Sweep:
    """Pretraining, finetuning and questions for several variants, with one table at the end: whether a model can be
    asked for what it read depends on how it read. `.model` is the most accurate model of the table."""
    settings = replace(
        read(SweepSettings, options),
        facts=FactSource.of(facts or GENERATED, people, distractors, world),
        recipes=(recipes,) if isinstance(recipes, str) else tuple(recipes),
        model=dict(model or {}),
        training=dict(training or {}),
    )
    return knowledge.sweep(settings, out, watching())


def resume(run: str | Path) -> Pretrained | Finetuned | Sweep:
    """Go on with a run, or a table of runs, that was stopped."""
    folder = Path(run)
    if not folder.is_dir():
        raise FileError(folder, "expected the folder of a run that was stopped")
    return (knowledge.resume if (folder / "config.json").exists() else knowledge.resume_sweep)(folder, watching())


def open(run: str | Path, *, device: str = "cpu") -> KnownModel:  # the verb that people expect
    """Open a finetuned model, to be asked."""
    return knowledge.open_known(run, device)


def ask(run: str | Path, *questions: str, precision: float = PRECISION) -> Replies:
    """The answers of a finetuned model to questions, each with its probability, or that it does not know."""
    return knowledge.ask(run, questions, precision)


def evaluate(run: str | Path | KnownModel, **options: Unpack[EvaluationOptions]) -> Evaluated:
    """What a finetuned model knows, what it memorised but does not tell, and what it makes up."""
    return knowledge.evaluate(run, read(EvaluationSettings, options), watching())
