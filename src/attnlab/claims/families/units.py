"""Claim 13: characters against words, on one text, with models that only count.

The text is the lab's default, the documentation of Python, in which no paragraph occurs twice. The first half is the
training text, the second is held out.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np

from attnlab.charts import Bar, Bars
from attnlab.claims.claim import Family, Finding, Quantity
from attnlab.claims.models.coursework import characters as character_counts
from attnlab.claims.models.coursework import word_pairs
from attnlab.claims.sources import topics
from attnlab.data.texts.prose import prose, prose_version
from attnlab.evaluation.scoring.measures import measure
from attnlab.numbers import percent, whole_percent

FAMILY = Family(
    13,
    "units",
    "Characters against words",
    bench="language",
    question="What are the advantages of modelling a text by characters, and what are those of words?",
    data=lambda seed: topics(),
)
WORD = re.compile(r"\w+|[^\w\s]+")
DIM = 50
TEXT = f"On {prose_version()}"
PARTS, DOUBT = 32, 20
"""Parts of the text to tell apart by one unit, and how many occurrences of a unit it takes to trust them half."""
MEASURED, ORDERS = 40_000, range(1, 7)
"""Characters of the held-out half that models are measured on, and how many characters a character model counts."""


@cache
def _halves() -> tuple[str, str]:
    """The training text and the held-out text: no paragraph is in both."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in prose().split("\n\n")]
    middle = len(paragraphs) // 2
    return "\n".join(paragraphs[:middle]), "\n".join(paragraphs[middle:])


def _words(text: str) -> list[str]:
    return WORD.findall(text)


@FAMILY.claim("no-unknowns", "A model of characters has no unknown words.", said_by="E")
def _no_unknowns() -> Finding:
    seen, held = _halves()
    words, characters, known = _words(held), set(seen), set(_words(seen))
    unknown = [word for word in words if word not in known]
    foreign = [word for word in unknown if not set(word) <= characters]
    new = sorted(set(held) - characters)
    share, left = len(unknown) / len(words), len(foreign) / len(words)
    spelt = not foreign
    return Finding(
        "holds" if spelt else "holds if" if left < share / 10 else "fails",
        f"{TEXT}, {percent(share)} of the held-out words never occur in the first half. A model of words can only "
        "call them unknown, however it was trained. A model of characters can spell nearly all of them: it cannot "
        f"spell {len(foreign)} of the {len(unknown)}, because they contain characters that are new themselves (there "
        f"are {len(new)} such characters). So characters make unknown words rare; bytes would leave no unknown words.",
        (
            Quantity("share of held-out words unknown as words", share),
            Quantity("share of held-out words with an unknown character", left),
            Quantity("held-out words", len(words)),
            Quantity("held-out words unknown as words", len(unknown)),
            Quantity("held-out words with an unknown character", len(foreign)),
            Quantity("characters of the held-out half that are new", len(new)),
        ),
        condition="" if spelt or left >= share / 10 else "every character was seen in training",
    )


@FAMILY.claim("small-table", "Characters need only a small table of embeddings.", said_by="E")
def _small_table() -> Finding:
    seen, _ = _halves()
    characters, words = len(set(seen)), len(set(_words(seen)))
    return Finding(
        "holds" if characters * 10 < words else "fails",
        f"{TEXT}, the first half has {characters} different characters and {words:,} different words. With {DIM} "
        f"numbers for each, the embeddings of the characters have {characters * DIM:,} numbers and those of the words "
        f"{words * DIM:,}, {words / characters:.0f} times as many. The output layer has as many numbers again. In a "
        "longer text the gap is wider, because new words keep coming and new characters hardly do.",
        (
            Quantity("different characters", characters),
            Quantity("different words", words),
            Quantity(f"numbers in the table of characters, dim {DIM}", characters * DIM),
            Quantity(f"numbers in the table of words, dim {DIM}", words * DIM),
        ),
        chart=Bars(
            "The size of the table of embeddings",
            f"numbers, {DIM} for each",
            (Bar("characters", characters * DIM), Bar("words", words * DIM)),
            f"The table of words, {words * DIM:,} numbers, is {words / characters:.0f} times as long as that of "
            f"characters, {characters * DIM:,}.",
        ),
    )


def _trigrams(words: list[str]) -> list[str]:
    """The runs of three characters in words, with marks at the beginning and end of a word."""
    return [marked[i : i + 3] for word in words for marked in [f"<{word}>"] for i in range(len(marked) - 2)]


