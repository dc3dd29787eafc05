"""What 1, 2 and 4 processes are worth: training and scoring under torchrun, and several seeds with --jobs.

    python benchmarks/scale.py                          measures on this machine (CPU, gloo), and prints the arithmetic
    python benchmarks/scale.py --arithmetic             prints the arithmetic alone
    python benchmarks/scale.py --only jobs --seeds 4    measures one part: train, perplexity or jobs

The arithmetic: a step of P GPUs takes the time of its own tokens, and the time that the gradients take on their way. A
ring all-reduce of N float32 gradients sends 2 (P − 1) / P · 4 N bytes from each GPU. DDP sends them during the backward
pass; the table assumes that nothing overlaps, so a real step is faster.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from attnlab.numbers import whole_percent

MODEL = "--model transformer --model.layers 4 --model.heads 4 --model.width 128 --model.context 128 --tokens characters"
SMALL = "--model transformer --model.layers 2 --model.heads 2 --model.width 64 --model.context 64 --tokens characters"
TRAINING = "--precision float32 --device cpu --validate-every 1000 --json"
PARTS = ("train", "perplexity", "jobs")

PARAMETERS, TOKENS_PER_SECOND, BATCH = 124.4e6, 536_000.0, 64 * 1024
"""GPT-2 124M, what one H200 trains on in a second (docs/benchmarks.md), and the tokens of a GPU in each step."""
BYTES_PER_TOKEN = 4.4
"""Bytes of English text for each of GPT-2's tokens, about: OpenWebText."""
LINKS = {"NVLink, 450 GB/s": 450e9, "InfiniBand, 50 GB/s": 50e9, "Ethernet, 1.25 GB/s": 1.25e9}
"""What a GPU can send in a second: inside a machine, and between machines with a 400 Gbit/s or a 10 Gbit/s card."""
DOLLARS = 3.0
"""The assumed price of a GPU for an hour."""


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its seconds: on the clock, and of all its processes together."""

    value: dict
    seconds: float
    processor: float


def run(words: list[str], folder: Path, threads: int) -> Ran:
    """Run a command in a folder, each process on this many threads."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    ran = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"{' '.join(words)}\n{ran.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ran(json.loads(ran.stdout.splitlines()[-1]), time.perf_counter() - began, spent)


def torchrun(processes: int) -> list[str]:
    """The beginning of a command line with this many processes."""
    if processes == 1:
        return [sys.executable, "-m", "attnlab"]
    return [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        f"--nproc-per-node={processes}",
        "-m",
        "attnlab",
    ]


def train(folder: Path, steps: int) -> None:
    """Tokens per second of training one model, each process on one thread."""
    print("\ntraining one model under torchrun, 32 × 128 tokens a step in all, each process on one thread")
    print("processes  tokens/s  ratio  bytes sent by each process in a step  seconds  processor seconds")
    first = 0.0
    for count in (1, 2, 4):
        out = f"train-{count}"
        words = f"train topics {MODEL} --steps {steps} --batch 32 {TRAINING} --threads 1 --out {out}".split()
        ran = run([*torchrun(count), *words], folder, threads=1)
        looks = [json.loads(line) for line in (folder / out / "metrics.jsonl").read_text().splitlines()]
        speed = median(each["tokens_per_second"] for each in looks if "tokens_per_second" in each)
        first = first or speed
        sent = exchanged(count, ran.value["parameters"])
        print(f"{count:9}  {speed:8,.0f}  {speed / first:5.2f}  {sent:38,.0f}  {ran.seconds:7.1f}  {ran.processor:.1f}")


def perplexity(folder: Path) -> None:
    """Seconds of scoring one text with one model."""
    print("\nscoring a text of 0.18 MB under torchrun, each process on one thread")
    print("processes  seconds  ratio  processor seconds  bits per byte")
    words = f"train topics {MODEL} --steps 5 --batch 8 {TRAINING} --threads 1 --out scored".split()
    run([*torchrun(1), *words], folder, threads=1)
    (folder / "long.txt").write_text("The statement is executed by the machine, line after line.\n" * 3_000)
    first = 0.0
    for count in (1, 2, 4):
        words = ["perplexity", "scored", "--text", "long.txt", "--precision", "float32", "--device", "cpu", "--json"]
        ran = run([*torchrun(count), *words], folder, threads=1)
        first = first or ran.seconds
        bits = ran.value["measured"][0]["measures"][0]["bits_per_byte"]["value"]
        print(f"{count:9}  {ran.seconds:7.1f}  {first / ran.seconds:5.2f}  {ran.processor:17.1f}  {bits!r}")


def jobs(folder: Path, seeds: int, steps: int) -> None:
    """Seconds of training several seeds, with --jobs."""
    print(f"\n{seeds} seeds of a small model with --jobs, each process on one thread")
    print("jobs  seconds  ratio  processor seconds")
    first = 0.0
    for count in (1, 2, 4):
        words = f"train topics {SMALL} --steps {steps} --batch 32 {TRAINING} --seeds {seeds} --jobs {count}".split()
        ran = run([*torchrun(1), *words, "--out", f"jobs-{count}"], folder, threads=1)
        first = first or ran.seconds
        print(f"{count:4}  {ran.seconds:7.1f}  {ran.seconds / first:5.2f}  {ran.processor:.1f}")


def exchanged(processes: int, parameters: float = PARAMETERS) -> float:
    """The bytes that each process sends in a step: a ring all-reduce of float32 gradients."""
    return 2 * (processes - 1) / processes * 4 * parameters


def arithmetic() -> None:
    """What 1 to 64 GPUs and 1 GB to 1 TB of text take."""
    print(f"\nGPT-2 124M, {BATCH:,} tokens of each GPU in a step, {TOKENS_PER_SECOND:,.0f} tokens/s on one H200")
    print(f"{'GPUs':>5} {'MB sent a step':>15}", *(f"{name:>28}" for name in LINKS))
    compute = BATCH / TOKENS_PER_SECOND
    for gpus in (1, 2, 4, 8, 16, 32, 64):
        speeds = [gpus * BATCH / (compute + exchanged(gpus) / each) for each in LINKS.values()]
        told = (
            f"{speed / 1e6:15.2f} M tokens/s {whole_percent(speed / TOKENS_PER_SECOND / gpus):>5}" for speed in speeds
        )
        print(f"{gpus:5} {exchanged(gpus) / 1e6:15,.0f}", *told)
    print(f"\none pass over a text of {BYTES_PER_TOKEN} bytes a token, between machines with InfiniBand, and its price")
    for gpus in (1, 8, 64):
        speed = gpus * BATCH / (compute + exchanged(gpus) / (LINKS["NVLink, 450 GB/s"] if gpus <= 8 else 50e9))
        for gigabytes in (1, 10, 100, 1000):
            hours = gigabytes * 1e9 / BYTES_PER_TOKEN / speed / 3600
            tokens = gigabytes / BYTES_PER_TOKEN
            price = hours * gpus * DOLLARS
            print(f"{gpus:3} GPUs, {gigabytes:5,} GB ({tokens:6.2f} G tokens): {hours:8.2f} h, ${price:,.0f}")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arithmetic", action="store_true", help="measure nothing")
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=4)
    asked = parser.parse_args()
    if not asked.arithmetic:
        print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}")
        with tempfile.TemporaryDirectory() as folder:
            for part in (asked.only,) if asked.only else PARTS:
                if part == "train":
                    train(Path(folder), asked.steps)
                elif part == "perplexity":
                    perplexity(Path(folder))
                else:
                    jobs(Path(folder), asked.seeds, 20 * asked.steps)
    arithmetic()


if __name__ == "__main__":
    main()
