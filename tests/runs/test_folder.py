"""A run's folder: the last good checkpoint is always there, and damage is told from absence."""

import errno
import itertools
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from attnlab.errors import FileError
from attnlab.runs import checkpoints as reading
from attnlab.runs.checkpoints import checkpoints, last_checkpoint, remove_checkpoint, write_checkpoint
from attnlab.runs.folder import KEEP, Run, new_run, open_run
from attnlab.runs.loading import load_trained

TENSORS = {"weight": torch.arange(6.0).view(2, 3), "count": torch.tensor(3)}


def test_a_checkpoint_comes_back(tmp_path):
    written = write_checkpoint(tmp_path, 5, TENSORS, {"seconds": 1.5})
    (found,) = checkpoints(tmp_path)
    assert (found.path, found.step, found.notes["seconds"]) == (written.path, 5, 1.5)
    again = found.tensors()
    assert {name: tensor.tolist() for name, tensor in again.items()} == {"weight": [[0, 1, 2], [3, 4, 5]], "count": 3}


def test_the_last_ones_and_the_best_stay(tmp_path):
    run = new_run(tmp_path / "run", {})
    for step, nats in ((1, 3.0), (2, 1.0), (3, 2.0), (4, 2.5), (5, None)):
        run.save(step, TENSORS, {"validation_nats": nats})
    assert [each.step for each in checkpoints(run.checkpoint_folder)] == [2, 4, 5]
    assert run.best().step == 2
    last = run.last()
    assert last is not None
    assert last.step == 5
    assert len(list(run.checkpoint_folder.iterdir())) == 6


def test_a_checkpoint_to_keep_stays_and_is_not_the_best_for_that(tmp_path):
    run = new_run(tmp_path / "run", {})
    for step in range(1, 8):
        run.save(step, TENSORS, {KEEP: step % 2 == 0, "validation_nats": float(step)})
    assert [each.step for each in run.checkpoints()] == [1, 2, 4, 6, 7]
    assert run.best().step == 1


def test_where_nothing_was_measured_the_last_is_the_best(tmp_path):
    run = new_run(tmp_path / "run", {})
    with pytest.raises(FileError, match="the run has no checkpoint yet"):
        run.best()
    run.save(1, TENSORS, {})
    run.save(2, TENSORS, {})
    assert run.best().step == 2


@pytest.mark.parametrize("keep", [0, 10, -1])
def test_a_truncated_checkpoint_is_found_out(tmp_path, keep):
    written = write_checkpoint(tmp_path, 5, TENSORS, {})
    written.path.write_bytes(written.path.read_bytes()[:keep])
    with pytest.raises(FileError, match=r"step-00000005.safetensors: the checkpoint is damaged"):
        checkpoints(tmp_path)[0].tensors()


def test_a_flipped_bit_anywhere_in_the_notes_is_found_out(tmp_path):
    path = write_checkpoint(tmp_path, 5, TENSORS, {"seconds": 1.5e-7, "validation_nats": 2.0}).path.with_suffix(".json")
    content = path.read_bytes()
    for place, bit in itertools.product(range(len(content)), (0, 1, 5)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :])
        with pytest.raises(FileError) as raised:
            checkpoints(tmp_path)
        assert "\n" not in str(raised.value)
    path.write_bytes(content)
    assert len(checkpoints(tmp_path)) == 1


def test_notes_of_another_step_or_without_their_seal_are_damaged(tmp_path):
    written = write_checkpoint(tmp_path, 5, TENSORS, {"seconds": 1.5})
    path = written.path.with_suffix(".json")
    old = {"seconds": 1.5, "version": 1, "step": 5, "sha256": written.notes["sha256"]}
    path.write_text(json.dumps(old))
    assert checkpoints(tmp_path)[0].step == 5  # as they were written before there were seals
    for change in ({"step": 4}, {"version": 2}, {"seal": ""}, {"seal": "é" * 64}):
        path.write_text(json.dumps(old | change))
        with pytest.raises(FileError, match="the checkpoint is damaged: its notes differ from those that were written"):
            checkpoints(tmp_path)


def test_a_missing_file_is_named(tmp_path):
    written = write_checkpoint(tmp_path, 5, TENSORS, {})
    written.path.unlink()
    with pytest.raises(FileError, match=r"step-00000005.safetensors: there is no such file"):
        written.tensors()


