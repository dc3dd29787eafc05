"""attnlab run: a folder with a report and findings that appears whole, or not at all."""

import contextlib
import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

SCRIPT = str(Path(sys.executable).with_name("attnlab"))


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the claims that were run, which are none."""
    ran: list[str] = []

    def note(claim: Any, seed: int) -> None:
        ran.append(claim.id)
        raise KeyboardInterrupt

    monkeypatch.setattr("attnlab.claims.claim.Claim.run", note)
    return ran


def test_the_report_and_the_findings(run, tmp_path: Path):
    told = run("run", "--only", "perplexity", "--out", "a/first")
    assert (told.code, told.err) == (0, "")
    assert "\nperplexity-base " in told.out
    assert told.out.endswith("\n2 claims: 1 holds, 1 fails\nthe report is in a/first/report.html\n")
    folder = tmp_path / "a" / "first"
    assert sorted(each.name for each in folder.iterdir()) == ["findings.json", "report.html"]
    assert [each.name for each in folder.parent.iterdir()] == ["first"]
    text = (folder / "findings.json").read_text(encoding="utf-8")
    assert text.endswith("}\n")
    found = json.loads(text, parse_constant=pytest.fail)
    assert [each["id"] for each in found["findings"]] == ["perplexity-base", "perplexity-mixed"]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert 'id="perplexity-mixed"' in page
    assert "attnlab run --only perplexity</code>" in page


def test_two_runs_with_one_seed_find_the_same_times_aside(run, tmp_path: Path):
    texts = []
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        run("run", "--only", "perplexity-base", "--out", name, "--seed", seed)
        text = (tmp_path / name / "findings.json").read_text(encoding="utf-8")
        texts.append(re.sub(r'"seconds": [\d.e-]+', "", text))
    assert texts[0] == texts[1] != texts[2]


def test_only_may_be_given_more_than_once(run):
    told = run("run", "--only", "perplexity-base,perplexity-mixed", "--only=extracting-projector", "--json").json
    assert set(told["verdicts"]) == {"perplexity-base", "perplexity-mixed", "extracting-projector"}


def test_each_run_has_a_folder_of_its_own(run, tmp_path: Path):
    values = [run("run", "--only", "perplexity-base", "--json").json for _ in range(2)]
    reports = {value["report"] for value in values}
    assert len(reports) == 2
    for each in reports:
        assert re.fullmatch(r"runs/\d{4}-\d\d-\d\d-\d{6}(-2)?/report\.html", each)
        assert (tmp_path / each).exists()
    assert len(list((tmp_path / "runs").iterdir())) == 2
    value = values[0]
    assert value["counts"] == {"holds": 1}
    assert value["verdicts"] == {"perplexity-base": "holds"}
    assert Path(value["findings"]).name == "findings.json"


def test_what_cannot_be_written_is_refused_before_anything_runs(run, tmp_path: Path, computed: list[str]):
    (tmp_path / "file").write_text("kept")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("kept")
    for out, message in {
        "file": "file: expected a new or empty folder, got a file",
        "full": "full: expected a new or empty folder, got a folder with files in it",
        "file/new": "file/new: cannot be written: its folder is a file",
    }.items():
        assert run("run", "--out", out).refusal == f"attnlab run: {message}"
    (tmp_path / "runs").write_text("a file")
    assert re.search("runs/[0-9-]+: cannot be written: its folder is a file$", run("run").refusal)
    assert computed == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--only perplexity,copyin", "--only: expected a claim or a family, got 'copyin'; did you mean copying?"),
        ("--only ,", "--only: expected claims or families such as copying,averaging, got ','"),
        ("--seed -1", "--seed: expected a whole number from 0 to 9223372036854775807, got -1"),
        (f"--seed {2**63}", f"--seed: expected a whole number from 0 to {2**63 - 1}, got {2**63}"),
    ],
)
def test_bad_input_is_named(run, tmp_path: Path, computed: list[str], line: str, message: str):
    for how in ([], ["--json"]):
        assert run("run", *shlex.split(line), *how).refusal == f"attnlab run: {message}"
    assert list(tmp_path.iterdir()) == computed == []


@pytest.mark.parametrize("out", [[], ["--out", "a/b"]])
def test_an_interrupt_leaves_nothing(run, tmp_path: Path, computed: list[str], out: list[str]):
    ran = run("run", "--only", "perplexity-base", *out)
    assert (ran.code, ran.out, ran.err) == (130, "", "attnlab run: interrupted\n")
    assert computed == ["perplexity-base"]
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_line_and_leaves_nothing(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert run("run", "--only", "perplexity", "--out", "new").refusal == (
        "attnlab run: new/findings.json: cannot be written: no space left on device"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("only", "seconds"), [("norm-noise", 0), ("knowledge-in", 3), ("writing", 1.5)])
def test_a_real_interrupt_leaves_nothing(tmp_path: Path, only: str, seconds: float):
    """Sent to a process that has begun its folder, while it computes, trains or writes: `writing` ends after some three
    seconds on a free machine."""
    command = [SCRIPT, "run", "--only", only, "--out", "new/report"]
    heeding = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731 (tests in the background ignore it)
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, preexec_fn=heeding) as running:
        until = time.monotonic() + 60
        while not (tmp_path / "new").exists() and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(seconds)
        said = interrupted(running)
    assert (running.returncode, said) == (130, "attnlab run: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def interrupted(running: subprocess.Popen[str], tries: int = 6) -> str:
    """What a process says when it is interrupted; again if nothing happens, as a person would: Python itself drops an
    interrupt that comes while it clears something up or a library is being loaded."""
    for _ in range(tries):
        running.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return running.communicate(timeout=15)[1]
    running.kill()
    raise AssertionError("it goes on whatever one does")


def test_a_reader_who_leaves_gets_the_report_all_the_same(tmp_path: Path):
    reading, writing = os.pipe()
    os.close(reading)
    command = [SCRIPT, "run", "--only", "perplexity-base", "--out", "new"]
    left = subprocess.run(command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (left.returncode, left.stderr) == (0, b"")
    assert (tmp_path / "new" / "report.html").exists()
