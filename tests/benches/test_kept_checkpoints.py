"""`train --keep-every`: checkpoints along the way stay, and nothing else about a run changes."""

import json
from dataclasses import replace

import pytest
import torch

from attnlab.benches.language import resume, train
from attnlab.benches.language.configuring import configure
from attnlab.errors import StoppedError
from attnlab.models.transformer_config import TransformerConfig
from attnlab.runs.folder import Run

PLAIN = configure(
    "text.txt",
    model=TransformerConfig(layers=1, heads=2, width=16, context=16),
    training={"steps": 12, "batch": 4, "validate_every": 5, "precision": "float32"},
)
KEPT = replace(PLAIN, training=replace(PLAIN.training, keep_every=3))


@pytest.fixture(autouse=True)
def text(as_installed, in_a_folder):
    """A text in a folder of its own."""


def steps(path) -> list[int]:
    return [each.step for each in Run(path).checkpoints()]


def test_every_third_step_stays_and_the_run_is_the_same(in_a_folder, again):
    kept, plain = train(KEPT, in_a_folder / "kept"), train(PLAIN, in_a_folder / "plain")
    assert steps(kept.path) == sorted({3, 6, 9, 12} | set(steps(plain.path)))
    assert Run(kept.path).best().step == Run(plain.path).best().step
    assert (kept.validation, kept.test) == (plain.validation, plain.test)
    assert "--keep-every 3" in kept.command
    assert again(kept)["test"] == kept.test


def test_a_resumed_run_keeps_the_same_checkpoints(in_a_folder, monkeypatch):
    whole, real = train(KEPT, in_a_folder / "whole"), Run.save

    def stop(self, step, tensors, notes):
        real(self, step, tensors, notes)
        if step == 6:
            raise KeyboardInterrupt

    monkeypatch.setattr(Run, "save", stop)
    with pytest.raises(StoppedError, match=r"^stopped at step 6; "):
        train(KEPT, in_a_folder / "stopped")
    monkeypatch.setattr(Run, "save", real)
    stopped = resume(in_a_folder / "stopped")
    assert steps(stopped.path) == steps(whole.path)
    for one, other in zip(Run(stopped.path).checkpoints(), Run(whole.path).checkpoints(), strict=True):
        mine, yours = one.tensors(), other.tensors()
        assert all(torch.equal(mine[name], yours[name]) for name in yours)


def test_runs_of_version_4_keep_no_more_than_they_did(in_a_folder):
    found = train(PLAIN, in_a_folder / "run")
    path = found.path / "config.json"
    config = json.loads(path.read_text())
    assert config["training"].pop("keep_every") == 0
    path.write_text(json.dumps(config | {"version": 4}))
    assert Run(found.path).settings(type(PLAIN)) == replace(PLAIN, training=found.config.training)
