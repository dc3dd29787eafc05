"""Claim 13: characters against words, as far as one text shows it without a trained model.

The text is the lab's default, the documentation of Python, in which no paragraph occurs twice. The first half is the
training text, the second is held out.

People give two more reasons for words, "meaning in the unit" and "simpler training". They are about trained models, and
are not tested here.
"""

import re
from functools import cache

import numpy as np

from attnlab.charts import Bar, Bars
from attnlab.claims.claim import Family, Finding, Quantity
from attnlab.data.texts.prose import prose, prose_version

FAMILY = Family(
    13,
    "units",
    "Characters against words",
    question="What are the advantages of modelling a text by characters, and what are those of words?",
)
WORD = re.compile(r"\w+|[^\w\s]+")
DIM = 50
TEXT = f"On {prose_version()}"


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
        f"{TEXT}, {100 * share:.1f} % of the held-out words never occur in the first half. A model of words can only "
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
        f"{100 * familiar:.0f} % of their runs of three characters, beginnings and ends of words included, occur in "
        f"words of the first half. With the letters of each word shuffled it is {100 * chance:.0f} %. So the parts "
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
