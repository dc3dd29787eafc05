"""What several processes are worth: training and scoring under torchrun, and several seeds with --jobs.

    python benchmarks/scale.py                 measures on this machine (CPU, gloo), and prints the arithmetic
    python benchmarks/scale.py --arithmetic    prints the arithmetic alone
    python benchmarks/scale.py --only jobs     measures one part: train, perplexity or jobs

Each piece of work is done by 1, 2, 4, … processes, up to the number of cores. On two idle cores all of it should take
less than eight minutes. The table has one row for each; it is that of docs/scale.md.

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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from attnlab.numbers import whole_percent
from attnlab.parallel.spreading import cores

MODEL = "--model transformer --model.layers 4 --model.heads 4 --model.width 128 --model.context 128 --tokens characters"
SMALL = "--model transformer --model.layers 2 --model.heads 2 --model.width 64 --model.context 64 --tokens characters"
TRAINING = "--precision float32 --device cpu --validate-every 1000 --json"
STEPS = 30

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


def counts() -> list[int]:
    """The numbers of processes that are measured: 1, 2, 4, …, up to the number of cores."""
    return [1 << power for power in range(cores().bit_length())]


def measure(work: str, tell: Callable[[int], tuple[str, Ran]]) -> None:
    """Print a row for each number of processes. `tell` does the work, and says how."""
    first = 0.0
    for count in counts():
        load = os.getloadavg()[0]
        how, ran = tell(count)
        first = first or ran.seconds
        times = f"{ran.seconds:.1f} ({ran.seconds / first:.2f} of one)" if count > 1 else f"{ran.seconds:.1f}"
        print(f"| {work if count == 1 else ''} | {how} | {times} | {ran.processor:.1f} | {load:.1f} |", flush=True)


def train(folder: Path) -> None:
    """Train one model under torchrun, each process on one thread."""

    def tell(count: int) -> tuple[str, Ran]:
        out = f"train-{count}"
        words = f"train topics {MODEL} --steps {STEPS} --batch 32 {TRAINING} --threads 1 --out {out}".split()
        ran = run([*torchrun(count), *words], folder, threads=1)
        looks = [json.loads(line) for line in (folder / out / "metrics.jsonl").read_text().splitlines()]
        speed = median(each["tokens_per_second"] for each in looks if "tokens_per_second" in each)
        sent = f", each sends {exchanged(count, ran.value['parameters']) / 1e6:.1f} MB a step" if count > 1 else ""
        return f"{named(count)}: {speed:,.0f} tokens/s{sent}", ran

    measure(f"training one model of 0.8 million parameters, {STEPS} steps of 32 × 128 tokens", tell)


def perplexity(folder: Path) -> None:
    """Score one text with one model under torchrun, each process on one thread."""
    words = f"train topics {MODEL} --steps 5 --batch 8 {TRAINING} --threads 1 --out scored".split()
    run([*torchrun(1), *words], folder, threads=1)
    text = "The statement is executed by the machine, line after line.\n" * 1_000
    (folder / "long.txt").write_text(text)

    def tell(count: int) -> tuple[str, Ran]:
        words = ["perplexity", "scored", "--text", "long.txt", "--precision", "float32", "--device", "cpu", "--json"]
        ran = run([*torchrun(count), *words], folder, threads=1)
        bits = ran.value["measured"][0]["measures"][0]["bits_per_byte"]["value"]
        return f"{named(count)}: {bits!r} bits per byte", ran

    measure(f"`perplexity` of that shape on {len(text) / 1e6:.2f} MB", tell)


def jobs(folder: Path) -> None:
    """Train several seeds with --jobs: of a small model, whose runs take one thread each, and of a larger one, whose
    runs take all cores."""
    for work, model, steps, seeds, threads in (
        ("a small model", SMALL, 150, 4, 1),
        ("a model of 0.8 million parameters, which uses all cores", MODEL, 10, 2, cores()),
    ):

        def tell(count: int, model: str = model, steps: int = steps, seeds: int = seeds, threads: int = threads):
            words = f"train topics {model} --steps {steps} --batch 32 {TRAINING} --seeds {seeds} --jobs {count}".split()
            return f"`--jobs {count}`", run([*torchrun(1), *words, "--out", f"{threads}-{count}"], folder, threads)

        measure(f"{seeds} seeds of {work}, {steps} steps", tell)


def named(count: int) -> str:
    """How the processes of one model were started."""
    return "alone" if count == 1 else f"`torchrun`, {count}"


PARTS = {"train": train, "perplexity": perplexity, "jobs": jobs}


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
    asked = parser.parse_args()
    if not asked.arithmetic:
        print(f"{cores()} cores\n\n| work | processes | seconds | processor seconds | load average |")
        print("| --- | --- | --- | --- | --- |", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            for part in (asked.only,) if asked.only else PARTS:
                PARTS[part](Path(folder))
    arithmetic()


if __name__ == "__main__":
    main()
