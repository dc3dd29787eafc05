"""Runs of models that were taught facts: what is written is what is read, and what is missing is named."""

import json

import pytest

from attnlab.data.facts.sources import FactSource
from attnlab.errors import FileError
from attnlab.runs.folder import new_run
from attnlab.runs.knowledge import check_task, finished_run, load_knowledge, save_kept_out, save_memorised
from attnlab.settings import write

FACTS = write(FactSource.of("biographies", 10)) | {"sha256": "0"}
CONFIG = {"task": "knowledge", "stage": "finetune", "facts": FACTS, "shapes": [["Who is ", "?"]], "longest_question": 9}


def test_a_run_of_another_task_or_stage_is_refused(tmp_path):
    other, known = new_run(tmp_path / "other", {"task": "classify"}), new_run(tmp_path / "known", CONFIG)
    with pytest.raises(
        FileError, match="expected a run of attnlab knowledge, got the run of a classifier; make one with attnlab"
    ):
        check_task(other)
    check_task(known)
    with pytest.raises(FileError, match="known: expected a pretrained run, got a finetuned one"):
        load_knowledge(known.path, "pretrain")
    with pytest.raises(FileError, match="known: expected a finished run; go on with: attnlab knowledge finetune"):
        load_knowledge(known.path, "finetune")


def test_a_finished_run_says_what_it_was_taught(tmp_path):
    run = new_run(tmp_path / "known", CONFIG)
    run.finish({})
    _, config = finished_run(run.path, "finetune")
    assert config.facts.source == FactSource.of("biographies", 10)
    assert (config.facts.sha256, config.shapes, config.longest_question) == ("0", (("Who is ", "?"),), 9)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"facts": None}, "facts: expected settings by name, got None"),
        ({"facts": FACTS | {"people": 1}}, "people: expected 2 to 100,000 people, got 1"),
        ({"shapes": [["a"]]}, "shapes: "),
        ({"longest_question": -1}, "longest_question: expected a whole number of at least 0, got -1; try 0"),
    ],
)
def test_settings_that_are_missing_or_wrong_are_named(tmp_path, damage, message):
    run = new_run(tmp_path / "known", CONFIG | damage)
    run.finish({})
    with pytest.raises(FileError) as caught:
        load_knowledge(run.path, "finetune")
    assert str(caught.value).startswith(f"{run.path / 'config.json'}: {message}")


def test_answers_about_people_kept_out_are_written_as_they_are(tmp_path):
    run = new_run(tmp_path / "known", CONFIG)
    save_kept_out(run, [{"name": "Zoë", "runners_up": [["Oslo", 0.5]]}])
    assert json.loads((run.path / "kept_out.json").read_text()) == {
        "answers": [{"name": "Zoë", "runners_up": [["Oslo", 0.5]]}]
    }


def test_who_was_memorised_is_written_in_the_order_of_the_held_out_facts(tmp_path):
    run = new_run(tmp_path / "known", CONFIG)
    save_memorised(run, [True, False])
    assert json.loads((run.path / "memorised.json").read_text()) == {"held_out": [True, False]}
