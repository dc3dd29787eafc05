"""Runs of one lesson: pretrain or finetune a model, or resume a stopped run."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from attnlab.benches.knowledge.answers import example_question, read_kept_out, threshold_people
from attnlab.benches.knowledge.courses import BegunCourse, Course, begin_course, operations, warn_if_long
from attnlab.benches.knowledge.models import KnownModel, open_known
from attnlab.benches.knowledge.teaching import check_lesson, completed_lines, learn, new_model
from attnlab.benches.lifecycle import (
    beginning,
    check_data,
    continuing,
    going,
    new_place,
    say_finished,
)
from attnlab.benches.stepwise import device_again, restore, training_task, watched
from attnlab.calls import Call
from attnlab.contents import Content, Sometimes
from attnlab.data.facts.facts import Facts
from attnlab.data.facts.sources import FactSource, OpenedFacts
from attnlab.errors import ArgumentError, FileError
from attnlab.evaluation.knowledge.answers import accuracy, knowable
from attnlab.evaluation.knowledge.asking import Knower
from attnlab.evaluation.knowledge.choosing import reached_precision
from attnlab.models.kinds import parameter_count
from attnlab.models.transformer import Transformer
from attnlab.progress import SILENT, Observer
from attnlab.records import Record, record
from attnlab.runs.folder import METRICS, Run, open_run
from attnlab.runs.knowledge import Stage, check_task, load_knowledge, save_kept_out, save_memorised
from attnlab.runs.loading import run_tokenizer
from attnlab.settings import write
from attnlab.statistics import Share
from attnlab.text import Tokenizer
from attnlab.training.facts.fact_tokens import FactTokens, make_fact_tokens, texts_of
from attnlab.training.facts.objectives import check_rows
from attnlab.training.float8 import check_float8
from attnlab.training.processes import Process, this_process
from attnlab.training.speed import as_used
from attnlab.training.state import State


@record
class CourseRun(Record):
    """A finished run of one lesson: its folder, its settings, and its result."""

    path: Path
    course: Course
    result: Mapping[str, Any]
    """The content of result.json."""

    @property
    def memorised(self) -> Share | None:
        """The share of people whose own line the model completes; None for a model that has read no line. After
        pretraining, of the people to train on. After finetuning, of those kept out: the other answers were taught."""
        return _share(self.result.get("memorised"))

    def metrics(self) -> list[dict[str, Any]]:
        """The measurements during training, line by line."""
        return Run(self.path).metrics()

    @Content(
        run=str,
        stage=Stage,
        facts=FactSource,
        parameters=int,
        steps=int,
        seconds=float,
        loss=float,
        memorised=Sometimes(Share),
        kept_out=Sometimes(Share),
    )
    def to_dict(self) -> dict[str, Any]:
        """The content of result.json."""
        return dict(self.result)

    @property
    def call(self) -> Call:
        """The call that trains it again."""
        return self.course.call


@record
class Pretrained(CourseRun):
    """A pretrained model: it has read lines, but has not learnt to answer questions."""

    shown_by: ClassVar[str] = "knowledge.lessons.pretrained"

    people: int
    """The number of people behind `memorised`; a person may have several questions."""


@record
class Finetuned(CourseRun):
    """A finetuned model: it has learnt to answer questions."""

    shown_by: ClassVar[str] = "knowledge.lessons.finetuned"

    people: int
    """The number of people who were kept out of finetuning: those behind `kept_out` and `memorised`."""
    example: str
    """A question that it answers correctly at the precision `reached`, if there is one."""
    reached: float | None
    """The default precision if a threshold reaches it; else the highest one below that a threshold reaches. None if it
    answers no question."""

    @property
    def kept_out(self) -> Share:
        """The share of right answers about people who were kept out of finetuning."""
        found = _share(self.result["kept_out"])
        assert found is not None
        return found

    @property
    def model(self) -> KnownModel:
        """The opened model."""
        return open_known(self.path)


@dataclass(frozen=True)
class PreparedCourse:
    """A course with its split facts, the model, the tokenizer, and the facts as tokens."""

    course: Course
    opened: OpenedFacts
    facts: Facts
    tokenizer: Tokenizer
    model: Transformer
    tokens: FactTokens


def pretrain(settings: Course, out: Path | str | None = None, observer: Observer = SILENT) -> Pretrained:
    """Put facts into a model: a new run in `out` or in a folder under runs/, to its end."""
    found = _start(settings, "pretrain", out, observer)
    assert isinstance(found, Pretrained)
    return found


def finetune(settings: Course, out: Path | str | None = None, observer: Observer = SILENT) -> Finetuned:
    """Teach a model to answer questions: a new run in `out` or in a folder under runs/, to its end."""
    found = _start(settings, "finetune", out, observer)
    assert isinstance(found, Finetuned)
    return found


def resume(path: Path | str, observer: Observer = SILENT, stage: Stage | None = None) -> Pretrained | Finetuned:
    """Continue a stopped run from its last checkpoint to its end; a finished run is returned as it is. Raises if the
    run is not of this stage."""
    run = open_run(Path(path))
    check_task(run)
    begun: BegunCourse = run.settings(BegunCourse)
    course = begun.course
    if begun.earlier is not None:
        whole = f"to continue: attnlab knowledge run --resume {run.path.parent}"
        raise FileError(run.path, f"expected a run of one lesson, got one of a sweep; {whole}")
    if stage is not None and course.stage != stage:
        other = f"to continue: attnlab knowledge {course.stage} --resume {run.path}"
        raise FileError(run.path, f"expected a run of {stage}, got one of {course.stage}; {other}")
    with this_process(device_again(course.lesson.training.device, observer)) as process:
        ready = _prepare(course, process, run_tokenizer(run))
        check_data(run, begun.facts.sha256, ready.opened.sha256, course.facts.name)
        if run.finished:
            found = _record(run, ready)
            say_finished(run, observer)
            return found
        with continuing(run, process):
            return _go(run, ready, process, observer)


def _start(course: Course, stage: Stage, out: Path | str | None, observer: Observer) -> Pretrained | Finetuned:
    if course.stage != stage:
        raise ArgumentError("stage", f"expected the settings of {stage}, got those of {course.stage}")
    with this_process(course.lesson.training.device) as process:
        place = new_place(out, f"knowledge-{stage}", process)
        training = as_used(course.lesson.training, process.device)
        course = replace(course, lesson=replace(course.lesson, training=training))
        ready = _prepare(course, process)
        config = begin_course(course, ready.opened, ready.tokens).config
        with beginning(place, config, process, ready.tokenizer) as run:
            return _go(run, ready, process, observer)


def _prepare(course: Course, process: Process, tokenizer: Tokenizer | None = None) -> PreparedCourse:
    """Prepare a course. Errors in the settings are raised here, before a folder is created."""
    check_rows(course.lesson.objectives, course.lesson.training.batch, process.ranks)
    if course.lesson.training.precision == "float8":
        check_float8(True, process)
    before = load_knowledge(course.after, "pretrain") if course.after else None
    opened = before.open_facts() if before else course.facts.open()
    seed, facts = course.lesson.training.seed, opened.facts
    if course.stage == "finetune":
        try:
            facts = facts.split(course.calibration, seed)
        except ArgumentError as error:
            raise ArgumentError("calibration", error.message) from error
    if before:
        tokenizer, model = before.tokenizer, before.model.to(process.device)
        check_lesson(model.config, tokenizer.size, course.lesson, process)
    else:
        tokenizer = tokenizer or course.tokens.train(texts_of(facts))
        check_lesson(course.model, tokenizer.size, course.lesson, process)
        model = new_model(course.model, tokenizer.size, seed, process)
    tokens = make_fact_tokens(facts, tokenizer, course.model.context)
    return PreparedCourse(course, opened, facts, tokenizer, model, tokens)


def _go(run: Run, ready: PreparedCourse, process: Process, observer: Observer) -> Pretrained | Finetuned:
    """Train from the last checkpoint, if any, and measure the model."""
    course, model = ready.course, ready.model
    knower = Knower(model.eval(), ready.tokenizer, course.lesson.recites, ready.tokens.longest_question)
    if process.leads:
        work = operations(course.lesson, course.model.context, parameter_count(model))
        warn_if_long(work, process.device.type, observer)
        if course.stage == "finetune":  # the weights are still those before finetuning, also if the run is resumed
            facts = ready.opened.facts
            save_memorised(run, completed_lines(knower, facts, facts.held_out))

    def go_on(state: State) -> None:
        restore(state, run)
        process.wait()  # all processes have read the checkpoint before the first one writes
        if process.leads:
            run.forget_after(state.step)

    with going(run, f"knowledge {course.stage}"):
        with training_task(observer, course.lesson.training, process) as task:
            hooks = watched(run, course.lesson.training, process, task, model, observer=observer)
            if not learn(model, ready.tokens, course.lesson, process, hooks, go_on):
                raise KeyboardInterrupt
        process.wait()
        if process.leads:
            _finish(run, ready, knower)
        process.wait()
    return _record(run, ready)


def _finish(run: Run, ready: PreparedCourse, knower: Knower) -> None:
    """Write result.json: how much the model memorised and, after finetuning, how often it is right about people who
    were kept out."""
    course, last = ready.course, _last_measured(run)
    value: dict[str, Any] = {
        "run": str(run.path),
        "stage": course.stage,
        "facts": write(course.facts),
        "parameters": parameter_count(knower.model),
        "steps": last["step"],
        "seconds": round(last["seconds"], 3),
        "loss": last["loss"],
    }
    asked = ready.facts.training if course.stage == "pretrain" else ready.facts.held_out
    if course.stage == "pretrain" or course.after:  # else the model has read no line
        done = completed_lines(knower, ready.facts, asked)
        value["memorised"] = Share(sum(done), len(done)).as_json()
    if course.stage == "finetune":
        answers = knower.answers(threshold_people(ready.facts))
        save_kept_out(run, [asdict(each) for each in answers])
        value["kept_out"] = accuracy(knowable(answers)).as_json()
    run.finish(value)


def _last_measured(run: Run) -> dict[str, Any]:
    """The last line of the metrics."""
    measured = run.metrics()
    if not measured or not all(isinstance(measured[-1].get(name), int | float) for name in ("seconds", "loss")):
        raise FileError(run.path / METRICS, "expected the loss and the seconds of the last step; the file was changed")
    return measured[-1]


def _record(run: Run, ready: PreparedCourse) -> Pretrained | Finetuned:
    """The record of a finished run."""
    result = run.result()
    if ready.course.stage == "pretrain":
        return Pretrained(run.path, ready.course, result, len({fact.name for fact in ready.facts.training}))
    people = len({fact.name for fact in ready.facts.held_out})
    kept_out = read_kept_out(run)
    example = example_question(kept_out, ready.opened.facts)
    return Finetuned(run.path, ready.course, result, people, example, reached_precision(kept_out))


def _share(value: Mapping[str, Any] | None) -> Share | None:
    return Share(value["count"], value["examples"]) if value else None
