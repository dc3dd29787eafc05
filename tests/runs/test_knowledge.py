"""Runs of models that were taught facts: what is written is what is read, and what is missing is named."""

import json

import pytest

from attnlab.data.facts.sources import FactSource
from attnlab.errors import FileError
from attnlab.runs.folder import new_run
from attnlab.runs.knowledge import knowledge_config, load_knowledge, save_kept_out, save_memorised

FACTS = FactSource.of("biographies", 10).as_json()
CONFIG = {"task": "knowledge", "stage": "finetune", "facts": FACTS}


def test_a_run_of_another_task_or_stage_is_refused(tmp_path):
    other, read = new_run(tmp_path / "other", {"task": "classify"}), new_run(tmp_path / "known", CONFIG)
    with pytest.raises(FileError, match="other: expected a run of attnlab knowledge, got one of another kind"):
        knowledge_config(other)
    assert knowledge_config(read) == CONFIG
    with pytest.raises(FileError, match="known: expected a run that was pretrained, got one that was finetuned"):
        load_knowledge(read.path, "pretrain")
    with pytest.raises(FileError, match="known: expected a run that came to its end; attnlab knowledge finetune"):
        load_knowledge(read.path, "finetune")


def test_settings_that_are_missing_are_named(tmp_path):
    run = new_run(tmp_path / "known", CONFIG)
    (run.path / "result.json").write_text("{}")
    with pytest.raises(FileError, match=r"config.json: expected the settings of a knowledge run: 'lesson'"):
        load_knowledge(run.path, "finetune")


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
