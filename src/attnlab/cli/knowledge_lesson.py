"""A lesson put together around its run's folder: begun, stopped and gone on with, and what it came to."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from attnlab.claims.knowledge_chain import learn, new_learner, remembered
from attnlab.cli.bars import TrainingBar, training_bar
from attnlab.cli.knowledge_course import Course, cost, run_config, say_before
from attnlab.cli.knowledge_result import tell_lesson
from attnlab.cli.outcome import Outcome
from attnlab.data.facts.facts import Facts
from attnlab.data.facts.sources import OpenedFacts
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.models.kinds import parameter_count
from attnlab.models.transformer import Transformer
from attnlab.runs.checkpoints import Checkpoint
from attnlab.runs.folder import Run, check_new, free_path, new_run, open_run
from attnlab.runs.knowledge import knowledge_config, load_knowledge, save_memorised
from attnlab.text import Tokenizer, load_tokenizer, save_tokenizer
from attnlab.training.facts.fact_tokens import FactTokens, make_fact_tokens, texts_of
from attnlab.training.facts.objectives import check_rows
from attnlab.training.facts.recipes import recites
from attnlab.training.loop import DivergedError, Hooks, Look
from attnlab.training.processes import Process, this_process
from attnlab.training.state import State


@dataclass(frozen=True)
class Ready:
    """A course with all that it takes: the facts as they are split, a model with its tokenizer, and material."""

    course: Course
    told: OpenedFacts
    facts: Facts
    tokenizer: Tokenizer
    model: Transformer
    material: FactTokens


def start_course(course: Course, out: Path | None) -> Outcome | None:
    """Teach the lesson of a new run to its end."""
    with this_process(course.lesson.training.device) as process:
        place = out or free_path(Path("runs") / f"knowledge-{course.stage}-{datetime.now():%Y-%m-%d-%H%M%S}")
        check_new(place)
        ready = _ready(course, process)
        run = Run(place)
        if process.leads:
            run = new_run(place, run_config(course, ready.told, ready.material.longest_question))
            save_tokenizer(ready.tokenizer, run.path / "tokenizer.json")
        return _go(run, ready, process)


def resume_course(path: Path, stage: str) -> Outcome | None:
    """Go on with a lesson that was stopped."""
    run = open_run(path)
    config = knowledge_config(run)
    try:
        course = Course.from_json(config)
    except ArgumentError as error:
        raise FileError(path / "config.json", str(error)) from error
    if "earlier" in config:
        whole = f"attnlab knowledge run --resume {path.parent} goes on with this one"
        raise FileError(path, f"expected a run of one lesson; {whole}")
    if course.stage != stage:
        raise FileError(path, f"expected a run of {stage}; attnlab knowledge {course.stage} --resume goes on with it")
    if (path / "result.json").exists():
        raise FileError(path, "expected a run that was stopped; this one came to its end")
    with this_process(course.lesson.training.device) as process:
        ready = _ready(course, process, load_tokenizer(path / "tokenizer.json"))
        if ready.told.sha256 != config["facts"].get("sha256"):
            raise FileError(path, f"expected {course.source.name} as it was; it has changed since the run began")
        return _go(run, ready, process)


def _ready(course: Course, process: Process, tokenizer: Tokenizer | None = None) -> Ready:
    """What is wrong with a course is said here, before a folder is made for it."""
    check_rows(course.lesson.objectives, course.lesson.training.batch, process.ranks)
    before = load_knowledge(course.after, "pretrain") if course.after else None
    told = before.told() if before else course.source.open()
    seed, facts = course.lesson.training.seed, told.facts
    if course.stage == "finetune":
        try:
            facts = facts.split(course.calibration, seed)
        except ArgumentError as error:
            raise ArgumentError("calibration", error.message) from error
    if before:
        tokenizer, model = before.tokenizer, before.model.to(process.device)
    else:
        tokenizer = tokenizer or course.tokens.train(texts_of(facts))
        model = new_learner(course.model, tokenizer.size, seed, process)
    material = make_fact_tokens(facts, tokenizer, course.model.context)
    return Ready(course, told, facts, tokenizer, model, material)


def _go(run: Run, ready: Ready, process: Process) -> Outcome | None:
    """Teach from where the run is, and tell."""
    course, model = ready.course, ready.model
    checkpoint = run.last()
    process.wait()  # before the first of them writes
    if process.leads:
        run.forget_after(checkpoint.step if checkpoint else 0)
        say_before(cost(course.lesson, course.model.context, parameter_count(model)), process.device.type)
    knower = Knower(model.eval(), ready.tokenizer, recites(course.lesson), ready.material.longest_question)
    if process.leads and course.stage == "finetune":  # before it is taught, also where an earlier try is gone on with
        save_memorised(run, remembered(knower, ready.told.facts, ready.told.facts.held_out))
    with training_bar(course.lesson, model, process) as bar, lost(run):
        hooks = lesson_hooks(run, bar) if process.leads else Hooks()
        finished = learn(model, ready.material, course.lesson, process, hooks, partial(_go_on, checkpoint))
    if not finished:
        if process.leads:
            print(f"stopped; go on: attnlab knowledge {course.stage} --resume {run.path}", file=sys.stderr)
        raise KeyboardInterrupt
    process.wait()
    if not process.leads:
        return None
    return tell_lesson(run, course, ready.facts, knower)


def _go_on(checkpoint: Checkpoint | None, state: State) -> None:
    """Bring the state to where the run was stopped, if it was."""
    if checkpoint is None:
        return
    try:
        state.load(checkpoint.tensors(), checkpoint.step, float(checkpoint.notes["seconds"]))
    except (ArgumentError, KeyError) as error:
        raise FileError(checkpoint.path, f"not a checkpoint of this run: {error}") from error


def lesson_hooks(run: Run, bar: TrainingBar) -> Hooks:
    """What is written and shown while a model learns."""

    def looked(look: Look) -> None:
        run.append(asdict(look) | bar.show(look))

    def save(state: State) -> None:
        run.save(state.step, state.tensors(), {"seconds": state.seconds})

    return Hooks(looked=looked, save=save)


@contextmanager
def lost(run: Run) -> Any:
    """A loss that is lost, with the way back."""
    try:
        yield
    except DivergedError as error:
        last = run.last()
        where = f"the last good checkpoint is {last.path}" if last else "there was no checkpoint yet"
        error.args = (f"{error}; {where}; a lower --rate or --muon-rate may help",)
        raise
