"""A text to train on and two passages to measure on: one near to that text, and one that is strange to it.

Where the coursework's passages and Shakespeare's plays are on this machine, they are these: the first passage is a
speech from Coriolanus, the second is Wikipedia's on New Zealand. Else the text is the lab's own, the first passage is a
part of it that was held out, and the second is made up: an encyclopedia's sentences, full of names and numbers.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from attnlab.data.sets import locate
from attnlab.data.texts.loading import load_text
from attnlab.text import Normalisation

NEAR = 4_000
"""Characters of the held-out passage, about."""
SENTENCES, PARAGRAPH = 40, 5
SEED = 16
"""Of the passage that is made up: one for all claims, so that their numbers belong together."""
ENCYCLOPEDIA = 2_000_000
"""Characters of WikiText-2 that are trained on, a fifth of it."""
SENTENCE_KINDS = (
    "In {year}, {name} of {place} was the first to be given the name of {title}, and {number} people came.",
    "The {title} of {place} was made in {year} by {name} {name}, a son of the {place} {title} {name}.",
    "Between {year} and {year}, about {number} of the {name} were sent to {place}, {place} and {place}.",
    "{name} {name} (born {year}) is known for the {place} {title}; it has {number} parts.",
    "After the {name} War of {year}, {name} left {place} for {place} with {number} men, and the {title} ended.",
)


@dataclass(frozen=True)
class Passages:
    """A text to train on, the passage that is near to it, and the one that is strange to it."""

    train: str
    near: str
    far: str
    source: str
    """Where they come from, as part of a sentence."""
    real: bool
    """Whether these are the coursework's passages."""


@cache
def passages() -> Passages:
    """The real passages where they are on this machine, else such as are made up."""
    passages, plays = locate("passages"), locate("tinyshakespeare")
    if passages and plays:
        near, far = (path.read_text(encoding="utf-8") for path in passages.values())
        # The speech stands in the text that everybody trains on; a model that has seen it is no measure of it.
        train = load_text("tinyshakespeare").train.replace(near, "")
        return Passages(
            train,
            near,
            far,
            "Shakespeare's plays without the near passage to train on, and the coursework's two passages",
            True,
        )
    text = load_text("topics")
    near = text.test[:NEAR].rpartition("\n\n")[0]
    source = (
        "the documentation of Python to train on, a held-out part of it as the near passage, and made-up sentences of "
        "names and numbers as the strange one"
    )
    return Passages(text.train, near, encyclopedia(np.random.default_rng(SEED)), source, False)


@cache
def spaced_out() -> tuple[str, str]:
    """A text whose words are set apart by spaces, as people train on, and what it is called.

    It is a part of WikiText-2 where that is on this machine, else the text to train on, taken apart likewise.
    """
    if locate("wikitext2"):
        return load_text("wikitext2").train[:ENCYCLOPEDIA], "the first two million characters of WikiText-2"
    parts = Normalisation().parts(passages().train)
    return " ".join(part.strip() for part in parts), "the training text, with spaces around punctuation"


def encyclopedia(random: np.random.Generator) -> str:
    """Sentences as an encyclopedia has them, of names and numbers that nobody has seen."""

    def name() -> str:
        starts, vowels, ends = (
            ["B", "D", "K", "M", "Ng", "R", "T", "Th", "W", "Z"],
            "aeiouāēō",
            ["", "n", "r", "ki", "ti"],
        )
        middle = "".join(random.choice(["k", "m", "r", "t", "v", "ll"]) + random.choice([*vowels]) for _ in range(2))
        return random.choice(starts) + random.choice([*vowels]) + middle + random.choice(ends)

    places, titles = (
        [name() for _ in range(12)],
        [f"{name()} {word}" for word in ("Treaty", "Affray", "Crown", "Tribunal")],
    )
    sentences = []
    for _ in range(SENTENCES):
        words = random.choice(SENTENCE_KINDS)
        while "{" in words:
            words = (
                words.replace("{year}", str(random.integers(1250, 1990)), 1)
                .replace("{name}", name(), 1)
                .replace("{place}", random.choice(places), 1)
                .replace("{title}", random.choice(titles), 1)
                .replace("{number}", f"{random.integers(100, 40_000):,}", 1)
            )
        sentences.append(words)
    paragraphs = (sentences[first : first + PARAGRAPH] for first in range(0, SENTENCES, PARAGRAPH))
    return "\n\n".join(" ".join(each) for each in paragraphs) + "\n"
