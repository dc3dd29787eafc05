"""Bigram models of WikiText-2 in one run: counts, and neural models by the course's recipe and the lab's.

    .venv/bin/python benchmarks/bigram.py --data DATA

DATA holds wikitext-2-v1.zip and glove/glove.6B.100d.txt.gz; its default is the variable ATTNLAB_DATA. As in claim 12,
the text is in lower case, without headings, with the 1,999 commonest words (the end of a paragraph is one of them) and
one unknown word. All perplexities are of the validation text without its first word. All recipes were chosen on the
training text only, with its last tenth held out.

Word vectors are GloVe's, with 100 numbers. Models with 50 numbers use the first 50. Words that GloVe does not have (the
unknown word, the paragraph's end, many numbers) get random vectors with the same mean and standard deviation.

Times are for training, from integers in memory to a trained model; for counts they include scoring. The course's recipe
runs in NumPy and float64, as in the course, but faster: without one-hot vectors and without copies.
"""

import argparse
import gzip
import math
import os
import platform
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import torch

from attnlab.models.bigram import Bigram, BigramConfig, PairCounts
from attnlab.models.ngrams.ngram import Discounts, NGram
from attnlab.statistics import over_seeds
from attnlab.training.language.counting import CountTraining, train_on_counts

SIZE, SEEDS = 2000, 5
END, UNKNOWN = "<eos>", "<unk>"
COURSE_STEPS = 40_000
FROZEN = BigramConfig(dim=50, hidden=50, train_vectors=False), CountTraining(steps=300, rate=0.1, penalty=1e-6)
TRAINED = BigramConfig(dim=100, hidden=100), CountTraining()


@dataclass(frozen=True)
class Text:
    """WikiText-2 as integers, and a function from a seed to word vectors."""

    train: np.ndarray
    valid: np.ndarray
    vectors: Callable[[int], np.ndarray]  # by seed: some are random


def paragraphs(archive: zipfile.ZipFile, part: str) -> list[list[str]]:
    """The words of each paragraph, in lower case, without headings."""
    lines = archive.read(f"wikitext-2/wiki.{part}.tokens").decode("utf-8").lower().split("\n")
    kept = (line.split() for line in map(str.strip, lines) if line and not (line[0] == line[-1] == "="))
    return [[*words, END] for words in kept]


def prepare(data: Path) -> Text:
    """Read the text and the vectors."""
    with zipfile.ZipFile(data / "wikitext-2-v1.zip") as archive:
        train, valid = ([word for words in paragraphs(archive, part) for word in words] for part in ("train", "valid"))
    counts = Counter(train)
    del counts[UNKNOWN]
    index = {word: i for i, (word, _) in enumerate(counts.most_common(SIZE - 1), 1)}  # the unknown word is 0
    known = np.zeros(SIZE, dtype=bool)
    glove = np.zeros((SIZE, 100))
    with gzip.open(data / "glove" / "glove.6B.100d.txt.gz", "rt", encoding="utf-8") as file:
        for line in file:
            word, *numbers = line.rstrip("\n").split(" ")
            if i := index.get(word):
                glove[i], known[i] = [float(number) for number in numbers], True
    print(f"{len(train):,} and {len(valid):,} words; GloVe lacks {SIZE - known.sum()} of {SIZE:,}")

    def vectors(seed: int) -> np.ndarray:
        drawn = np.random.default_rng(seed).normal(glove[known].mean(0), glove[known].std(0), glove.shape)
        return np.where(known[:, None], glove, drawn)

    ids = [np.array([index.get(word, 0) for word in words]) for words in (train, valid)]
    return Text(ids[0], ids[1], vectors)


def counts(text: Text, order: int, discounts: Discounts) -> tuple[float, float]:
    """The perplexity of a count model, and the seconds that it took."""
    start = time.perf_counter()
    nats = NGram.fit(text.train, SIZE, order, discounts).nats(text.valid)[1:]
    return math.exp(nats.mean()), time.perf_counter() - start


