"""The edge between the program and its surroundings: real processes, interrupts, readers who leave, bugs."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from attnlab import __version__
from attnlab.cli.attention.design import Design

SCRIPT = str(Path(sys.executable).with_name("attnlab"))


def test_the_script_and_the_module_are_the_command():
    for start in ([SCRIPT], [sys.executable, "-m", "attnlab"]):
        found = subprocess.run([*start, "--version"], capture_output=True, text=True, check=True)
        assert (found.stdout, found.stderr) == (f"attnlab {__version__}\n", "")
        refused = subprocess.run([*start, "nonsense"], capture_output=True, text=True, check=False)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.startswith("attnlab: expected a command, got 'nonsense'; ")
        assert refused.stderr.count("\n") == 1


def test_a_command_ends_without_a_last_search_for_cycles():
    """Python would search all objects of torch or numba before it ends, which takes up to a third of a second. What is
    frozen, it leaves alone."""
    watched = (
        "import atexit, gc, sys; from attnlab.cli import main; atexit.register(lambda: print(gc.get_freeze_count()))"
    )
    found = subprocess.run([sys.executable, "-c", f"{watched}; main()", "--version"], capture_output=True, text=True)
    assert int(found.stdout.split()[-1]) > 1000


def test_help_answers_at_once():
    """In under 0.3 s: of processor time, which other work on the machine does not lengthen."""

    def spent() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([SCRIPT, "--help"], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(spent() for _ in range(3)) < 0.3


def test_exit_code_1_reaches_the_shell(tmp_path):
    (tmp_path / "keys.csv").write_text("0\n1\n2\n")
    command = [SCRIPT, "design", "--keys", "keys.csv", "--copy", "1"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (1, "")
    assert found.stdout == (
        "no query does this: key 1 is in the convex hull of others, 0.5·key 0 + 0.5·key 2, so no query gives it more "
        "than 0.3333 of the weight\n"
    )


# Buffered, a closed pipe is noticed when the buffer is emptied; unbuffered, at the first word.
@pytest.mark.parametrize(
    ("line", "unbuffered"),
    [("--help", ""), ("--help", "1"), ("--version", ""), ("design --help", ""), ("robustness --json", ""),
     ("robustness", "1")],
)  # fmt: skip
def test_a_reader_who_leaves_is_no_error(line, unbuffered):
    """As with `attnlab … | head -c 0`: the pipe has no reader from the start."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
        left = subprocess.run(
            [SCRIPT, *line.split()], stdout=writing, stderr=subprocess.PIPE, env=environment, check=False
        )
    finally:
        os.close(writing)
    assert (left.returncode, left.stderr) == (0, b"")


def test_an_interrupt_is_one_line(run, monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Design, "run", interrupted)
    ran = run("design", "--keys", "keys.csv", "--copy", "0")
    assert (ran.code, ran.out, ran.err) == (130, "", "attnlab design: interrupted\n")


@pytest.mark.parametrize(("module", "line"), [("tyro", "robustness"), ("tyro", "data --help"), ("torch", "robustness")])
def test_an_interrupt_while_modules_are_imported_is_one_line(tmp_path, module, line):
    (tmp_path / f"{module}.py").write_text("raise KeyboardInterrupt\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    for start in ([SCRIPT], [sys.executable, "-m", "attnlab"]):
        environment = os.environ | {"PYTHONPATH": path}
        ran = subprocess.run([*start, *line.split()], capture_output=True, text=True, env=environment, check=False)
        assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", f"attnlab {line.split()[0]}: interrupted\n")


def test_a_bug_of_ours_shows_its_traceback(run, monkeypatch):
    monkeypatch.setattr(Design, "run", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run("design", "--keys", "keys.csv", "--copy", "0")


def test_a_message_stays_on_one_line_whatever_the_name(run):
    assert run("design", "--keys", "two\nlines.npy", "--copy", "0").refusal == (
        "attnlab design: two lines.npy: there is no such file"
    )


@pytest.mark.parametrize("much", [lambda: torch.empty(10**15), lambda: np.empty(10**15)])
def test_too_little_memory_is_one_line(run, monkeypatch, much):
    monkeypatch.setattr(Design, "run", lambda self: much())
    assert run("design", "--keys", "keys.csv", "--copy", "0").refusal == (
        "attnlab design: not enough memory; a smaller model, batch or context needs less"
    )
