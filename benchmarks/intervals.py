"""Intervals of perplexity and bits per byte: how often they hold the truth about the kind of text that they are for.

.venv/bin/python benchmarks/intervals.py --data FOLDER             on articles that nothing was chosen on
.venv/bin/python benchmarks/intervals.py --data FOLDER --choose    on other articles, to choose the recipe

FOLDER holds WikiText-2. Two n-gram models, of words and of characters, learn from the first 2 MB of its training text.
The recipe of the intervals was chosen on the articles up to 6.4 MB; they are measured on the rest and on the validation
text. Passages are drawn from these articles in random order, each beginning anywhere in an article; or from their lines
in random order. The truth is the value of all these articles together. An interval that is not printed is not counted.
"""

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attnlab.data.texts.loading import load_text
from attnlab.data.tokens.files import cut_again
from attnlab.evaluation.scoring.costs import stream_costs
from attnlab.evaluation.scoring.documents import HEADING
from attnlab.evaluation.scoring.intervals import spread
from attnlab.evaluation.scoring.predictors import predictor_of
from attnlab.evaluation.scoring.subjects import Subject
from attnlab.evaluation.scoring.tallies import STRETCH
from attnlab.models.ngrams.ngram import NGram
from attnlab.numbers import percent, whole_percent
from attnlab.text import Normalisation, train_tokenizer

TRAINED, CHOSEN = 2_000_000, 6_400_000
"""The bytes of the training text that the models learn from, and those up to which the recipe was chosen."""
SIZES = (13_000, 32_000, 64_000, 128_000, 256_000, 512_000, 1_000_000)
UNIT = 64
"""Costs are summed over this many bytes, or over a line."""
NUMBERS = {
    "perplexity, words": ((0, 1),),
    "bits/byte, words": ((2, 3),),
    "perplexity, characters": ((4, 5),),
    "bits/byte, characters": ((6, 7),),
    "bits/byte, difference": ((2, 3), (6, 7)),
}
"""The columns of each number: nats over tokens, comparable nats over bytes."""


@dataclass(frozen=True)
class Stretch:
    """A passage, or an article, in units: the sums of each column, and where documents begin."""

    sums: np.ndarray
    begins: np.ndarray

    @classmethod
    def joined(cls, some: list["Stretch"]) -> "Stretch":
        """Several stretches, one after the other."""
        return cls(np.concatenate([each.sums for each in some], 1), np.concatenate([each.begins for each in some]))

    def cut(self, first: int, size: int) -> "Stretch":
        """The units from `first` on, up to a size in bytes."""
        ends = np.cumsum(self.sums[3, first:])
        last = first + int(np.searchsorted(ends, size)) + 1
        return Stretch(self.sums[:, first:last], self.begins[first:last])

    def parts(self, headings: bool) -> np.ndarray:
        """The sums over documents or, if there are none, over stretches of 96 KiB, as a tally has them."""
        documents = np.cumsum(self.begins)
        stretches = (np.cumsum(self.sums[3]) - self.sums[3]).astype(int) // STRETCH
        numbers = documents if headings and documents[-1] > documents[0] else stretches
        return np.add.reduceat(self.sums, np.flatnonzero(np.diff(numbers, prepend=-1)), axis=1)


def subjects(train: str) -> list[Subject]:
    """Counts of word pairs in lower case, and counts of five characters."""
    words = train_tokenizer("words", train, vocabulary=10_000, normalisation=Normalisation(lower=True))
    letters = train_tokenizer("characters", train)
    return [
        Subject(each.kind, each, predictor_of(NGram.fit(each.encode(train).ids, each.size, order)), unknown=0)
        for each, order in ((words, 2), (letters, 5))
    ]


def measured(models: list[Subject], text: str, places: np.ndarray) -> np.ndarray:
    """The sums of each column over the units of a text that begin at these bytes."""
    columns = []
    for model in models:
        found = list(stream_costs(model, cut_again(model.tokenizer, [text])))
        raw = np.concatenate([each.encoding.raw_bytes for each in found]).astype(np.int64)
        units = np.searchsorted(places, np.cumsum(raw) - raw, side="right") - 1
        nats, comparable = (np.concatenate([getattr(each, name) for each in found]) for name in ("nats", "comparable"))
        columns += [
            np.bincount(units, each, minlength=len(places)) for each in (nats, np.ones(len(raw)), comparable, raw)
        ]
    return np.stack(columns)


