"""The words and passages that cost most, or on which two models differ most."""

import re
from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from attnlab.evaluation.explanation.alignment import Alignment
from attnlab.evaluation.explanation.gaps import Costliest, CostlyText
from attnlab.evaluation.scoring.costs import Costs
from attnlab.evaluation.scoring.nats_to_units import LN2

MOST = 10
LEAST = 1.0
"""Bits; a word or passage with less does not stand out."""
SHORT, LONG, LONGEST = 8, 24, 80
"""In words and signs: a passage ends with a sentence from 8 on, with a word from 24 on (about twenty words), and
always at 80, for texts without spaces."""
SENTENCE = re.compile(r"""([.!?…]["'”’»)\]]*+)?(?<!\s)\s++(?=["'“‘«(\[]*(\S))""")
"""The end of a sentence, if there is one, the whole whitespace after it, and the first sign of what follows."""


def costliest(cut: Alignment, found: Costs, name: str) -> Costliest:
    """The words and passages that cost most: their bits above the average for as many bytes of this text.

    So costly words come first, and costly words that are frequent; words that are merely common do not.
    """
    nats, size = cut.sums(0, found.comparable), cut.sums(0, found.encoding.raw_bytes)
    mean = nats[1:].sum() / max(size[1:].sum(), 1)
    return _ranked(cut, nats - size * mean, f"bits above the average of {name}", lambda bits: bits)


def differing(cut: Alignment, found: Sequence[Costs], names: Sequence[str]) -> Costliest:
    """The words and passages on which two models differ most: the bits by which the first costs more."""
    more = cut.sums(0, found[0].comparable) - cut.sums(1, found[1].comparable)
    return _ranked(cut, more, f"bits by which {names[0]} costs more (+) or less (-) than {names[1]}", abs)


def _ranked(
    cut: Alignment, nats: Float[np.ndarray, " segments"], what: str, rank: Callable[[float], float]
) -> Costliest:
    """Ranks words and passages. The first segment has no rank: without context any beginning is a surprise."""
    bits = nats / LN2
    bits[0] = 0
    starts = cut.words.starts[cut.first_words]
    words = _places(cut.forms[1:], bits[1:], starts[1:], rank)
    firsts = _passage_starts(cut)
    stops = [*cut.first_words[firsts[1:]].tolist(), len(cut.words.forms)]
    texts = [cut.words.cut(first, stop) for first, stop in zip(cut.first_words[firsts].tolist(), stops, strict=True)]
    return Costliest(what, words, _places(texts, np.add.reduceat(bits, firsts), starts[firsts], rank))


def _places(
    texts: list[str], bits: Float[np.ndarray, " places"], starts: np.ndarray, rank: Callable[[float], float]
) -> tuple[CostlyText, ...]:
    """The highest-ranked texts, each with its occurrences added up; line ends are left out."""
    numbers: dict[str, int] = {}
    which = np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)
    total, times = np.bincount(which, bits).tolist(), np.bincount(which).tolist()
    named = [number for text, number in numbers.items() if not text.isspace() and rank(total[number]) >= LEAST]
    names = list(numbers)
    found = []
    for number in sorted(named, key=lambda each: -rank(total[each]))[:MOST]:
        own = np.flatnonzero(which == number)
        most = own[np.argmax(bits[own] * np.sign(total[number]))]
        found.append(CostlyText(names[number], total[number], times[number], int(starts[most])))
    return tuple(found)


def _passage_starts(cut: Alignment) -> list[int]:
    """The segments that passages begin with. A passage that begins inside a sentence ends with that sentence."""
    text, forms, firsts = cut.words.text, cut.words.forms, cut.first_words.tolist()
    sentences = _sentence_starts(text)
    starts, inside = [0], False
    for number, place in enumerate(cut.words.starts[firsts[1:]].tolist(), start=1):
        words = firsts[number] - firsts[starts[-1]]
        sentence = place in sentences
        word = text[place - 1].isspace() and forms[firsts[number]][0].isalnum()
        if (sentence and (inside or words >= SHORT)) or (word and words >= LONG) or words >= LONGEST:
            starts.append(number)
            inside = not sentence
    return starts


def _sentence_starts(text: str) -> set[int]:
    """Where sentences and lines begin. After a full stop and a space, a sentence begins with a capital; after a line
    end, with anything but a small letter or a comma, which continue the line before.

    >>> sorted(_sentence_starts('At 11:45 he, i.e. al, left. "So?" he said.\\nYes!\\nno'))
    [28, 43]
    """
    found = ((each.end(), "\n" in each[0], bool(each[1]), each[2]) for each in SENTENCE.finditer(text))
    return {
        end
        for end, line, stop, sign in found
        if (line and not sign.islower() and sign not in ",;:") or (stop and sign.isupper())
    }
