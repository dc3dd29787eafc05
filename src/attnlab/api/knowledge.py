"""Knowledge: `al.knowledge.pretrain`, `finetune`, `resume`, `open`, `ask`, `evaluate`, and `run` for whole sweeps."""

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
from attnlab.observers import watching
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
    generated world are given by name, `model={"width": 64}`, and objectives with their shares, `{"recital": 1}`.
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
    """Teach a pretrained model to answer questions; without a run, a new model that has read no lines. The `.model` of
    the result can be asked and evaluated."""
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
    """Pretrain, finetune and ask models of several variants, and compare them in one table: whether a model can answer
    questions depends on how it read the facts. `.model` is the first model of the most accurate row."""
    settings = replace(
        read(SweepSettings, options),
        facts=FactSource.of(facts or GENERATED, people, distractors, world),
        recipes=(recipes,) if isinstance(recipes, str) else tuple(recipes),
        model=dict(model or {}),
        training=dict(training or {}),
    )
    return knowledge.sweep(settings, out, watching())


def resume(run: str | Path) -> Pretrained | Finetuned | Sweep:
    """Continue a stopped run, or a stopped table of runs."""
    return knowledge.resume_any(run, watching())


def open(run: str | Path, *, device: str = "cpu") -> KnownModel:
    """Open a finetuned model, to ask it questions."""
    return knowledge.open_known(run, device)


def ask(run: str | Path, *questions: str, precision: float = PRECISION) -> Replies:
    """Ask a finetuned model questions: it gives an answer with a probability, or says that it does not know."""
    return knowledge.ask(run, questions, precision)


def evaluate(run: str | Path | KnownModel, **options: Unpack[EvaluationOptions]) -> Evaluated:
    """Measure how much a finetuned model knows, memorised and makes up, on the held-out facts."""
    return knowledge.evaluate(run, read(EvaluationSettings, options), watching())
