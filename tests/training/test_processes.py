"""Many processes: two of them, started by torchrun and joined by gloo, learn what one learns."""

import json
import os
import subprocess
import sys

import pytest

from attnlab.cli import main
from attnlab.runs.folder import open_run

TEXT = "".join(f"{n} and {n * n % 97} make {n + n * n % 97}.\n" for n in range(300))
MODEL = "--model transformer --model.layers 1 --model.heads 2 --model.width 16 --model.context 16"
TRAINING = "--steps 50 --batch 8 --precision float32 --validate-every 50 --device cpu"
OPTIONS = f"train text.txt {MODEL} {TRAINING} --json".split()
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "attnlab"]


@pytest.mark.usefixtures("as_installed")
def test_two_processes_give_the_result_of_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT)
    assert main([*OPTIONS, "--out", "one"]) == 0
    one = json.loads(capsys.readouterr().out)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run([*TORCHRUN, *OPTIONS, "--out", "two"], env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    two = json.loads(ran.stdout)  # one value: one process talks
    assert one["steps"] == two["steps"] == 50
    for part in ("validation", "test"):
        assert two[part]["nats_per_token"] == pytest.approx(one[part]["nats_per_token"], abs=1e-4)
    for left, right in zip(*(open_run(tmp_path / name).metrics() for name in ("one", "two")), strict=True):
        assert left["step"] == right["step"]
        assert left.get("loss", 0) == pytest.approx(right.get("loss", 0), abs=1e-4)
    assert one["validation"]["nats_per_token"] < 2.6
