"""Runs of older labs: models are asked and evaluated, and what was stopped goes on."""

import json
import shutil
from pathlib import Path

import pytest

from attnlab.benches.knowledge import finetune, finetuning, open_known, resume, resume_sweep

pytestmark = pytest.mark.usefixtures("as_installed")


@pytest.fixture(autouse=True)
def _copied(golden, tmp_path, monkeypatch):
    shutil.copytree(golden, tmp_path / "golden")
    monkeypatch.chdir(tmp_path / "golden")


def test_a_model_is_asked_and_evaluated():
    model = open_known("people-known")
    assert model.ask("Where was Rosa Halohart born?").replies[0].question == "Where was Rosa Halohart born?"
    assert model.evaluate().knowledge.accuracy.examples == 2


def test_a_pretrained_model_is_finetuned():
    found = finetune(finetuning("people-read", training={"steps": 2, "batch": 8}), "asked")
    assert found.course.facts.people == 12
    assert found.result["steps"] == 2


def test_a_run_that_was_stopped_goes_on():
    found = resume("people-stopped")
    assert found.result["steps"] == 110
    assert [each["step"] for each in found.metrics()][-2:] == [103, 110]


def test_a_sweep_that_was_stopped_goes_on_and_its_models_stay_as_they_are():
    kept = Path("sweep/none-dot-product-0/result.json").read_text()
    found = resume_sweep("sweep")
    assert [(row.variant, len(row.models)) for row in found.rows] == [("none", 2), ("recital", 2)]
    first = found.rows[0].models[0].to_dict()
    assert first["accuracy"].pop("interval") == [
        0.0,
        pytest.approx(0.8419, abs=1e-4),
    ]  # now exact, where no answer is right
    assert first["accuracy"].items() <= json.loads(kept)["accuracy"].items()
    assert first["run"] == "sweep/none-dot-product-0"
    assert Path("sweep/none-dot-product-0/result.json").read_text() == kept
    config = json.loads(Path("sweep/recital-dot-product-1/config.json").read_text())
    assert config["lesson"]["training"]["precision"] == "bfloat16"  # as the others were trained
