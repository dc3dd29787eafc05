"""What a command says about its surroundings: folders that it may not read, names that no file can have, closed
streams, users without a home, and variables of the environment."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Ran

import attnlab as al
from attnlab.cli.attention.design import Design

SCRIPT = str(Path(sys.executable).with_name("attnlab"))
LATIN = os.fsdecode(b"caf\xe9")
TEXT = "".join(f"{n} and {n * n % 97} make {n + n * n % 97}.\n" for n in range(300))
LONG = "a" * 300


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT)


@pytest.fixture
def locked(tmp_path, monkeypatch):
    """A folder that may not be read. The system lets root read everything, so there the error is made here."""
    folder = tmp_path / "locked"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    folder.chmod(0)
    if os.geteuid() == 0:
        for name in ("stat", "open", "scandir", "listdir", "lstat"):
            _refuse(monkeypatch, name)
    yield folder
    monkeypatch.undo()
    folder.chmod(stat.S_IRWXU)


def _refuse(monkeypatch, name):
    usual = getattr(os, name)

    def refused(path=".", *rest, **options):
        if not isinstance(path, int) and "locked/" in os.fspath(path):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        if name in ("scandir", "listdir") and Path(path).name == "locked":
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return usual(path, *rest, **options)

    monkeypatch.setattr(os, name, refused)


@pytest.mark.parametrize(
    "line",
    ["runs locked", "sample locked", "runs compare locked locked", "train --resume locked", "export locked --to new",
     "classify predict locked text.txt", "classify train locked/a.tsv", "classify evaluate locked a.tsv",
     "knowledge pretrain locked/facts", "knowledge run locked/facts", "robustness --plot locked/a.svg",
     "robustness --plot locked/new/a.svg", "knowledge ask locked Who", "perplexity locked --text text.txt"],
)  # fmt: skip
def test_a_folder_that_may_not_be_read_is_named(run, locked, line):
    words = line.split()
    refusal = run(*words).refusal
    assert refusal.startswith(f"attnlab {' '.join(words[: 1 + (words[0] in ('classify', 'knowledge'))])}: ")
    assert "locked" in refusal
    assert re.search(r"cannot be (read|written): permission denied$", refusal)


def test_a_file_in_a_folder_that_may_not_be_read_is_no_missing_file_and_no_text(run, locked):
    classifier = str(Path(__file__).parents[1] / "golden" / "classifier")
    for name in ("locked/hi.tsv", "locked/a good film"):
        refusal = run("classify", "predict", classifier, name).refusal
        assert refusal == f"attnlab classify predict: {name}: cannot be read: permission denied"


def test_a_file_that_cannot_be_written_is_told_before_the_work(run, tmp_path, monkeypatch):
    monkeypatch.setattr(Design, "run", lambda self: pytest.fail("the work began"))
    (tmp_path / "file").write_text("")
    for place in ("file/a.svg", "file/new/a.svg"):
        refusal = run("design", "--keys", "keys.csv", "--copy", "0", "--plot", place).refusal
        assert refusal == f"attnlab design: {place}: cannot be written: its folder is a file"


@pytest.mark.parametrize(
    "line",
    [f"train {LONG}", f"sample {LONG}", f"runs {LONG}", f"check --answers {LONG}", f"check --problem {LONG}",
     f"design --keys {LONG} --copy 0", f"classify train {LONG}", f"classify evaluate {LONG}", f"knowledge run {LONG}",
     f"perplexity {LONG} --text text.txt", f"train text.txt --out {LONG}", f"train --resume {LONG}",
     f"robustness --plot {LONG}.svg", f"heads look {LONG} x"],
)  # fmt: skip
def test_a_name_that_is_too_long_is_named(run, line):
    refusal = run(*line.split()).refusal
    assert LONG in refusal
    assert "cannot write the output" not in refusal


@pytest.mark.parametrize(
    "line",
    [f"train {LATIN}.txt --steps 2", f"train text.txt --steps 2 --out {LATIN}", f"classify train {LATIN}.csv",
     f"knowledge run {LATIN}.txt", f"perplexity nothing --text {LATIN}.txt --html page.html",
     f"heads look nothing x --html {LATIN}.html"],
)  # fmt: skip
def test_a_file_name_that_is_not_utf8_is_refused(run, tmp_path, line):
    for ending in (".txt", ".csv"):
        (tmp_path / f"{LATIN}{ending}").write_text(TEXT)
    refusal = run(*line.split()).refusal
    assert "expected a file name in UTF-8; rename the file or folder" in refusal


def test_a_class_whose_name_is_not_utf8_is_refused(run, tmp_path):
    (tmp_path / "films" / LATIN).mkdir(parents=True)
    assert "expected the name of a class in UTF-8" in run("classify", "train", "films").refusal


def test_a_positional_argument_is_named_as_the_help_names_it(run):
    golden = Path(__file__).parents[1] / "golden"
    refusal = run("heads", "look", str(golden / "ngram"), "a word").refusal
    assert refusal.startswith("attnlab heads look: MODEL: ")
    assert run("train", "text.txt", "--resume", "x").refusal.startswith("attnlab train: --resume: ")


@pytest.mark.parametrize(
    ("variables", "said"),
    [({"WORLD_SIZE": "two"}, "WORLD_SIZE: expected a whole number of at least 1, got 'two'"),
     ({"WORLD_SIZE": "0"}, "WORLD_SIZE: expected a whole number of at least 1, got '0'"),
     ({"WORLD_SIZE": "9" * 5000}, "WORLD_SIZE: expected a whole number of at least 1, got '999"),
     ({"RANK": "junk", "WORLD_SIZE": "2"}, "RANK: expected a whole number of at least 0, got 'junk'; torchrun sets"),
     ({"RANK": "2", "WORLD_SIZE": "2"}, "RANK: expected a rank below WORLD_SIZE, 2; got 2; torchrun sets both"),
     ({"WORLD_SIZE": "2"}, "WORLD_SIZE: cannot connect with the other processes, start with torchrun")],
)  # fmt: skip
def test_junk_in_the_variables_of_torchrun(run, monkeypatch, variables, said):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert run("train", "text.txt", "--steps", "2").refusal.startswith(f"attnlab train: {said}")


@pytest.mark.parametrize("rank", ["junk", "1", "", "5"])
def test_a_rank_without_torchrun_silences_no_command(run, monkeypatch, rank):
    monkeypatch.setenv("RANK", rank)
    assert "error" in run("robustness", "--keys", "3").out
    assert run("train", "text.txt", "--steps", "2", "--dry-run").out
    monkeypatch.setenv("WORLD_SIZE", "2")
    if rank != "1":
        assert run("robustness", "--keys", "3").refusal.startswith("attnlab robustness: RANK: expected a ")


@pytest.mark.parametrize(
    ("command", "rest"),
    [
        ("classify train", "reviews"),
        ("heads ablate", "x --text text.txt"),
        ("knowledge run", ""),
        ("robustness", ""),
    ],
)
def test_torchrun_on_a_command_that_does_not_share_its_work(run, monkeypatch, tmp_path, command, rest):
    """The first process tells it, before the work; the others say nothing."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    line = f"{command} {rest}"
    assert run(*line.split()).refusal == (
        f"attnlab {command}: torchrun starts several processes, which can share the work of train, perplexity, "
        "knowledge pretrain, knowledge finetune only; start this command without torchrun"
    )
    monkeypatch.setenv("RANK", "1")
    assert run(*line.split()) == Ran(0, "", "")
    assert [each.name for each in tmp_path.iterdir()] == ["text.txt"]


