"""The words and passages that cost most, or on which two models differ most."""

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from attnlab.evaluation.explanation.alignment import Alignment
from attnlab.evaluation.explanation.gaps import Costliest, Place
from attnlab.evaluation.scoring.costs import Costs

MOST = 10
LEAST = 1.0
"""What stands out by less than so many bits does not stand out."""
SHORT, LONG, LONGEST = 8, 24, 80
"""A passage ends with a sentence if it has so many words and signs by then, with a word if it has so many (which are
about twenty words), and surely with so many, where no space ends a word."""
SENTENCE = re.compile(r"""(?:[.!?…]["'”’»)\]]*\s+|\n\s*)(?=["'“‘«(\[]*(\S))""")


def costliest(cut: Alignment, found: Costs, name: str) -> Costliest:
    """The words and passages that cost most: their bits beyond what as many bytes of the text cost on average.

    So a word comes first that is costly each time, or costly enough and frequent; not simply one that is common.
    """
    nats, size = cut.sums(0, found.comparable), cut.sums(0, found.encoding.raw_bytes)
    mean = nats[1:].sum() / max(size[1:].sum(), 1)
    return _ranked(cut, nats - size * mean, f"bits above the average of {name}", lambda bits: bits)


def differing(cut: Alignment, found: Sequence[Costs], names: Sequence[str]) -> Costliest:
    """The words and passages on which two models differ most: the bits that they cost the first more."""
    more = cut.sums(0, found[0].comparable) - cut.sums(1, found[1].comparable)
    return _ranked(cut, more, f"bits that it costs {names[0]} more (+) or less (-) than {names[1]}", abs)


def _ranked(
    cut: Alignment, nats: Float[np.ndarray, " segments"], what: str, rank: Callable[[float], float]
) -> Costliest:
    """The segment that the text begins with has no rank: nothing stands before it, so that anything is a surprise."""
    bits = nats / math.log(2)
    bits[0] = 0
    starts = cut.words.starts[cut.first_words]
    words = _places(cut.forms[1:], bits[1:], starts[1:], rank)
    firsts = _passage_starts(cut)
    stops = [*cut.first_words[firsts[1:]].tolist(), len(cut.words.forms)]
    texts = [cut.words.cut(first, stop) for first, stop in zip(cut.first_words[firsts].tolist(), stops, strict=True)]
    return Costliest(what, words, _places(texts, np.add.reduceat(bits, firsts), starts[firsts], rank))


def _places(
    texts: list[str], bits: Float[np.ndarray, " places"], starts: np.ndarray, rank: Callable[[float], float]
) -> tuple[Place, ...]:
    """What ranks highest, each with all its times together; ends of line are not named."""
    numbers: dict[str, int] = {}
    which = np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)
    total, times = np.bincount(which, bits).tolist(), np.bincount(which).tolist()
    named = [number for text, number in numbers.items() if not text.isspace() and rank(total[number]) >= LEAST]
    names = list(numbers)
    found = []
    for number in sorted(named, key=lambda each: -rank(total[each]))[:MOST]:
        own = np.flatnonzero(which == number)
        most = own[np.argmax(bits[own] * np.sign(total[number]))]
        found.append(Place(names[number], total[number], times[number], int(starts[most])))
    return tuple(found)


def _passage_starts(cut: Alignment) -> list[int]:
    """The segments that passages begin with; one that begins inside a sentence ends with it, however short it is."""
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
    """Where a sentence or a line begins: behind a full stop and a space there is a capital, behind the end of a line
    anything but a small letter or a comma, with which the line before would go on.

    >>> sorted(_sentence_starts('At 11:45 he, i.e. al, left. "So?" he said.\\nYes!\\nno'))
    [28, 43]
    """
    found = ((each.end(), "\n" in each[0], each[1]) for each in SENTENCE.finditer(text))
    return {end for end, line, sign in found if (line and not sign.islower() and sign not in ",;:") or sign.isupper()}
