"""Several variants through the whole chain, each model in a folder of its own, and the table of them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from attnlab.claims.knowledge_chain import asides, judged, mixed, never_asked, taught
from attnlab.cli.knowledge_answers import without_strangers
from attnlab.cli.knowledge_course import Course, cost, run_config, say_before
from attnlab.cli.knowledge_lesson import lost
from attnlab.cli.knowledge_plan import OPTIONS, Plan, finished
from attnlab.cli.knowledge_result import write_result
from attnlab.cli.knowledge_rows import in_short, row_of, tell_trials
from attnlab.cli.outcome import Outcome, progress_bar
from attnlab.data.facts.sources import FactSource, OpenedFacts
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.knowledge.answers import accuracy, knowable
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.models.kinds import parameter_count
from attnlab.models.matching import parameters
from attnlab.models.transformer_config import Mixing
from attnlab.runs.folder import Run, check_new, free_path, new_run
from attnlab.runs.knowledge import save_kept_out, save_memorised
from attnlab.text import save_tokenizer
from attnlab.training.facts.fact_tokens import make_fact_tokens, texts_of
from attnlab.training.facts.lessons import Lesson
from attnlab.training.facts.recipes import KnowledgeRecipe
from attnlab.training.loop import Hooks, Look
from attnlab.training.processes import Process, this_process
from attnlab.training.state import State

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from attnlab.cli.knowledge_run import KnowledgeRun


@dataclass(frozen=True)
class Trial:
    """A row of the table: a variant of a recipe with a mixer."""

    name: str
    recipe_name: str
    recipe: KnowledgeRecipe
    lessons: tuple[Lesson, ...]
    mixer: Mixing


@dataclass(frozen=True)
class Bench:
    """What all trials share: the facts, where the runs are put, and the bar that shows how far they are."""

    source: FactSource
    told: OpenedFacts
    place: Path
    precision: float
    process: Process
    bar: Progress
    task: TaskID


def run_trials(source: FactSource, trials: Sequence[Trial], asked: KnowledgeRun, plan: Plan | None) -> Outcome:
    """Train every trial with every seed, and tell; of a plan, those that were not finished."""
    told = source.open()
    if plan and plan.sha256 != told.sha256:
        raise FileError(asked.resume or "", f"expected {source.name} as it was; it has changed since the run began")
    try:
        told.facts.split()
    except ArgumentError as error:
        raise ArgumentError("people" if source.people else "FACTS", error.message) from error
    place = asked.resume or asked.out or free_path(Path("runs") / f"knowledge-{datetime.now():%Y-%m-%d-%H%M%S}")
    if plan is None:
        check_new(place)
    seeds = range(asked.seed, asked.seed + asked.seeds)
    rows = []
    with this_process(asked.device) as process, progress_bar() as bar:
        if process.ranks > 1:
            raise ArgumentError("device", f"expected one process for many small models, got {process.ranks}")
        _check(told, trials, len(seeds), process)
        if plan is None:
            Plan({name: getattr(asked, name) for name in OPTIONS}, told.sha256).save(place)
        steps = len(seeds) * sum(lesson.training.steps for trial in trials for lesson in trial.lessons)
        bench = Bench(source, told, place, asked.precision, process, bar, bar.add_task("", total=steps))
        for trial in trials:
            try:
                rows.append(row_of(trial, [_tried(bench, trial, seed) for seed in seeds]))
            except KeyboardInterrupt:
                print(f"stopped; go on: attnlab knowledge run --resume {place}", file=sys.stderr)
                raise
            if not bar.disable:
                bar.console.print(in_short(rows[-1]), markup=False, highlight=False)
    value = {
        "runs": str(place),
        "facts": source.as_json(),
        "questions": len(told.facts.held_out),
        "seeds": list(seeds),
        "baseline": told.facts.baseline(),
        "commonest": told.facts.commonest,
        "ceiling": told.facts.ceiling(),
        "precision": asked.precision,
        "variants": rows,
    }
    write_result(Run(place), value)
    return tell_trials(value, asked.html, asked.plot)


def _check(told: OpenedFacts, trials: Sequence[Trial], seeds: int, process: Process) -> None:
    """Say what is wrong with any trial before the first is begun, and that they take long if they do."""
    operations = 0.0
    for trial in trials:
        tokenizer = trial.recipe.tokens.train(texts_of(told.facts))
        shape = mixed(trial.recipe.model, trial.mixer, tokenizer.size)
        make_fact_tokens(told.facts, tokenizer, shape.context)
        operations += sum(cost(each, shape.context, parameters(shape, tokenizer.size)) for each in trial.lessons)
    say_before(seeds * operations, process.device.type)


def _tried(bench: Bench, trial: Trial, seed: int) -> dict[str, Any]:
    """One trial with one seed; its run has a folder as soon as there is something to put in it."""
    began, told = perf_counter(), bench.told
    run = Run(bench.place / f"{trial.name}-{trial.mixer}-{seed}".replace(" ", "-"))
    if before := finished(run, seed):
        bench.bar.advance(bench.task, sum(lesson.training.steps for lesson in trial.lessons))
        return before
    if run.path.exists():  # it was stopped in the middle of it
        shutil.rmtree(run.path)
    with lost(run):
        found = taught(
            told.facts,
            trial.recipe,
            trial.lessons,
            bench.process,
            mixer=trial.mixer,
            seed=seed,
            hooks=lambda knower, lesson: _hooks(bench, trial, run, knower, lesson),
        )
    if not found.finished:
        raise KeyboardInterrupt
    save_tokenizer(found.knower.tokenizer, run.path / "tokenizer.json")
    save_kept_out(run, [asdict(each) for each in found.kept_out])
    save_memorised(run, found.memorised)
    strangers = never_asked(told.unseen, found.kept_out)
    answers, unseen = (found.knower.answers(each) for each in (told.facts.held_out, strangers))
    measured = judged(
        told.facts, answers, found.memorised, found.kept_out, unseen, precision=bench.precision, seed=seed
    )
    value = {
        "run": str(run.path),
        "seed": seed,
        "parameters": parameter_count(found.knower.model),
        "seconds": round(perf_counter() - began, 3),
        "kept_out": accuracy(knowable(found.kept_out)).as_json(),
        "asides": [*asides(found.knower, told.facts), *without_strangers(told.unseen, strangers)],
        **measured.as_json(),
    }
    write_result(run, value)
    return value


def _hooks(bench: Bench, trial: Trial, run: Run, knower: Knower, lesson: Lesson) -> Hooks:
    """What is written and shown during a lesson; the last one leaves a checkpoint."""
    last = lesson.objectives == trial.lessons[-1].objectives
    before = 0 if len(trial.lessons) == 1 or not last else trial.lessons[0].training.steps
    if not (run.path / "config.json").exists():
        final = Lesson(trial.lessons[-1].objectives, replace(trial.lessons[-1].training, seed=lesson.training.seed))
        recipe, shape = trial.recipe, knower.model.config
        course = Course("finetune", bench.source, trial.recipe_name, recipe.tokens, shape, final, recipe.kept_out)
        config = run_config(course, bench.told, knower.longest or 0)
        new_run(run.path, config | {"earlier": [e.as_json() for e in trial.lessons[:-1]]})

    def looked(look: Look) -> None:
        words = f"{run.path.name}: {'finetuning' if last else 'pretraining'}, loss {look.loss:.4f}"
        bench.bar.update(bench.task, advance=look.step - steps.pop(), description=words)
        steps.append(look.step)
        run.append(asdict(look) | {"step": before + look.step})

    def save(state: State) -> None:
        if last:
            run.save(before + state.step, state.tensors(), {"seconds": state.seconds})

    steps = [0]
    return Hooks(looked=looked, save=save)
