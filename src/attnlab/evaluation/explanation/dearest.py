"""The words and passages that cost most, or on which two models differ most."""

import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from attnlab.evaluation.costs import Costs
from attnlab.evaluation.explanation.records import Dearest, Place
from attnlab.evaluation.explanation.segments import Segments, segments
from attnlab.evaluation.explanation.words import words_of

MOST = 10
SHORT, LONG = 8, 20
"""A passage ends with a sentence or line if it has so many words by then, and surely with so many."""
SENTENCE_ENDS = frozenset(".!?…\n")


def dearest(found: Costs, name: str = "") -> Dearest:
    """The words and passages that cost most: their bits beyond what as many bytes of the text cost on average.

    So a word comes first that is dear each time, or dear enough and often there; not simply one that is common.
    """
    return dearest_of(segments(words_of(found.text), [found.encoding]), found, name)


def dearest_of(cut: Segments, found: Costs, name: str = "") -> Dearest:
    """The same for a text that is cut already."""
    nats, size = cut.sums(0, found.comparable), cut.sums(0, found.encoding.raw_bytes)
    of = f" of {name}" if name else ""
    return _ranked(cut, nats - size * (nats.sum() / size.sum()), f"bits beyond the mean{of}", lambda bits: bits)


def differing(first: Costs, second: Costs) -> Dearest:
    """The words and passages on which two models differ most: the bits that they cost the first more."""
    return differing_of(segments(words_of(first.text), [first.encoding, second.encoding]), first, second)


def differing_of(cut: Segments, first: Costs, second: Costs) -> Dearest:
    """The same for a text that is cut already."""
    more = cut.sums(0, first.comparable) - cut.sums(1, second.comparable)
    return _ranked(cut, more, "bits that they cost the first more than the second", abs)


def _ranked(cut: Segments, nats: Float[np.ndarray, " segments"], what: str, rank: Callable[[float], float]) -> Dearest:
    bits = nats / math.log(2)
    return Dearest(what, tuple(_words(cut, bits, rank)), tuple(_passages(cut, bits, rank)))


def _words(cut: Segments, bits: Float[np.ndarray, " segments"], rank: Callable[[float], float]) -> list[Place]:
    """The words, each with all its times together."""
    numbers: dict[str, int] = {}
    forms = np.array([numbers.setdefault(form, len(numbers)) for form in cut.forms])
    total, times = np.bincount(forms, bits).tolist(), np.bincount(forms).tolist()
    top = _top(total, rank)
    places = {form: _dearest_time(np.flatnonzero(forms == form), bits, total[form]) for form in top}
    names = list(numbers)
    return [Place(names[form], total[form], times[form], _start(cut, places[form])) for form in top]


def _passages(cut: Segments, bits: Float[np.ndarray, " segments"], rank: Callable[[float], float]) -> list[Place]:
    """Passages of a sentence or some words, none of which overlaps another."""
    firsts = _passage_starts(cut)
    totals = np.add.reduceat(bits, firsts).tolist()
    stops = [*cut.first_words[firsts[1:]].tolist(), len(cut.words.forms)]
    return [
        Place(
            cut.words.cut(int(cut.first_words[firsts[each]]), stops[each]), totals[each], 1, _start(cut, firsts[each])
        )
        for each in _top(totals, rank)
    ]


def _passage_starts(cut: Segments) -> list[int]:
    """The stretches that passages begin with."""
    forms, firsts = cut.words.forms, cut.first_words.tolist()
    starts = [0]
    for number in range(1, len(cut)):
        words = firsts[number] - firsts[starts[-1]]
        if words >= LONG or (words >= SHORT and forms[firsts[number] - 1] in SENTENCE_ENDS):
            starts.append(number)
    return starts


def _top(values: list[float], rank: Callable[[float], float]) -> list[int]:
    """The numbers of the values that rank highest, as far as they rank above 0."""
    some = sorted(range(len(values)), key=lambda each: -rank(values[each]))[:MOST]
    return [each for each in some if rank(values[each]) > 0]


def _dearest_time(numbers: np.ndarray, bits: Float[np.ndarray, " segments"], total: float) -> int:
    return int(numbers[np.argmax(bits[numbers] * np.sign(total))])


def _start(cut: Segments, number: int) -> int:
    return int(cut.words.starts[cut.first_words[number]])
