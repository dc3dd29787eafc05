"""A sample of what `make faults` tries: faults at some moments of some commands, and edited run folders."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.faults.edits import make_runs, try_edits

from attnlab.cli import main
from attnlab.locks import writing_in
from attnlab.runs.seals import sealed

ROOT = Path(__file__).parents[2]
SAMPLE = "train transformer,classify train,check --answers"


def test_a_fault_at_any_moment_loses_nothing(tmp_path):
    words = [
        "-m",
        "tests.faults",
        "--only",
        SAMPLE,
        "--faults",
        "kill,power,ENOSPC",
        "--most",
        "1",
        "--json",
        str(tmp_path / "found.json"),
    ]
    ended = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert {each["command"] for each in found} == set(SAMPLE.split(","))
    assert all(each["points"] for each in found)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_runs(tmp_path_factory.mktemp("runs"), ("ngram", "transformer", "classifier"))


@pytest.mark.usefixtures("as_installed")
def test_edited_runs_open_or_say_what_is_wrong(made, tmp_path):
    assert try_edits(made, tmp_path, 60) == []


def test_a_second_process_is_refused_and_readers_are_not(made, capsys):
    run = made / "transformer"
    (run / "result.json").rename(run / "result.old")  # as if it had been stopped
    with writing_in(run):
        assert main(["train", "--resume", str(run)]) == 2
        assert capsys.readouterr().err == (
            f"attnlab train: {run}: another process is writing into this folder; wait for its end, or stop it\n"
        )
        assert main(["sample", str(run), "--length", "3"]) == 0
        assert main(["runs", str(made)]) == 0
    (run / "result.old").rename(run / "result.json")


def test_an_edited_result_is_told_without_another_line(made, tmp_path, capsys):
    run = Path(shutil.copytree(made / "transformer", tmp_path / "run"))
    result = json.loads((run / "result.json").read_text())
    for name in ("parameters", "validation"):
        changed = {each: value for each, value in result.items() if each not in (name, "seal")}
        (run / "result.json").write_text(json.dumps(sealed(changed)))
        assert main(["train", "--resume", str(run)]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert "result.json: expected the result of a language model: " in error