@pytest.mark.parametrize("content", ["", "[]", '{"version": 1}', '{"version": 7, "step": 1}', "{"])
def test_a_foreign_file_is_named(tmp_path, content):
    (tmp_path / "step-00000001.json").write_text(content)
    with pytest.raises(FileError, match=r"step-00000001.json: expected "):
        last_checkpoint(tmp_path)


def test_an_unfinished_checkpoint_does_not_count(tmp_path):
    write_checkpoint(tmp_path, 1, TENSORS, {})
    write_checkpoint(tmp_path, 2, TENSORS, {}).path.with_suffix(".json").unlink()
    last = last_checkpoint(tmp_path)
    assert last is not None
    assert last.step == 1


@pytest.mark.parametrize("at", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(errno.ENOSPC, "No space left on device")])
def test_a_full_disk_or_an_interrupt_while_saving_loses_nothing(tmp_path, monkeypatch, at, error):
    run = new_run(tmp_path / "run", {})
    run.save(1, TENSORS, {})
    run.save(2, TENSORS, {})
    calls = []

    def failing(number, real=os.fsync):
        calls.append(number)
        if len(calls) == at:
            raise error
        real(number)

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises((KeyboardInterrupt, FileError)) as raised:
        run.save(3, TENSORS, {})
    if isinstance(error, OSError):
        assert str(raised.value).endswith("cannot be written: no space left on device")
    monkeypatch.undo()
    assert [each.step for each in checkpoints(run.checkpoint_folder)] == [1, 2]
    assert torch.equal(checkpoints(run.checkpoint_folder)[-1].tensors()["weight"], TENSORS["weight"])
    assert not list(run.checkpoint_folder.glob(".attnlab*"))
    run.save(3, TENSORS, {})
    assert [each.step for each in checkpoints(run.checkpoint_folder)] == [2, 3]


def test_metrics_come_back_and_a_last_line_that_was_cut_off_does_not_count(tmp_path):
    run = new_run(tmp_path / "run", {})
    assert run.metrics() == []
    for step in (1, 2, 3):
        run.append({"step": step})
    with (run.path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "lo')
    assert [each["step"] for each in run.metrics()] == [1, 2, 3]
    run.forget_after(2)
    run.append({"step": 3, "loss": 1.0})
    assert run.metrics() == [{"step": 1}, {"step": 2}, {"step": 3, "loss": 1.0}]


def test_metrics_that_are_damaged_name_the_line(tmp_path):
    run = new_run(tmp_path / "run", {})
    (run.path / "metrics.jsonl").write_text('{"step": 1}\nwhat\n{"step": 2}\n')
    with pytest.raises(FileError, match=r"metrics.jsonl, line 2: expected a JSON value"):
        run.metrics()
    (run.path / "metrics.jsonl").write_text(f'{"[" * 100_000}{"]" * 100_000}\n{{"step": 2}}\n')
    with pytest.raises(FileError, match=r"metrics.jsonl, line 1: expected a JSON value"):
        run.metrics()
    for line in ('{"loss": 1.0}', "[1]", '{"step": "2"}'):
        (run.path / "metrics.jsonl").write_text(f'{{"step": 1}}\n{line}\n')
        with pytest.raises(
            FileError, match=r"metrics.jsonl, line 2: expected a JSON object with a step, a whole number"
        ):
            run.metrics()


def test_a_folder_that_is_taken_is_refused(tmp_path):
    (tmp_path / "something").write_text("")
    with pytest.raises(FileError, match=r"expected a new or empty folder for the run; --resume continues an old one"):
        new_run(tmp_path, {})
    with pytest.raises(FileError, match="expected a new or empty folder"):
        new_run(tmp_path / "something", {})
    assert json.loads((new_run(tmp_path / "new", {"a": 1}).path / "config.json").read_text()) == {"version": 7, "a": 1}


def test_what_is_no_run_is_refused(tmp_path):
    with pytest.raises(FileError, match=r"expected the folder of a run, with a config.json in it"):
        open_run(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(FileError, match=r"expected a run's config.json, got no JSON"):
        open_run(tmp_path).config()


def unlisted(monkeypatch, wanted: str):
    """Let the system refuse to list folders of this name, by any function."""

    def refusing(real):
        def refuse(path="."):
            if os.path.basename(os.fspath(path)) == wanted:
                raise PermissionError(errno.EACCES, "Permission denied", path)
            return real(path)

        return refuse

    for each in ("listdir", "scandir"):
        monkeypatch.setattr(os, each, refusing(getattr(os, each)))


def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(tmp_path, monkeypatch):
    run = new_run(tmp_path / "run", {})
    run.append({"step": 1})
    run.save(1, TENSORS, {})
    unlisted(monkeypatch, "checkpoints")
    for read in (run.last, run.best, run.checkpoints, run.tidy):
        with pytest.raises(FileError, match="checkpoints: cannot be read: permission denied"):
            read()
    assert len(run.metrics()) == 1


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ('"loss": []', "a finite number as loss, got []"),
        ('"loss": NaN', "a finite number as loss, got nan"),
        ('"validation": 3', "a JSON object as validation"),
        ('"validation": {"nats_per_token": "low"}', "a finite number as validation.nats_per_token, got 'low'"),
        (
            '"validation": {"nats_per_token": 2, "perplexity": null}',
            "a finite number as validation.perplexity, got None",
        ),
        ('"validation": {}', "a finite number as validation.nats_per_token, got None"),
    ],
)
def test_metrics_that_are_no_numbers_are_told(tmp_path, entries, expected):
    run = new_run(tmp_path / "run", {})
    (run.path / "metrics.jsonl").write_text(f'{{"step": 0, "loss": 2}}\n{{"step": 1, {entries}}}\n')
    with pytest.raises(FileError) as raised:
        run.metrics()
    assert str(raised.value).endswith(f"metrics.jsonl, line 2: expected {expected}")


