"""Pretraining and finetuning from Python: courses, records that can be made again, and runs that go on."""

import signal
from dataclasses import replace
from pathlib import Path

import pytest

from attnlab.benches import stepwise
from attnlab.benches.knowledge import (
    Course,
    Finetuned,
    Pretrained,
    finetune,
    finetuning,
    lessons,
    open_known,
    pretrain,
    pretraining,
    resume,
)
from attnlab.benches.knowledge.courses import BegunCourse, warn_if_long
from attnlab.data.facts.sources import FactSource
from attnlab.errors import ArgumentError, FileError, StoppedError
from attnlab.runs.folder import Run, open_run
from attnlab.settings import read, write
from attnlab.training.facts.recipes import RECIPES

pytestmark = pytest.mark.usefixtures("as_installed")

SHAPE = {"width": 16, "layers": 1, "heads": 1, "feed": 16}
SHORT = {"steps": 12, "batch": 8, "precision": "float32", "device": "cpu"}
READ = pretraining(people=12, distractors=1, world={"seed": 3}, model=SHAPE, training=SHORT)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with a pretrained run."""
    place = tmp_path_factory.mktemp("people")
    pretrain(READ, place / "read")
    return place


@pytest.fixture(autouse=True)
def _there(folder, monkeypatch):
    monkeypatch.chdir(folder)


def timeless(value):
    return {name: each for name, each in value.items() if name not in ("run", "seconds")}


def test_pretraining_tells_its_observer_and_returns_what_the_folder_holds(watcher, again, tmp_path):
    found = pretrain(READ, tmp_path / "read", watcher)
    assert isinstance(found, Pretrained)
    assert found.to_dict() == Run(tmp_path / "read").result()
    assert watcher.tasks == ["training for 12 steps"]
    assert watcher.done[-1] == 1.0
    assert found.memorised is not None
    assert found.memorised.as_json() == found.result["memorised"]
    assert found.people == 10
    assert [each["step"] for each in found.metrics()] == [10, 12]
    assert timeless(again(found)) == timeless(found.to_dict())


def test_finetuning_after_it_can_be_made_again(folder, again, tmp_path):
    course = finetuning("read", calibration=0.3, objectives={"answer": 1, "next-token": 0.5}, training=SHORT)
    assert (course.facts, course.model, course.after) == (READ.facts, READ.model, str(folder / "read"))
    found = finetune(course, tmp_path / "known")
    assert isinstance(found, Finetuned)
    assert found.people == found.kept_out.examples == 3
    assert found.example.startswith("Where was ")
    assert found.model.ask(found.example).replies[0].question == found.example
    assert timeless(again(found)) == timeless(found.to_dict())
    assert found.course == course


def test_a_model_that_has_read_nothing_can_be_made_again(again, tmp_path):
    found = finetune(finetuning(people=12, model=SHAPE, training={"steps": 2, "optimiser": "adamw"}), tmp_path / "new")
    assert found.memorised is None
    assert found.course.calibration == RECIPES.find("quick").kept_out
    assert timeless(again(found)) == timeless(found.to_dict())


def test_pictures_of_a_run(folder, tmp_path):
    found = pretrain(replace(READ, lesson=replace(READ.lesson, training=replace(READ.lesson.training, steps=2))))
    assert "learning curve" in found.save(tmp_path / "a.svg").read_text()
    assert "next: attnlab knowledge finetune" in repr(found)
    assert found.save(tmp_path / "a.csv").read_text().startswith("run,stage,parameters,steps,seconds,loss,memorised\n")
    assert found.path.parent == Path("runs")


def stop_at(monkeypatch, module, step):
    """Interrupt training at some step."""
    hooks = stepwise.watched

    def interrupting(*arguments, **options):
        found = hooks(*arguments, **options)

        def looked(look):
            found.looked(look)
            if look.step == step:
                signal.raise_signal(signal.SIGINT)

        return replace(found, looked=looked)

    monkeypatch.setattr(module, "watched", interrupting)


@pytest.mark.parametrize("stage", ["pretrain", "finetune"])
def test_stopped_and_gone_on_with_it_is_the_same(stage, monkeypatch, tmp_path):
    longer = {**SHORT, "steps": 25}
    if stage == "pretrain":
        course, train = pretraining(people=12, model={**SHAPE, "dropout": 0.1}, training=longer), pretrain
    else:
        course, train = finetuning("read", training=longer), finetune
    whole = train(course, tmp_path / "whole")
    with monkeypatch.context() as patched:
        stop_at(patched, lessons, 10)
        with pytest.raises(
            StoppedError, match=rf"stopped at step 11; to continue: attnlab knowledge {stage} --resume .*/half"
        ):
            train(course, tmp_path / "half")
    found = resume(tmp_path / "half")
    assert timeless(found.to_dict()) == timeless(whole.to_dict())
    assert found.course == course
    assert [each["step"] for each in found.metrics()] == [10, 11, 20, 25]
    if stage == "finetune":
        for name in ("memorised.json", "kept_out.json"):
            assert (tmp_path / "half" / name).read_text() == (tmp_path / "whole" / name).read_text()


def test_what_cannot_go_on(folder, tmp_path):
    assert resume("read").result == Run(Path("read")).result()  # a finished run is told again
    with pytest.raises(FileError, match="read: expected a run of finetune, got one of pretrain; to continue: "):
        resume("read", stage="finetune")
    with pytest.raises(FileError, match=r"expected the folder of a run, with a config\.json in it"):
        resume(tmp_path)


def test_facts_that_have_changed_since_are_noticed(monkeypatch, tmp_path):
    facts = tmp_path / "facts"
    facts.mkdir()
    people = ("Ada Berg", "Bo Dahl", "Cy Falk", "Di Holm")
    (facts / "lines.txt").write_text("".join(f"{name}. Born in Oslo in May.\n" for name in people))
    asked = [f"Where was {name} born?\tOslo\n" for name in people]
    (facts / "training.tsv").write_text("".join(asked[:3]))
    (facts / "held_out.tsv").write_text(asked[3])
    with monkeypatch.context() as patched:
        stop_at(patched, lessons, 10)
        with pytest.raises(StoppedError):
            pretrain(pretraining(str(facts), model=SHAPE, training=SHORT), tmp_path / "half")
    with (facts / "lines.txt").open("a") as file:
        file.write("Ed Lind. Born in Rome.\n")
    with pytest.raises(FileError, match=r"half: .*/facts has changed since the run started"):
        resume(tmp_path / "half")


def test_a_course_is_what_config_json_holds():
    begun = open_run(Path("read")).settings(BegunCourse)
    assert begun.course == READ
    written = Run(Path("read")).config()
    assert written.keys() - begun.config.keys() == {"version", "tokenizer_sha256"}
    assert begun.config.items() <= written.items()
    assert read(Course, write(READ)) == READ


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pretraining(recipe="x"), "recipe: expected quick, coursework, views or recital; got 'x'"),
        (lambda: pretraining(model={"width": 0}), "model.width: expected a whole number of at least 1, got 0; try 1"),
        (lambda: pretraining(model={"breadth": 1}), "model.breadth: there is no such setting; expected layers, "),
        (lambda: pretraining(training={"steps": -1}), "steps: expected a whole number from 0 to "),
        (lambda: pretraining(objectives={"answer": 1}), "objectives: answer needs answers: use it in finetune"),
        (lambda: pretraining("birthplaces", people=3), "people: works with biographies only, "),
        (lambda: pretraining("birthplaces", world={"seed": 0}), "world.seed: works with biographies only, "),
        (lambda: pretraining(world={"orders": 9}), "world.orders: expected a whole number from 1 to 6, got 9; try 6"),
        (lambda: finetuning("read", people=3), "people: cannot be given together with a run: read has its own facts"),
        (lambda: finetuning("read", model={"width": 8}), "model.width: cannot be given together with a "),
        (lambda: finetuning(objectives={"span": 1}), "objectives: expected answer or recited-answer among the objec"),
        (lambda: pretrain(finetuning("read")), "stage: expected the settings of pretrain, got those of finetune"),
        (lambda: pretrain(pretraining(model={"context": 8})), "context: expected at least "),
        (lambda: finetune(finetuning(calibration=1.0)),
         "calibration: expected a share above 0 and below 1, such as 0.1; got 1.0"),
        (lambda: pretrain(pretraining(objectives={"span": 1, "cue": 0.01})), "objectives: expected at least one row "),
    ],
)  # fmt: skip
def test_bad_settings_are_named(make, message):
    with pytest.raises(ArgumentError) as caught:
        make()
    assert str(caught.value).startswith(message)


def test_a_source_of_facts_can_be_given_whole():
    source = FactSource.of("biographies", 30)
    assert pretraining(source).facts == finetuning(facts=source).facts == source


def test_what_takes_long_is_said_before(watcher):
    warn_if_long(1e16, "cpu", watcher)
    assert watcher.warned == ["this takes about 28 hours on a CPU; a GPU is much faster"]
    warn_if_long(1e14, "cpu", watcher)
    assert watcher.warned[1:] == ["this takes about 17 minutes on a CPU; a GPU is much faster"]
    warn_if_long(1e16, "cuda", watcher)
    warn_if_long(1e11, "cpu", watcher)
    assert len(watcher.warned) == 2


def test_a_run_that_was_not_finetuned_cannot_be_asked():
    with pytest.raises(FileError, match="read: expected a finetuned run, got a pretrained one"):
        open_known("read")