def articles(models: list[Subject], text: str) -> list[Stretch]:
    """The articles of a text, in units of 64 bytes."""
    first = [len(text[: match.start()].encode()) for match in HEADING.finditer(text)]
    places = np.unique([*first, *range(0, len(text.encode()), UNIT)])
    sums, begins = measured(models, text, places), np.isin(places, first)
    cuts = np.flatnonzero(begins)
    return [
        Stretch(sums[:, start:stop], begins[start:stop])
        for start, stop in zip(cuts, [*cuts[1:], len(places)], strict=True)
    ]


def lines(models: list[Subject], text: str) -> list[Stretch]:
    """The lines of a text that are not empty, each a unit."""
    every = text.splitlines(keepends=True)
    places = np.cumsum([0, *(len(line.encode()) for line in every[:-1])])
    sums = measured(models, text, places)
    return [
        Stretch(sums[:, [place]], np.array([HEADING.match(line) is not None]))
        for place, line in enumerate(every)
        if line.strip()
    ]


def passages(some: list[Stretch], size: int, count: int) -> Iterator[Stretch]:
    """Passages of a size: stretches in random order, drawn with replacement; each begins anywhere in the first one."""
    random = np.random.default_rng(size)
    bytes_of = np.array([each.sums[3].sum() for each in some])
    for _ in range(count):
        drawn = [some[random.choice(len(some), p=bytes_of / bytes_of.sum())]]
        first = int(random.integers(drawn[0].sums.shape[1]))
        more = -drawn[0].sums[3, :first].sum()
        while more + sum(each.sums[3].sum() for each in drawn) < size:
            drawn += [some[place] for place in random.integers(len(some), size=1 + int(size / bytes_of.mean() / 4))]
        yield Stretch.joined(drawn).cut(first, size)


def coverage(some: list[Stretch], size: int, count: int, headings: bool) -> dict[str, tuple[int, int]]:
    """For each number, in how many passages an interval is printed, and in how many it holds the truth."""
    whole = np.sum([each.sums.sum(1) for each in some], axis=0)
    found: dict[str, tuple[int, int]] = {name: (0, 0) for name in NUMBERS}
    for passage in passages(some, size, count):
        parts = passage.parts(headings)
        for name, pairs in NUMBERS.items():
            half = spread(*((parts[top], parts[bottom]) for top, bottom in pairs)).half
            if half is not None:
                apart = abs(value(parts.sum(1), pairs) - value(whole, pairs))
                found[name] = found[name][0] + 1, found[name][1] + (apart <= half)
    return found


def value(sums: np.ndarray, pairs: tuple[tuple[int, int], ...]) -> float:
    """A ratio of sums, or the difference of two."""
    first, *rest = (sums[top] / sums[bottom] for top, bottom in pairs)
    return float(first - sum(rest))


def main() -> None:
    """Run the benchmark and print a line for each text and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("ATTNLAB_DATA"))
    parser.add_argument("--choose", action="store_true", help="measure on the articles that the recipe was chosen on")
    parser.add_argument("--passages", type=int, default=1000)
    options = parser.parse_args()
    if options.data is None or not options.data.is_dir():
        parser.error("--data: expected a folder with WikiText-2 (or set ATTNLAB_DATA)")
    os.environ["ATTNLAB_DATA"] = str(options.data)
    text = load_text("wikitext2")
    train = text.train
    models = subjects(train[:TRAINED])
    held_out = train[TRAINED:CHOSEN] if options.choose else train[CHOSEN:] + text.validation
    some = articles(models, held_out)
    print(f"{len(some)} articles; {options.passages} passages of each size; of how many an interval is printed, and")
    print("how many of these hold the value of all articles")
    print(f"{'passages of':30} {'bytes':>9}  " + "  ".join(f"{name:>22}" for name in NUMBERS))
    kinds = {
        "articles": (some, True),
        "articles, no headings": (some, False),
        "shuffled lines": (lines(models, held_out), True),
    }
    for kind, (drawn, headings) in kinds.items():
        for size in SIZES:
            found = coverage(drawn, size, options.passages, headings)
            cells = (
                f"{whole_percent(printed / options.passages)}, " + (percent(held / printed) if printed else "–")
                for printed, held in found.values()
            )
            print(f"{kind:30} {size:9,}  " + "  ".join(f"{cell:>22}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