def test_a_checkpoint_that_is_removed_while_they_are_read_is_none(tmp_path, monkeypatch):
    first, last = (write_checkpoint(tmp_path, step, TENSORS, {}) for step in (1, 2))
    read = reading._read_notes

    def removing(path):
        remove_checkpoint(first)
        return read(path)

    monkeypatch.setattr(reading, "_read_notes", removing)
    assert [each.path for each in checkpoints(tmp_path)] == [last.path]


def test_a_model_whose_checkpoint_is_removed_meanwhile_is_loaded_from_the_next(monkeypatch):
    golden, best, asked = Path(__file__).parents[1] / "golden" / "transformer", Run.best, []

    def stale(run):
        asked.append(best(run))
        return replace(asked[-1], path=Path("gone.safetensors")) if len(asked) == 1 else asked[-1]

    monkeypatch.setattr(Run, "best", stale)
    assert load_trained(golden).checkpoint.path.is_file()
    assert len(asked) == 2


@pytest.mark.parametrize("name", ["metrics.jsonl", "result.json", "config.json"])
def test_a_pipe_or_a_device_in_a_run_is_one_line(tmp_path, name):
    run = new_run(tmp_path / "run", {})
    path = run.path / name
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero")):
        path.unlink(missing_ok=True)
        make(path)
        with pytest.raises(FileError, match=f"{name}: expected a file, got a device or pipe$"):
            {"metrics.jsonl": run.metrics, "result.json": run.result, "config.json": run.config}[name]()


def test_a_line_of_metrics_without_an_end_is_not_read_whole(tmp_path):
    run = new_run(tmp_path / "run", {})
    (run.path / "metrics.jsonl").touch()
    os.truncate(run.path / "metrics.jsonl", 10**12)
    with pytest.raises(FileError, match=r"line 1: expected a JSON value$"):
        run.metrics()


def test_a_result_without_its_seal_was_changed(tmp_path):
    run = new_run(tmp_path / "run", {})
    run.finish({"loss": 2.0})
    path = run.path / "result.json"
    assert run.result() == {"loss": 2.0}
    path.write_text('{"loss": 0.001}')
    with pytest.raises(FileError, match=r"result\.json: was changed after the lab wrote it; remove "):
        run.result()
    config = json.loads((run.path / "config.json").read_text())
    (run.path / "config.json").write_text(json.dumps(config | {"version": 5}))  # of a lab that wrote no seals
    assert run.result() == {"loss": 0.001}
