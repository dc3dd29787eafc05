"""attnlab audit: the certificate, a line a check; exit code 1 where one fails."""

import re
import shutil
from pathlib import Path

import pytest

from attnlab.cli import main
from attnlab.runs.checkpoints import checkpoints, write_checkpoint

NAMES = [
    "causal",
    "normalised",
    "every byte counted once",
    "first token",
    "batch-invariant",
    "deterministic",
    "recounted",
]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The folder of a small Transformer."""
    folder = tmp_path_factory.mktemp("audited")
    (folder / "text.txt").write_text("The cat sat on the mat. The dog sat, too.\n" * 20)
    shape = "--model.layers 1 --model.heads 2 --model.width 8 --model.context 8"
    line = f"train {folder / 'text.txt'} --model transformer {shape} --steps 2 --out {folder / 'run'} --json"
    assert main(line.split()) == 0
    return folder / "run"


def test_a_sound_model(run, trained):
    ran = run("audit", str(trained))
    assert (ran.code, ran.err) == (0, "")
    head, *checks, verdict = ran.out.splitlines()
    assert head.split() == ["check", "finding"]
    assert [re.split(r" {2,}", line)[:2] for line in checks] == [["ok", name] for name in NAMES]
    assert verdict == "sound: every check passed"
    assert "changing later tokens changes nothing before them, nor with weights 30,000 times as large" in ran.out


def test_json_is_the_certificate(run, trained):
    found = run("audit", str(trained), "--json").json
    assert found["model"] == str(trained)
    assert found["sound"] is True
    assert [check["name"] for check in found["checks"]] == NAMES
    assert all(set(check) == {"name", "passed", "said", "numbers"} for check in found["checks"])
    assert found["ledger"]["file_bytes"] == found["ledger"]["covered"]


def test_the_bytes_of_a_file_are_counted(run, trained, tmp_path):
    (tmp_path / "hard.txt").write_bytes("\ufeffThe café,\r\nthe 😀s.\r\n".encode())
    found = run("audit", str(trained), "--text", str(tmp_path / "hard.txt"), "--json").json
    assert found["sound"] is True
    counted = {name: found["ledger"][name] for name in ("file_bytes", "covered", "mark_bytes", "crlf", "exact")}
    assert counted == {"file_bytes": 27, "covered": 27, "mark_bytes": 3, "crlf": 2, "exact": False}


def test_a_large_file_is_counted_in_pieces(run, trained, tmp_path, monkeypatch):
    monkeypatch.setattr("attnlab.data.texts.slices.BLOCK", 64)
    text = "The cat sat on the mat, and the café was shut.\r\n" * 30
    (tmp_path / "long.txt").write_bytes(text.encode())
    counted = run("audit", str(trained), "--text", str(tmp_path / "long.txt"), "--json").json["ledger"]
    assert counted["file_bytes"] == counted["covered"] == len(text.encode())
    assert (counted["crlf"], counted["words"], counted["characters"]) == (30, 330, len(text))


def test_a_failed_check_is_exit_code_1_and_says_what_failed(run, trained, tmp_path):
    """Weights so large that their products overflow."""
    broken = tmp_path / "broken"
    copy_with_weights(trained, broken, 3e38)
    ran = run("audit", str(broken))
    assert (ran.code, ran.err) == (1, "")
    line = next(line for line in ran.out.splitlines() if "normalised" in line)
    assert re.fullmatch(r"failed +normalised +at \d+ of \d+ positions the probability of a token is NaN *", line)
    assert ran.out.splitlines()[-1].startswith("unsound: normalised")
    told = run("audit", str(broken), "--json")
    assert (told.code, told.json["sound"]) == (1, False)


def copy_with_weights(source: Path, target: Path, value: float) -> None:
    """A run as another, but for the weights of one token in its read-out."""
    shutil.copytree(source, target)
    for folder in {path.parent for path in target.rglob("step-*.safetensors")}:
        for each in checkpoints(folder):
            tensors = each.tensors()
            for name in tensors:
                if name.endswith("readout.weight"):
                    tensors[name][0] = value
            write_checkpoint(folder, each.step, tensors, each.notes)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"a\xff", "line 1: expected text in UTF-8, got the byte 0xff"),
        (b"a\0b", "line 1: expected text, got a zero byte: this looks like a binary file"),
        (
            None,
            "there is no such file; expected a file or a name: topics, repeats, tinyshakespeare, wikitext2 or "
            "birthplaces",
        ),
    ],
)
def test_a_file_that_is_no_text(run, trained, tmp_path, content, words):
    path = tmp_path / "text.txt"
    if content is not None:
        path.write_bytes(content)
    assert run("audit", str(trained), "--text", str(path)).refusal.startswith(f"attnlab audit: {path}")
    assert run("audit", str(trained), "--text", str(path)).refusal.endswith(words)


def test_a_model_that_is_not_there(run, tmp_path):
    assert run("audit", str(tmp_path / "none")).refusal.startswith(f"attnlab audit: {tmp_path / 'none'}")
    assert run("audit").refusal == (
        "attnlab audit: expected MODEL: the folder of a run, an ARPA file, or a model of Hugging Face: hf:FOLDER "
        "or hf:NAME; attnlab audit --help explains"
    )
