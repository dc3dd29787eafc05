"""Many processes: two of them, started by torchrun and joined by gloo, find what one finds: this one."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from attnlab.cli import main
from attnlab.runs.folder import open_run

TEXT = "".join(f"{n} and {n * n % 97} make {n + n * n % 97}.\n" for n in range(300))
MODEL = "--model transformer --model.layers 1 --model.heads 2 --model.width 16 --model.context 16"
TRAINING = "--precision float32 --device cpu --json"
COMMANDS = {
    "train": f"train text.txt {MODEL} --steps 50 --batch 8 --validate-every 50 {TRAINING} --out NAME/train",
    "pretrain": "knowledge pretrain --people 20 --model.layers 1 --model.width 32 --model.heads 2 --model.dropout 0 "
    f"--objectives recital=1,span=1 --steps 12 --batch 8 {TRAINING} --out NAME/pretrained",
    "finetune": f"knowledge finetune NAME/pretrained --steps 6 --batch 8 {TRAINING} --out NAME/finetuned",
    "perplexity": "perplexity one/train --text long.txt --precision float32 --device cpu --json",
}
SCRIPT = """
import sys
from attnlab.cli import main
from attnlab.training.processes import this_process
with this_process("cpu"):  # once for all commands: starting processes takes longer than the commands
    code = max(main(line.split()) for line in sys.argv[1:])
sys.exit(code)
"""
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """The folder, and what each command finds with one process and with two."""
    folder = tmp_path_factory.mktemp("processes")
    (folder / "text.txt").write_text(TEXT)
    (folder / "long.txt").write_text(TEXT * 12)  # several batches of windows
    (folder / "script.py").write_text(SCRIPT)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        return folder, in_this_process(lines("one")), in_two(lines("two"))


def lines(name: str) -> list[str]:
    """The commands, with a folder for what they make."""
    return [line.replace("NAME", name) for line in COMMANDS.values()]


def in_this_process(lines: list[str]) -> dict[str, Any]:
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert [main(line.split()) for line in lines] == [0] * len(lines)
    return values(printed.getvalue())


def in_two(lines: list[str]) -> dict[str, Any]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run([*TORCHRUN, "script.py", *lines], env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return values(ran.stdout)


def values(printed: str) -> dict[str, Any]:
    """One value for each command: one process talks."""
    return dict(zip(COMMANDS, map(json.loads, printed.splitlines()), strict=True))


def test_two_processes_train_the_model_of_one(found):
    folder, one, two = found
    one, two = one["train"], two["train"]
    assert one["steps"] == two["steps"] == 50
    for part in ("validation", "test"):
        assert two[part]["nats_per_token"] == pytest.approx(one[part]["nats_per_token"], abs=1e-4)
    assert one["validation"]["nats_per_token"] < 2.6
    check_losses(folder, "train")


@pytest.mark.parametrize(("command", "run"), [("pretrain", "pretrained"), ("finetune", "finetuned")])
def test_two_processes_teach_the_lesson_of_one(found, command, run):
    """Their rows are the batch of one process, and each target weighs the same, however many a process has."""
    folder, one, two = found
    assert two[command]["loss"] == pytest.approx(one[command]["loss"], abs=1e-5)
    assert two[command]["memorised"] == one[command]["memorised"]
    check_losses(folder, run)


def test_two_processes_share_a_text_and_find_one_exact_total(found):
    _, one, two = found
    (alone,), (shared,) = one["perplexity"]["measured"], two["perplexity"]["measured"]
    assert alone["measures"] == shared["measures"], "to the last digit"
    assert len(alone["measures"]) == 2
    assert alone["sound"]


def check_losses(folder: Path, run: str) -> None:
    for left, right in zip(*(open_run(folder / name / run).metrics() for name in ("one", "two")), strict=True):
        assert left["step"] == right["step"]
        assert left.get("loss", 0) == pytest.approx(right.get("loss", 0), abs=1e-4)
