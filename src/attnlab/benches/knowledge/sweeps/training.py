"""Run a sweep: train every variant with every seed, each model in its own folder, or resume a stopped sweep."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from attnlab.benches.knowledge.answers import measure_model, threshold_people
from attnlab.benches.knowledge.courses import BegunCourse, Course, begin_course, operations, warn_if_long
from attnlab.benches.knowledge.lessons import Finetuned, Pretrained, resume
from attnlab.benches.knowledge.sweeps.plan import SweepPlan, read_plan
from attnlab.benches.knowledge.sweeps.settings import SweepSettings, SweepVariant
from attnlab.benches.knowledge.sweeps.table import ModelNotes, Sweep, SweepModel, SweepRow, read_model
from attnlab.benches.knowledge.teaching import PreparedFacts, TaughtModel, check_lesson, prepare_facts, teach_model
from attnlab.benches.lifecycle import Place, beginning, check_data, continuing, going, new_place, planning
from attnlab.benches.several import finished_runs, train_the_others
from attnlab.benches.stepwise import watched
from attnlab.data.facts.sources import OpenedFacts
from attnlab.errors import ArgumentError, DivergedError
from attnlab.evaluation.knowledge.answers import accuracy, knowable
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.models.kinds import parameter_count
from attnlab.models.matching import parameters
from attnlab.parallel import ONE_CORE, ONE_WORKER, Task, Workers
from attnlab.progress import SILENT, Observer
from attnlab.runs.folder import Run
from attnlab.runs.knowledge import save_kept_out, save_memorised
from attnlab.training.loop import Hooks
from attnlab.training.processes import Process, this_process
from attnlab.training.speed import with_precision
from attnlab.training.threads import threads_of, using_threads

RUN = "knowledge run"


@dataclass(frozen=True)
class _Sweeping:
    """The data that all models of a sweep share."""

    settings: SweepSettings
    opened: OpenedFacts
    place: Path
    process: Process
    observer: Observer
    prepared: dict[tuple[str, str, int], PreparedFacts] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """What another process gets: it has an observer of its own, and prepares the facts of its own models."""
        return {**self.__dict__, "observer": SILENT, "prepared": {}}

    def ready(self, variant: SweepVariant, seed: int) -> PreparedFacts:
        """The prepared facts for a model; the variants of a recipe share them."""
        key = (variant.recipe_name, variant.mixer, seed)
        if key not in self.prepared:
            facts = self.opened.facts.split(variant.recipe.kept_out, seed)
            self.prepared[key] = prepare_facts(facts, variant.recipe.tokens, variant.recipe.model, variant.mixer)
        return self.prepared[key]

    def planned(self, variant: SweepVariant, seed: int) -> BegunCourse:
        """The content of a model's config.json, by the plan."""
        *earlier, last = variant.lessons
        training = with_precision(last.training, self.process.device)
        lesson = replace(last, training=replace(training, seed=seed))
        ready, recipe = self.ready(variant, seed), variant.recipe
        given = (variant.recipe_name, recipe.tokens, ready.shape, lesson, recipe.kept_out)
        course = Course("finetune", self.settings.facts, *given)
        return begin_course(course, self.opened, ready.tokens, tuple(earlier))

    def models(self) -> dict[str, tuple[SweepVariant, int]]:
        """Every model, a variant and a seed, by the name of its folder."""
        variants, seeds = self.settings.all_variants(), self.settings.all_seeds
        return {variant.folder(seed): (variant, seed) for variant in variants for seed in seeds}


def sweep(
    settings: SweepSettings, out: Path | str | None = None, observer: Observer = SILENT, workers: Workers = ONE_WORKER
) -> Sweep:
    """Train every variant with every seed, in subfolders of `out` or of a new folder under runs/, and compare them."""
    opened = settings.facts.open()
    place = new_place(out, "knowledge")
    _check_split(settings, opened)
    with _one_process(settings) as process:
        sweeping = _Sweeping(settings, opened, place.path, process, observer)
        _check_memory(sweeping)
        _warn(sweeping, {})
        with planning(place, SweepPlan(settings, opened.sha256).to_dict()) as path:
            return _swept(_Sweeping(settings, opened, path, process, observer), {}, workers)


