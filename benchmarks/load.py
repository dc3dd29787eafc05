"""Large inputs: time, peak memory, whether progress is shown, and how long a command goes on after Ctrl-C.

    python benchmarks/load.py --text 100 --rows 100000 --reviews 10000 --runs 1000 --lines 100000

Sizes: megabytes of text, rows of a class, labelled texts, runs in a folder, lines of a metrics file. 0 leaves one out.
Files are written to a temporary folder. Each command runs twice: to its end, and interrupted half-way.
"""

import argparse
import csv
import json
import os
import pty
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

WORDS = [f"{a}{b}{c}" for a in ("ba", "do", "ki", "lu", "me", "") for b in ("ran", "til", "so", "") for c in "aeiouns"]
MEGA = 1_000_000


@dataclass(frozen=True)
class Ran:
    """A command that was run: its exit code, seconds, megabytes at most, and whether it showed progress."""

    code: int
    seconds: float
    megabytes: float
    progress: bool


def run(words: list[str], folder: Path, stop_after: float = 0.0) -> Ran:
    """Run a command with a terminal as its stderr. The seconds of an interrupted command count from Ctrl-C on."""
    ours, theirs = pty.openpty()
    began, shown, sent = time.monotonic(), b"", 0.0
    child = os.fork()
    if not child:
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(theirs, 2)
        os.execv(sys.executable, [sys.executable, "-m", "attnlab", *words])
    os.close(theirs)
    while True:
        ready, _, _ = select.select([ours], [], [], 0.05)
        if ready:
            try:
                shown = (shown + os.read(ours, 65536))[-MEGA:]
            except OSError:  # the terminal has no other end any more
                break
        if stop_after and not sent and time.monotonic() - began > stop_after:
            os.kill(child, signal.SIGINT)
            sent = time.monotonic()
    _, status, used = os.wait4(child, 0)
    os.close(ours)
    seconds = time.monotonic() - (sent or began)
    return Ran(os.waitstatus_to_exitcode(status), seconds, used.ru_maxrss / 1000, len(shown) > 200)


def report(name: str, words: list[str], folder: Path, clean: str = "") -> None:
    """Run a command to its end and once interrupted, and print a row."""
    whole = run(words, folder)
    shutil.rmtree(folder / clean, ignore_errors=True) if clean else None
    half = run(words, folder, stop_after=max(whole.seconds / 2, 2.0))
    shutil.rmtree(folder / clean, ignore_errors=True) if clean else None
    stopped = f"{half.seconds:.1f} s" if half.code == 130 else f"exit {half.code}"
    row = f"{name:42} {whole.code:4} {whole.seconds:8.1f} s {whole.megabytes:8,.0f} MB"
    print(f"{row}   progress {'yes' if whole.progress else 'no ':3}   Ctrl-C {stopped}", flush=True)


def sentences(draws: random.Random) -> Iterator[str]:
    """Sentences without end."""
    while True:
        yield " ".join(draws.choices(WORDS, k=draws.randrange(4, 16))) + ".\n"


def write_text(path: Path, megabytes: float) -> None:
    """A text of this size."""
    draws, size = random.Random(0), 0
    block = "".join(next(sentences(draws)) for _ in range(20_000))
    with path.open("w") as file:
        while size < megabytes * MEGA:
            size += file.write(" ".join(draws.sample(block.split(" "), 50_000)) + "\n")


def write_class(path: Path, rows: int) -> None:
    """A class with this many rows; as in a large course, most answers were given by others, too."""
    draws = random.Random(0)
    answers = [f"q = {n} C(k_a + k_b)/{n + 1}" for n in range(200)] + [f"q = {n} k_a + k_b" for n in range(100)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["student", "problem", "answer"])
        writer.writerows([f"student {n}", "average", draws.choice(answers)] for n in range(rows))


def write_reviews(path: Path, count: int) -> None:
    """Labelled texts of about a hundred words."""
    draws = random.Random(0)
    with path.open("w") as file:
        for number in range(count):
            label = "pos" if number % 2 else "neg"
            words = draws.choices([*WORDS, "superb" if number % 2 else "dull"], k=100)
            file.write(f"{label}\t{' '.join(words)}\n")


def write_runs(folder: Path, count: int) -> None:
    """This many small runs: what `attnlab runs` reads of them."""
    config = {"version": 2, "text": "a.txt", "model": {"kind": "ngram"}, "tokens": {"kind": "words"}}
    measured = {"step": 1, "validation": {"nats_per_token": 1.0, "perplexity": 2.7, "bits_per_byte": 2.0}}
    for number in range(count):
        run_folder = folder / f"run-{number}"
        run_folder.mkdir(parents=True)
        (run_folder / "config.json").write_text(json.dumps(config))
        (run_folder / "metrics.jsonl").write_text(json.dumps(measured) + "\n")


def write_metrics(folder: Path, lines: int) -> None:
    """A run that was measured this many times."""
    write_runs(folder, 1)
    with (folder / "run-0" / "metrics.jsonl").open("a") as file:
        for step in range(2, lines):
            file.write(json.dumps({"step": step, "loss": 1.0 / step, "seconds": step / 10}) + "\n")


def main() -> None:
    """Write each input, run its commands, and remove it."""
    parser = argparse.ArgumentParser()
    for name in ("text", "rows", "reviews", "runs", "lines"):
        parser.add_argument(f"--{name}", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if asked.text:
            write_text(folder / "text.txt", asked.text)
            words = ["train", "text.txt", "--model", "ngram", "--tokens", "bytes", "--model.order", "3"]
            report(f"train ngram, {asked.text:,} MB", [*words, "--out", "run"], folder, clean="run")
            run(["train", "topics", "--model", "ngram", "--tokens", "bytes", "--out", "run"], folder)
            report(f"perplexity, {asked.text:,} MB", ["perplexity", "run", "--text", "text.txt"], folder)
            (folder / "text.txt").unlink()
        if asked.rows:
            write_class(folder / "class.csv", asked.rows)
            report(f"check --answers, {asked.rows:,} rows", ["check", "--answers", "class.csv"], folder)
        if asked.reviews:
            write_reviews(folder / "reviews.tsv", asked.reviews)
            words = ["classify", "train", "reviews.tsv", "--epochs", "1", "--out", "classifier"]
            report(f"classify train, {asked.reviews:,} texts", words, folder, clean="classifier")
        if asked.runs:
            write_runs(folder / "runs", asked.runs)
            report(f"runs, {asked.runs:,} runs", ["runs"], folder)
        if asked.lines:
            write_metrics(folder / "long", asked.lines)
            report(f"runs, {asked.lines:,} lines of metrics", ["runs", "long"], folder)


if __name__ == "__main__":
    main()