def course(text: Text, steps: int, seed: int) -> tuple[float, float]:
    """The course's recipe: batches of 50 random pairs and a learning rate of 0.3, halved half-way."""
    vectors = text.vectors(seed)[:, :50]
    start = time.perf_counter()
    generator = np.random.default_rng(seed)
    W1, b1, W2, b2 = (generator.normal(size=shape) for shape in ((50, 50), 50, (50, SIZE), SIZE))
    batch = np.arange(50)
    for step in range(steps):
        rate = 0.3 if step < steps / 2 else 0.15
        places = generator.integers(0, len(text.train) - 1, 50)
        x = vectors[text.train[places]]
        h = 1 / (1 + np.exp(-(x @ W1 + b1)))
        logits = h @ W2 + b2
        guess = np.exp(logits - logits.max(1, keepdims=True))
        guess /= guess.sum(1, keepdims=True)
        guess[batch, text.train[places + 1]] -= 1  # ŷ − y
        guess /= 50
        delta = (guess @ W2.T) * h * (1 - h)
        W2 -= rate * (h.T @ guess)
        b2 -= rate * guess.sum(0)
        W1 -= rate * (x.T @ delta)
        b1 -= rate * delta.sum(0)
    taken = time.perf_counter() - start
    model = Bigram(BigramConfig(train_vectors=False), SIZE, torch.from_numpy(vectors))
    found = {"W1": W1, "b1": b1, "W2": W2, "b2": b2, "vectors": vectors}
    model.load_state_dict({name: torch.from_numpy(array) for name, array in found.items()})
    return perplexity(model, text), taken


def ours(text: Text, config: BigramConfig, recipe: CountTraining, seed: int) -> tuple[float, float]:
    """The lab's recipe: the whole text in each step, as counts."""
    vectors = torch.from_numpy(text.vectors(seed)[:, : config.dim]).float()
    start = time.perf_counter()
    model = Bigram(config, SIZE, vectors, seed=seed)
    train_on_counts(model, PairCounts.of_text(torch.from_numpy(text.train), SIZE), recipe)
    return perplexity(model, text), time.perf_counter() - start


def perplexity(model: Bigram, text: Text) -> float:
    """The perplexity of the validation text."""
    return math.exp(model.nats(torch.from_numpy(text.valid)).double().mean())


def row(name: str, runs: list[tuple[float, float]], reference: float, *, random: bool = True) -> None:
    """Print the mean perplexity with its 95 % interval (if seeds matter), the median time, and its share of the
    reference time."""
    values, seconds = [value for value, _ in runs], median(taken for _, taken in runs)
    shown = over_seeds(values, 2) if random else f"{values[0]:.2f}"
    print(f"  {name:52} {shown:24} {seconds:7.2f} s   1/{reference / seconds:.1f}", flush=True)


def main() -> None:
    """Run the benchmark and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("ATTNLAB_DATA") or None, help="the folder of the data"
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the course's steps, one seed")
    options = parser.parse_args()
    if options.data is None:
        parser.error("--data: expected a folder; the variable ATTNLAB_DATA is not set either")
    for name in ("wikitext-2-v1.zip", "glove/glove.6B.100d.txt.gz"):
        if not (options.data / name).is_file():
            parser.error(f"--data: expected {name} in {options.data}")
    print(f"{platform.processor() or platform.machine()}, {torch.get_num_threads()} threads, torch {torch.__version__}")
    text = prepare(options.data)
    load = os.getloadavg()[0]
    factor = 10 if options.quick else 1
    taught = [course(text, COURSE_STEPS // factor, seed) for seed in range(1 if options.quick else SEEDS)]
    reference = median(taken for _, taken in taught) * factor
    print(f"validation perplexity, seconds, the share of the course recipe's time; load average {load:.1f} before")
    if options.quick:
        print("  quick: the course's recipe ran a tenth of its steps; its time is times ten, its perplexity too high")
    row("course: GloVe's 50, frozen, 50 hidden, 40,000 steps", [(value, reference) for value, _ in taught], reference)
    kinds: tuple[tuple[int, Discounts], ...] = ((2, "plain"), (2, "modified"), (2, "spread"), (3, "modified"))
    for order, kind in kinds:
        runs = [counts(text, order, kind) for _ in range(3)]
        row(f"counts: {kind} Kneser–Ney, order {order}", runs, reference, random=False)
    for name, (config, recipe) in {"frozen": FROZEN, "trained": TRAINED}.items():
        runs = [ours(text, config, recipe, seed) for seed in range(SEEDS)]
        row(f"ours: GloVe's {config.dim}, {name}, {config.hidden} hidden, {recipe.steps} steps", runs, reference)
    print(f"load average {os.getloadavg()[0]:.1f} after, this benchmark's own threads among it")


if __name__ == "__main__":
    main()