def test_no_name_of_a_file_steers_the_terminal(run, tmp_path):
    """Wherever a record is printed: in the terminal, in Python, and below it, where the files are that were written."""
    golden, name = Path(__file__).parents[1] / "golden", "esc\x1b[31mred\u202etxt"
    (tmp_path / name).write_text(TEXT)
    ran = run("perplexity", str(golden / "ngram"), "--text", name, "--html", f"{name}.html")
    shown = repr(al.perplexity(golden / "ngram", text=name))
    for said in (ran.out, shown):
        assert "␛[31mred⟨U+202E⟩txt" in said
        assert "\x1b" not in said
        assert "\u202e" not in said
    assert f"the page is in {name}.html".translate({0x1B: "␛", 0x202E: "⟨U+202E⟩"}) in ran.out


def test_a_user_without_a_home(run, monkeypatch):
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.delenv("ATTNLAB_CACHE", raising=False)
    assert run("data", "list").code == 0
    assert run("data", "path").refusal == (
        "attnlab data: ATTNLAB_CACHE: this user has no home folder; set it to a folder for downloads"
    )
    assert "there is no such" in run("perplexity", "hf:~nobody/model", "--text", "text.txt").refusal


def test_an_error_about_a_file_names_it(run, monkeypatch):
    """Wherever it comes from: what is printed is not to blame."""

    def refused(self):
        raise PermissionError(13, "Permission denied", "keys.csv")

    monkeypatch.setattr(Design, "run", refused)
    assert run("design", "--keys", "keys.csv", "--copy", "0").refusal == (
        "attnlab design: keys.csv: cannot be read: permission denied"
    )


def test_closed_streams(tmp_path):
    """A closed stdout is an error, a closed stdin is empty, and nothing is written into files by mistake."""

    def ran(line: str, closed: str):
        command = ["sh", "-c", f"exec {SCRIPT} {line} {closed}"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    unseen = ran("robustness", ">&-")
    assert (unseen.returncode, unseen.stderr) == (
        2, "attnlab: stdout is closed; to discard what a command prints, write > /dev/null\n"
    )  # fmt: skip
    assert ran("check copy 'q = C k_j'", "<&- 2>&-").returncode == 0
    predicted = ran(f"classify predict {Path(__file__).parents[1] / 'golden' / 'classifier'}", "<&-")
    assert (predicted.returncode, predicted.stdout, predicted.stderr) == (0, "", "")