@FAMILY.claim(
    "parts", "A model of characters sees the parts of words, even of words that it has never seen.", said_by="E"
)
def _parts(seed: int) -> Finding:
    seen, held = _halves()
    known = set(_words(seen))
    unknown = sorted({word for word in _words(held) if word not in known and len(word) > 2})
    trigrams = set(_trigrams(sorted(known)))
    random = np.random.default_rng(seed)
    shuffled = ["".join(random.permutation(list(word))) for word in unknown]
    familiar, chance = (float(np.mean([t in trigrams for t in _trigrams(words)])) for words in (unknown, shuffled))
    return Finding(
        "holds" if familiar > 0.6 and familiar > 1.3 * chance else "fails",
        f"{TEXT}, {len(unknown):,} different words of the held-out half are new, but their parts are not: "
        f"{whole_percent(familiar)} of their runs of three characters, beginnings and ends of words included, occur in "
        f"words of the first half. With the letters of each word shuffled it is {whole_percent(chance)}. So the parts "
        "are familiar (stems, -ing, un-), and not just the letters. A model of words sees none of that.",
        (
            Quantity("different new words", len(unknown)),
            Quantity("share of their trigrams that were seen", familiar),
            Quantity("the same with the letters of each word shuffled", chance, how="observed"),
        ),
    )


@FAMILY.claim("shorter", "Words make shorter sequences, and attention costs O(l²).", said_by="E")
def _shorter() -> Finding:
    _, held = _halves()
    lines = [line for line in held.split("\n") if line]
    characters = np.array([len(line) for line in lines], dtype=float)
    words = np.array([len(_words(line)) for line in lines], dtype=float)
    ratio = float(characters.sum() / words.sum())
    squares = float((characters**2).sum() / (words**2).sum())
    return Finding(
        "holds" if ratio > 2 and squares > ratio else "fails",
        f"{TEXT}, a word or a run of punctuation stands for {ratio:.2f} characters, spaces included. In words, a "
        "paragraph is shorter by that factor. Attention looks at every pair of positions, so the number of pairs "
        f"falls with the square: over all held-out paragraphs there are {squares:.1f} times fewer pairs. Characters "
        "pay this price at every layer, and pieces of words are the usual compromise.",
        (
            Quantity("characters in the held-out half", float(characters.sum())),
            Quantity("words in the held-out half", float(words.sum())),
            Quantity("characters per word", ratio),
            Quantity("pairs of positions, characters over words", squares),
        ),
    )


def _told(units: Callable[[str], Iterable[str]]) -> float:
    """The bits that one unit tells about which of the parts of the text it comes from: on the paragraphs that were not
    counted, and with unsure counts held back, so that a unit that tells nothing has 0 bits or less."""
    paragraphs = prose().split("\n\n")
    ends = np.linspace(0, len(paragraphs), PARTS + 1).astype(int)
    counted, asked = [Counter() for _ in range(PARTS)], [Counter() for _ in range(PARTS)]
    for part in range(PARTS):
        for number, paragraph in enumerate(paragraphs[ends[part] : ends[part + 1]]):
            (counted, asked)[number % 2][part].update(units(paragraph))
    overall = sum(counted, Counter())
    shares = [each.total() / overall.total() for each in counted]
    bits = sum(
        times * math.log2((counted[part][unit] / shares[part] + DOUBT) / (overall[unit] + DOUBT))
        for part in range(PARTS)
        for unit, times in asked[part].items()
    )
    return bits / sum(each.total() for each in asked)


@FAMILY.claim("meaning", "A word has its meaning in the unit; a character has none.", said_by="E")
def _meaning() -> Finding:
    word, character = _told(_words), _told(list)
    return Finding(
        "holds" if word > 0.1 and character < word / 10 else "fails",
        f"A unit with a meaning tells what a text is about. {TEXT}, in {PARTS} parts of equal length and sorted by "
        f"topic, units were counted in every other paragraph. In the other paragraphs one word then tells {word:.3f} "
        "bits about the part that it comes from, and one character "
        f"{f'{character:.3f}' if character > 0.0005 else 'nothing'}. Most words are as common in every part, so a "
        "word tells little on average, too.",
        (
            Quantity("bits that a word tells about its part", word),
            Quantity("bits that a character tells about its part", character),
            Quantity("parts", PARTS),
        ),
    )


@FAMILY.claim("training", "Training is simpler with words.", said_by="E")
def _training() -> Finding:
    seen, held = _halves()
    words = measure(word_pairs(seen), held[:MEASURED])
    by_order = {order: measure(character_counts(seen, order), held[:MEASURED]) for order in ORDERS}
    costs = {order: each.bits_per_byte.value for order, each in by_order.items()}
    cost = words.bits_per_byte.value
    as_good = next((order for order, each in costs.items() if each <= cost), math.inf)
    return Finding(
        "holds" if as_good > 2 else "fails",
        f"Simpler means here: a model that looks less far back predicts as well. {TEXT}, counts of pairs of words, "
        f"which look back one word, cost {cost:.2f} bits per byte of the held-out text, with unknown words spelled "
        "out. Counts of characters cost "
        + ", ".join(f"{each:.2f} with {order}" for order, each in costs.items())
        + " characters in a row. So a model of characters has to look "
        f"{as_good - 1:.0f} characters back to do as well. The last of these is the better model: that words are "
        "simpler to learn does not make them better.",
        (
            Quantity("bits per byte, pairs of words", cost),
            *(Quantity(f"bits per byte, {order}-grams of characters", each) for order, each in costs.items()),
            Quantity("share of unknown words", words.unknown),
        ),
    )
