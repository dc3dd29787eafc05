"""Knowledge: `al.knowledge.pretrain`, `finetune`, `open`, `people`, `ask`, `evaluate`, `thresholds`, and `run` for
whole sweeps. `al.resume` continues a stopped run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from attnlab.api.options import CourseOptions, SweepOptions, TrainingOptions
from attnlab.arguments import checked
from attnlab.benches import knowledge
from attnlab.benches.knowledge import (
    EvaluatedKnowledge,
    Finetuned,
    KnownModel,
    KnownPeople,
    Pretrained,
    Replies,
    Sweep,
    Thresholds,
)
from attnlab.evaluation.settings import PRECISION, EvaluationSettings
from attnlab.models.devices import find_device
from attnlab.observers import watching
from attnlab.parallel import Workers
from attnlab.settings import Device

__all__ = ["ask", "evaluate", "finetune", "open", "people", "pretrain", "run", "thresholds"]

Settings = Mapping[str, Any]


@checked
def pretrain(
    facts: str = "", *, recipe: str = "", out: str | Path | None = None, **options: Unpack[CourseOptions]
) -> Pretrained:
    """Put facts into a model: pretrain it on lines about people, as `attnlab knowledge pretrain` does.

    Facts are "biographies" (generated, the default), "birthplaces" or a folder. Settings of the model and of the
    generated world are given by name, `model={"width": 64}`, and objectives with their shares, `{"recital": 1}` or
    `"recital=1"`.
    """
    return knowledge.pretrain(knowledge.pretraining(facts, recipe, **_by_argument(options)), out, watching())


@checked
def finetune(
    run: str | Path | Pretrained = "",
    *,
    recipe: str = "",
    facts: str = "",
    calibration: float | None = None,
    out: str | Path | None = None,
    **options: Unpack[CourseOptions],
) -> Finetuned:
    """Teach a pretrained model to answer questions; without a run, a new model that has read no lines. The `.model` of
    the result can be asked and evaluated."""
    place = run.path if isinstance(run, Pretrained) else run
    given = {"facts": facts, "calibration": calibration, **_by_argument(options)}
    return knowledge.finetune(knowledge.finetuning(place, recipe, **given), out, watching())


def _by_argument(options: CourseOptions) -> dict[str, Any]:
    """The options as arguments of `pretraining` and `finetuning`: the settings of training are one of them."""
    own = CourseOptions.__annotations__.keys() - TrainingOptions.__annotations__.keys()
    training = {name: value for name, value in options.items() if name not in own}
    return {name: value for name, value in options.items() if name in own} | {"training": training}


@checked
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
    jobs: int = 0,
    cluster: str = "",
    **options: Unpack[SweepOptions],
) -> Sweep:
    """Pretrain, finetune and ask models of several variants, and compare them in one table: whether a model can answer
    questions depends on how it read the facts. `.model` is the first model of the most accurate row. They train in up
    to `jobs` processes (0: one for each core), or on a Dask `cluster`, "tcp://HOST:8786"."""
    how = {"people": people, "distractors": distractors, "world": world, "model": model, "training": training}
    settings = knowledge.sweeping(facts, recipes, **how, options=options)
    return knowledge.sweep(settings, out, watching(), Workers(jobs, cluster))


@checked
def open(run: str | Path, *, device: Device = "cpu") -> KnownModel:
    """Open a finetuned model, to ask it questions."""
    return knowledge.open_known(run, find_device(device))


@checked
def people(run: str | Path, *, ask: bool = False, precision: float = PRECISION) -> KnownPeople:
    """The people of a finetuned model's world, with the true answers. With `ask`, also the model's own replies."""
    model = knowledge.open_known(run)
    return model.ask_people(precision, watching()) if ask else model.people


@checked
def ask(run: str | Path, *questions: str, precision: float = PRECISION) -> Replies:
    """Ask a finetuned model questions: it gives an answer with a probability, or says that it does not know."""
    return knowledge.ask(run, questions, precision)


@checked
def evaluate(
    run: str | Path | KnownModel, *, precision: float = PRECISION, seed: int = 0, device: Device = "auto"
) -> EvaluatedKnowledge:
    """Measure how much a finetuned model knows, memorised and makes up, on the held-out facts."""
    return knowledge.evaluate(run, EvaluationSettings(precision, seed, device), watching())


@checked
def thresholds(run: str | Path | KnownModel) -> Thresholds:
    """What a finetuned model answers at several thresholds, one for each wanted precision from 50 to 100 %."""
    return knowledge.thresholds(run, watching())
