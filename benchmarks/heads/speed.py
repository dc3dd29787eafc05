"""The time and the peak memory of the heads bench. Each measurement has a process of its own.

    python benchmarks/speed.py WORK SHAPE TOKENS ROUNDS

prints one measurement as JSON; heads.py prints them all.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from attnlab.data.texts.prose import prose
from attnlab.evaluation.heads.ablation import effects, mean_outputs, plain_costs
from attnlab.evaluation.heads.looking import look_at
from attnlab.evaluation.heads.opening import open_heads
from attnlab.evaluation.heads.passages import read_passage
from attnlab.evaluation.heads.scores import score_heads
from attnlab.evaluation.heads.variants import Changes
from attnlab.evaluation.scoring.predictors import predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.models.kinds import make_model
from attnlab.models.lens import every_head
from attnlab.models.transformer import GPT2, TransformerConfig
from attnlab.text import train_tokenizer

SHAPES = {
    "4 × 4": TransformerConfig(),
    "4 × 4, context 1,024": TransformerConfig(context=1024),
    "GPT-2": GPT2,
}
SPEED = (("scores", "4 × 4", 10_000, 5.0), ("scores", "GPT-2", 10_000, 60.0))
"""The work, the shape, the tokens, and the seconds that were wanted on two cores."""
MEMORY = (
    ("nothing", "4 × 4, context 1,024", 1_024), ("scores", "4 × 4, context 1,024", 10_240),
    ("ablation", "4 × 4, context 1,024", 10_240), ("look", "4 × 4, context 1,024", 1_024),
    ("nothing", "GPT-2", 1_024), ("scores", "GPT-2", 2_048), ("ablation of 4 heads", "GPT-2", 1_024),
    ("look", "GPT-2", 1_024),
)  # fmt: skip
ABLATION_WANTED = 1.5


@dataclass(frozen=True)
class Measured:
    """The fewest seconds of wall-clock and of processor time, and the peak memory in megabytes."""

    seconds: float
    cpu_seconds: float
    megabytes: float


def subject_of(shape: str) -> Subject:
    """A model with random weights: characters of the lab's default text, or as many tokens as GPT-2 has."""
    tokenizer = train_tokenizer("characters", prose())
    size = 50_257 if shape == "GPT-2" else tokenizer.size
    return Subject(shape, tokenizer, predictor_of(make_model(SHAPES[shape], size, seed=1).requires_grad_(False)))


def work_of(work: str, shape: str, tokens: int) -> Callable[[], object]:
    """The work to measure; the model is made and the text is encoded before."""
    subject = subject_of(shape)
    inside, passage = open_heads(subject), read_passage(subject, [prose()], tokens)
    ids = torch.from_numpy(passage.encoding.ids.astype("int64"))
    heads = every_head(inside)
    changes = Changes.off([[head] for head in (heads[::36] if "of 4" in work else heads)], inside)
    works: dict[str, Callable[[], object]] = {
        "nothing": lambda: None,
        "scores": lambda: score_heads(inside, ids, torch.arange(inside.size)),
        "look": lambda: look_at(inside, ids, heads),
        "plain pass": lambda: plain_costs(subject, passage),
        "ablation": lambda: effects(subject, inside, passage, changes),
        "mean ablation": lambda: effects(
            subject, inside, passage, replace(changes, shift=_shift(changes, mean_outputs(subject, inside, passage)))
        ),
    }
    return works[work.removesuffix(" of 4 heads")]


def _shift(changes: Changes, mean: torch.Tensor) -> torch.Tensor:
    return (1 - changes.gain)[..., None] * mean.to(changes.gain)


def measure(work: str, shape: str, tokens: int, rounds: int) -> Measured:
    """A measurement in a process of its own."""
    words = [sys.executable, str(Path(__file__)), work, shape, str(tokens), str(rounds)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"{work} of {shape} has failed:\n{ended.stderr}")
    return Measured(**json.loads(ended.stdout))


def tell_speed(rounds: int, console: Console) -> None:
    """Print the time of scores, and that of ablation beside 17 plain passes."""
    table = Table(title="speed")
    for column in ("", "tokens", "seconds", "processor seconds", "wanted"):
        table.add_column(column, justify="right" if column else "left")
    for work, shape, tokens, wanted in SPEED:
        found = measure(work, shape, tokens, rounds if shape != "GPT-2" else 1)
        numbers = f"{found.seconds:.2f}", f"{found.cpu_seconds:.2f}"
        table.add_row(f"{work} of {shape}", f"{tokens:,}", *numbers, f"under {wanted:g} s")
    shape, tokens = "4 × 4", 10_000
    plain = measure("plain pass", shape, tokens, 3 * rounds)
    table.add_row("17 plain passes", f"{tokens:,}", f"{17 * plain.seconds:.2f}", f"{17 * plain.cpu_seconds:.2f}", "")
    for work in ("ablation", "mean ablation"):
        found = measure(work, shape, tokens, rounds)
        ratios = (found.seconds / plain.seconds / 17, found.cpu_seconds / plain.cpu_seconds / 17)
        numbers = (
            f"{number:.2f} ({ratio:.2f} ×)"
            for number, ratio in zip((found.seconds, found.cpu_seconds), ratios, strict=True)
        )
        table.add_row(f"{work} of all 16 heads", f"{tokens:,}", *numbers, f"at most {ABLATION_WANTED:g} ×")
    console.print(table)


def tell_memory(console: Console) -> None:
    """Print the peak memory of each work at context 1,024; "nothing" is torch, the text and the model."""
    table = Table(title="peak memory, context 1,024")
    for column in ("", "tokens", "megabytes"):
        table.add_column(column, justify="right" if column else "left")
    for work, shape, tokens in MEMORY:
        table.add_row(f"{work}, {shape}", f"{tokens:,}", f"{measure(work, shape, tokens, 1).megabytes:,.0f}")
    console.print(table)


def peak_megabytes() -> float:
    """The peak memory of this process. (getrusage would count what the parent had, too.)"""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1e3


def main() -> None:
    """Measure one work, and print it as JSON."""
    work, shape, tokens, rounds = sys.argv[1:]
    action = work_of(work, shape, int(tokens))
    times = []
    for _ in range(int(rounds)):
        began, worked = time.perf_counter(), time.process_time()
        action()
        times.append((time.perf_counter() - began, time.process_time() - worked))
    seconds, cpu_seconds = map(min, zip(*times, strict=True))
    print(json.dumps({"seconds": seconds, "cpu_seconds": cpu_seconds, "megabytes": peak_megabytes()}))


if __name__ == "__main__":
    main()