def resume_sweep(path: Path | str, observer: Observer = SILENT, workers: Workers = ONE_WORKER) -> Sweep:
    """Continue a stopped sweep: train only the models that are not finished."""
    place = Path(path)
    plan = read_plan(place)
    opened = plan.settings.facts.open()
    check_data(Run(place), plan.sha256, opened.sha256, plan.settings.facts.name)
    _check_split(plan.settings, opened)
    with _one_process(plan.settings) as process:
        sweeping = _Sweeping(plan.settings, opened, place, process, observer)
        _check_memory(sweeping)
        with continuing(Run(place)):
            done = _finished(sweeping)
            _warn(sweeping, done)
            return _swept(sweeping, done, workers)


def resume_any(
    path: Path | str, observer: Observer = SILENT, workers: Workers = ONE_WORKER
) -> Pretrained | Finetuned | Sweep:
    """Continue what is in a folder: a stopped run of one lesson, or a stopped sweep."""
    is_run = (Path(path) / "config.json").exists()
    return resume(path, observer) if is_run or not Path(path).is_dir() else resume_sweep(path, observer, workers)


@contextmanager
def _one_process(settings: SweepSettings) -> Iterator[Process]:
    with this_process(settings.device) as process:
        if process.ranks > 1:
            raise ArgumentError("device", f"expected one process for many small models, got {process.ranks}")
        yield process


def _swept(sweeping: _Sweeping, done: dict[str, SweepModel], workers: Workers) -> Sweep:
    """Train the models of a planned sweep that are not done, and compare all of them."""
    place, facts = sweeping.place, sweeping.opened.facts
    rows = _rows(sweeping, done, workers)
    held_against = (facts.baseline(), facts.commonest, facts.ceiling())
    found = Sweep(place, sweeping.settings, len(facts.held_out), *held_against, tuple(rows))
    Run(place).finish(found.to_dict())
    return found


def _rows(sweeping: _Sweeping, done: dict[str, SweepModel], workers: Workers) -> list[SweepRow]:
    """The rows of the table. Each row is shown when its models are finished."""
    settings, observer = sweeping.settings, sweeping.observer
    models = {name: (each, _cost(sweeping, *each)) for name, each in sweeping.models().items()}
    tasks = [Task(name, (sweeping, *each), seconds, threads) for name, (each, (threads, seconds)) in models.items()]
    shown: dict[str, SweepRow] = {}

    def show() -> None:
        _show_rows(settings.all_variants(), settings.all_seeds, done, shown, observer)

    show()
    how = (observer, workers)
    train_the_others(sweeping.place, RUN, tasks, done, _trained, *how, of="models", ended=show)
    return [shown[variant.folder(settings.seed)] for variant in settings.all_variants()]


def _show_rows(
    variants: Sequence[SweepVariant],
    seeds: range,
    done: Mapping[str, SweepModel],
    shown: dict[str, SweepRow],
    observer: Observer,
) -> None:
    """Show the rows whose models are all finished, each once."""
    for variant in variants:
        names, first = [variant.folder(seed) for seed in seeds], variant.folder(seeds[0])
        if first not in shown and all(name in done for name in names):
            row = SweepRow(variant.name, variant.recipe_name, variant.mixer, tuple(done[name] for name in names))
            shown[first] = row
            observer.say(f"{row.variant}, {row.mixer}: {row.accuracy_words} in {row.seconds:.0f} seconds")


def _cost(sweeping: _Sweeping, variant: SweepVariant, seed: int) -> tuple[int | None, float]:
    """The threads that a model uses, whatever the number of processes, and about how many seconds it takes on one
    core."""
    work, size = _operations(sweeping, variant, seed)
    return threads_of(size, sweeping.process.device.type), work / ONE_CORE


