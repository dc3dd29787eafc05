"""A text to train on and two passages to measure on: the near passage is like the text, the strange passage is not.

If the coursework's passages and Shakespeare's plays are on this machine, they are used: the near passage is a speech
from Coriolanus, the strange passage is Wikipedia's on New Zealand. Otherwise the text is the lab's own, the near
passage is a held-out part of it, and the strange passage is made up: sentences full of names and numbers.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from attnlab.claims.sources import Source, source
from attnlab.data.sets import locate
from attnlab.data.texts.loading import load_text
from attnlab.text import Normalisation

NEAR = 4_000
"""Approximate length of the held-out passage, in characters."""
LONGEST = 1_200
"""The longest paragraph of that passage."""
SENTENCES, PARAGRAPH = 40, 5
ENCYCLOPEDIA = 2_000_000
"""How many characters of WikiText-2 to train on: a fifth of it."""
SENTENCE_KINDS = (
    "In {year}, {name} of {place} was the first to be given the name of {title}, and {number} people came.",
    "The {title} of {place} was made in {year} by {name} {name}, a son of the {place} {title} {name}.",
    "Between {year} and {year}, about {number} of the {name} were sent to {place}, {place} and {place}.",
    "{name} {name} (born {year}) is known for the {place} {title}; it has {number} parts.",
    "After the {name} War of {year}, {name} left {place} for {place} with {number} men, and the {title} ended.",
)


@dataclass(frozen=True)
class Passages:
    """A text to train on, a near passage and a strange (`far`) passage."""

    train: str
    near: str
    far: str
    source: str
    """Where the texts come from, as part of a sentence."""
    real: bool
    """Whether these are the coursework's passages."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """The three texts, by their hashes."""
        called = "the coursework's" if self.real else "the lab's"
        texts = {"training text": self.train, "near passage": self.near, "strange passage": self.far}
        return tuple(source(f"{called} {name}", text) for name, text in texts.items())


@cache
def passages(seed: int) -> Passages:
    """The coursework's passages if they are on this machine, otherwise passages that the seed draws: a part of the
    lab's own text that is held out, and a made-up one."""
    passages, plays = locate("passages"), locate("tinyshakespeare")
    if passages and plays:
        near, far = (path.read_text(encoding="utf-8") for path in passages.values())
        # The speech is part of the training text; a model must not be measured on text that it was trained on.
        train = load_text("tinyshakespeare").train.replace(near, "")
        return Passages(
            train,
            near,
            far,
            "Shakespeare's plays without the near passage to train on, and the coursework's two passages",
            True,
        )
    text = load_text("topics")
    draws = np.random.default_rng(seed)
    source = (
        "the documentation of Python to train on, a held-out part of it as the near passage, and made-up sentences of "
        "names and numbers as the strange one"
    )
    return Passages(text.train, _part(text.test, draws), encyclopedia(draws), source, False)


def _part(text: str, random: np.random.Generator) -> str:
    """Paragraphs of a text from a random one on, about `NEAR` characters; without tables and grammars, which are long
    paragraphs."""
    prose = [paragraph for paragraph in text.split("\n\n") if len(paragraph) <= LONGEST]
    first = int(random.integers(len(prose)))
    taken: list[str] = []
    for paragraph in prose[first:] + prose[:first]:
        if sum(map(len, taken)) > NEAR:
            break
        taken.append(paragraph)
    return "\n\n".join(taken)


@cache
def spaced_out(seed: int) -> tuple[str, str]:
    """A training text with spaces around its punctuation, and the name of the text.

    It is a part of WikiText-2 if that is on this machine, otherwise the training text of the passages, spaced likewise.
    """
    if locate("wikitext2"):
        return load_text("wikitext2").train[:ENCYCLOPEDIA], "the first two million characters of WikiText-2"
    parts = Normalisation().parts(passages(seed).train)
    return " ".join(part.strip() for part in parts), "the training text, with spaces around punctuation"


def encyclopedia(random: np.random.Generator) -> str:
    """Sentences as in an encyclopedia, with made-up names and numbers."""

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
