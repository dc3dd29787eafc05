"""Large inputs: processor time, peak memory, whether progress is shown, and how long a command goes on after Ctrl-C.

    python benchmarks/load.py --text 1000 --rows 1000000 --reviews 100000 --runs 10000 --lines 1000000

These are the sizes of docs/reliability.md: megabytes of text, rows of a class, labelled texts, runs in a folder, lines
of a metrics file. 0, the default, leaves one out. Files are written to a temporary folder (`--place`) and removed.
Each command runs to its end, and again to be interrupted on the way. `--json` keeps the rows of the table.
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
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

WORDS = [f"{a}{b}{c}" for a in ("ba", "do", "ki", "lu", "me", "") for b in ("ran", "til", "so", "") for c in "aeiouns"]
MEGA = 1_000_000


@dataclass(frozen=True)
class Ran:
    """A command that was run: its exit code, seconds by the clock and of the processor, megabytes at most, and whether
    it showed progress. Of an interrupted command, seconds count from Ctrl-C on."""

    code: int
    seconds: float
    processor: float
    megabytes: float
    progress: bool


def run(words: list[str], folder: Path, stop_after: float = 0.0) -> Ran:
    """Run a command with a terminal as its stderr; interrupt it after `stop_after` seconds of its processor time."""
    ours, theirs = pty.openpty()
    began, shown, sent, before = time.monotonic(), b"", 0.0, 0.0
    child = os.fork()
    if not child:
        os.chdir(folder)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell lets what it starts in the background ignore Ctrl-C
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
        if stop_after and not sent and (used := processor_seconds(child)) > stop_after:
            os.kill(child, signal.SIGINT)
            sent, before = time.monotonic(), used
    _, status, used = os.wait4(child, 0)
    os.close(ours)
    seconds = time.monotonic() - (sent or began)
    if stop_after and not sent:
        raise RuntimeError(f"{' '.join(words)} came to its end before it could be interrupted")
    processor = used.ru_utime + used.ru_stime - before
    return Ran(os.waitstatus_to_exitcode(status), seconds, processor, used.ru_maxrss / 1000, shown.count(b"\r") > 2)


def processor_seconds(process: int) -> float:
    """The processor time that a process has used so far, with that of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


TABLE: list[dict[str, Any]] = []


def report(name: str, words: list[str], folder: Path, clean: str = "", share: float = 0.3) -> None:
    """Run a command to its end, and once interrupted after a share of its work; print and keep a row."""
    whole = run(words, folder)
    shutil.rmtree(folder / clean, ignore_errors=True) if clean else None
    half = run(words, folder, stop_after=max(share * whole.processor, 1.0))
    shutil.rmtree(folder / clean, ignore_errors=True) if clean else None
    TABLE.append({"name": name, "command": words, "whole": asdict(whole), "interrupted": asdict(half)})
    after = f"{half.seconds:.1f} s ({half.processor:.1f} s of the processor)"
    stopped = after if half.code == 130 else f"exit {half.code}"
    row = f"{name:42} {whole.code:4} {whole.processor:8.1f} s {whole.megabytes:8,.0f} MB"
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


def large_text(folder: Path, megabytes: int, minutes: float) -> None:
    """Perplexity of a text, and the training of a Transformer on it, which splits it into tokens first."""
    write_text(folder / "text.txt", megabytes)
    run(["train", "topics", "--model", "ngram", "--tokens", "bytes", "--out", "run"], folder)
    report(f"perplexity, {megabytes:,} MB", ["perplexity", "run", "--text", "text.txt"], folder)
    words = ["train", "text.txt", "--model", "transformer", "--tokens", "words", "--minutes", f"{minutes:g}"]
    words += ["--model.width", "64", "--model.layers", "2", "--out", "trained"]
    report(f"train --minutes {minutes:g}, {megabytes:,} MB", words, folder, clean="trained")
    report(f"the same, Ctrl-C among the tokens, {megabytes:,} MB", words, folder, clean="trained", share=0.15)
    (folder / "text.txt").unlink()


def main() -> None:
    """Write each input, run its commands, and remove it."""
    parser = argparse.ArgumentParser()
    for name in ("text", "rows", "reviews", "runs", "lines"):
        parser.add_argument(f"--{name}", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long the Transformer is trained")
    parser.add_argument("--place", type=Path, help="the folder in which the temporary folder is made")
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.place) as place:
        folder = Path(place)
        if asked.runs:
            write_runs(folder / "runs", asked.runs)
            report(f"runs, {asked.runs:,} runs", ["runs"], folder)
            shutil.rmtree(folder / "runs")
        if asked.lines:
            write_metrics(folder / "long", asked.lines)
            report(f"runs, {asked.lines:,} lines of metrics", ["runs", "long"], folder)
            shutil.rmtree(folder / "long")
        if asked.rows:
            write_class(folder / "class.csv", asked.rows)
            report(f"check --answers, {asked.rows:,} rows", ["check", "--answers", "class.csv"], folder)
        if asked.reviews:
            write_reviews(folder / "reviews.tsv", asked.reviews)
            words = ["classify", "train", "reviews.tsv", "--epochs", "1", "--out", "classifier"]
            report(f"classify train, {asked.reviews:,} texts", words, folder, clean="classifier")
        if asked.text:
            large_text(folder, asked.text, asked.minutes)
    if asked.json:
        asked.json.write_text(json.dumps(TABLE, indent=1))


if __name__ == "__main__":
    main()