def _operations(sweeping: _Sweeping, variant: SweepVariant, seed: int) -> tuple[float, int]:
    """The approximate number of operations of a model's lessons, and its parameters."""
    ready = sweeping.ready(variant, seed)
    size = parameters(ready.shape, ready.tokenizer.size)
    return sum(operations(lesson, ready.shape.context, size) for lesson in variant.lessons), size


def _check_split(settings: SweepSettings, opened: OpenedFacts) -> None:
    """Raise if no person can be kept out of finetuning."""
    try:
        opened.facts.split()
    except ArgumentError as error:
        raise ArgumentError("people" if settings.facts.people else "FACTS", error.message) from error


def _check_memory(sweeping: _Sweeping) -> None:
    """Raise if a lesson of a model cannot fit into memory."""
    for variant, seed in sweeping.models().values():
        ready = sweeping.ready(variant, seed)
        for lesson in variant.lessons:
            check_lesson(ready.shape, ready.tokenizer.size, lesson, sweeping.process)


def _finished(sweeping: _Sweeping) -> dict[str, SweepModel]:
    """The finished models, by folder. Raises if one is damaged: this is checked before the first training."""
    models = sweeping.models()

    def read(run: Run) -> SweepModel:
        run.best().tensors()  # raises if the weights are damaged
        return read_model(run, models[run.path.name][1])

    return finished_runs(sweeping.place, {name: sweeping.planned(*each) for name, each in models.items()}, read)


def _warn(sweeping: _Sweeping, done: Mapping[str, SweepModel]) -> None:
    """Warn if training the models takes long."""
    work = sum(
        _operations(sweeping, variant, seed)[0]
        for name, (variant, seed) in sweeping.models().items()
        if name not in done
    )
    warn_if_long(work, sweeping.process.device.type, sweeping.observer)


def _trained(sweeping: _Sweeping, variant: SweepVariant, seed: int, observer: Observer) -> SweepModel:
    """Train and measure one model, in this process or in another one."""
    sweeping = replace(sweeping, observer=observer)
    began, opened, ready = perf_counter(), sweeping.opened, sweeping.ready(variant, seed)
    path = sweeping.place / variant.folder(seed)
    if path.exists():  # training of this model was stopped: start it again
        shutil.rmtree(path)
    planned = sweeping.planned(variant, seed).config
    with (
        using_threads(_cost(sweeping, variant, seed)[0]),
        beginning(Place(path), planned, sweeping.process, ready.tokenizer) as run,
    ):
        with going(run, rates="--training.rate or --training.muon-rate"):
            taught = _taught(sweeping, variant, seed, run)
        kept_out = taught.knower.answers(threshold_people(ready.facts))
        save_kept_out(run, [asdict(each) for each in kept_out])
        save_memorised(run, taught.memorised)
        asked = {"precision": sweeping.settings.precision, "seed": seed, "observer": sweeping.observer}
        knowledge, remarks = measure_model(taught.knower, opened, kept_out, taught.memorised, **asked)
        size, right = parameter_count(taught.knower.model), accuracy(knowable(kept_out))
        notes = ModelNotes(seed, size, round(perf_counter() - began, 3), right, tuple(remarks))
        found = SweepModel(run.path, notes, knowledge)
        run.finish(found.to_dict())
    return found


def _taught(sweeping: _Sweeping, variant: SweepVariant, seed: int, run: Run) -> TaughtModel:
    """Teach a model its lessons. Only the last lesson saves a checkpoint."""
    facts, process = sweeping.opened.facts, sweeping.process
    with sweeping.observer.task("training", total=1.0) as task:

        def hooks(knower: Knower, number: int) -> Hooks:
            before = sum(lesson.training.steps for lesson in variant.lessons[:number])
            found = watched(run, variant.lessons[number].training, process, task, knower.model, before)
            return found if number == len(variant.lessons) - 1 else replace(found, save=lambda state: None)

        try:
            return teach_model(facts, sweeping.ready(variant, seed), variant.lessons, process, seed=seed, hooks=hooks)
        except DivergedError as error:
            error.args = (f"{variant.folder(seed)}: {error}",)
            raise
