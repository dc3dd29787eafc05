"""How much two names resemble each other.

A name has parts: "Jacob Henry Studer" has three. Equal parts have likeness 1. If one or two edits (insert, delete or
replace a letter) turn one part into the other and change less than half of the longer, the likeness is 1 −
edits/length; else it is 0. The resemblance of two names is the mean, over the parts of both, of the likeness to the
most similar part of the other name: 1 for the same parts in any order, 0 if no part is like another. Capital letters,
accents and punctuation do not count. Words of more than 40 letters must be equal.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from jaxtyping import Float

MOST_EDITS = 2
LONGEST = 40
NOT_LETTERS = re.compile(r"[^\w\s]+")


def parts(name: str) -> tuple[str, ...]:
    """The distinct parts of a name, normalised for comparison.

    >>> parts("José  García-Lorca, Jr.")
    ('jose', 'garcialorca', 'jr')
    """
    plain = "".join(each for each in unicodedata.normalize("NFKD", name) if not unicodedata.combining(each))
    return tuple(dict.fromkeys(NOT_LETTERS.sub("", plain.casefold()).split()))


def resemblance(one: str, other: str) -> float:
    """How much two names resemble each other, from 0 to 1.

    >>> resemblance("John Stephen", "Stephen, John"), resemblance("John Stephen", "John Stephens")
    (1.0, 0.9375)
    >>> resemblance("John Stephen", "Ada Stephen"), resemblance("John Stephen", "Ada Byron")
    (0.5, 0.0)
    """
    return float(resemblances([one], [other])[0, 0])


def resemblances(asked: Sequence[str], known: Sequence[str]) -> Float[np.ndarray, "asked known"]:
    """The resemblance of each asked name to each known name."""
    first, second = ([parts(name) for name in names] for names in (asked, known))
    ours, theirs = ({part for name in names for part in name} for names in (first, second))
    alike = list(_alike(ours, theirs))
    towards = _sums(first, second, alike)
    back = _sums(second, first, [(other, one, degree) for one, other, degree in alike]).T
    counts = np.add.outer([len(name) for name in first], [len(name) for name in second])
    return (towards + back) / np.maximum(counts, 1)


def _sums(
    ones: Sequence[tuple[str, ...]], others: Sequence[tuple[str, ...]], alike: Sequence[tuple[str, str, float]]
) -> Float[np.ndarray, "ones others"]:
    """For each pair of names: the sum, over the parts of the one, of the likeness to the other's most similar part."""
    holders = defaultdict(list)
    for place, name in enumerate(others):
        for part in name:
            holders[part].append(place)
    nearest: dict[str, np.ndarray] = {}
    for one, other, degree in alike:
        row = nearest.setdefault(one, np.zeros(len(others)))
        row[holders[other]] = np.maximum(row[holders[other]], degree)
    sums = np.zeros((len(ones), len(others)))
    for place, name in enumerate(ones):
        for part in name:
            sums[place] += nearest.get(part, 0.0)
    return sums


def _alike(ones: set[str], others: set[str]) -> Iterator[tuple[str, str, float]]:
    """Yields the pairs of parts that are alike, and their likeness.

    If at most two edits turn one word into another, then deleting at most two letters of each can give the same word.
    So only pairs that share such a word are compared letter by letter.
    """
    left_of = defaultdict(list)
    for other in sorted(others):
        for left in _shortened(other):
            left_of[left].append(other)
    for one in sorted(ones):
        for other in sorted({each for left in _shortened(one) for each in left_of.get(left, ())}):
            degree = likeness(one, other)
            if degree:
                yield one, other, degree


def _shortened(word: str) -> set[str]:
    """The word with up to two letters deleted; a long word has too many of these, so only itself."""
    most = min(MOST_EDITS, len(word)) if len(word) <= LONGEST else 0
    return {
        "".join(letter for place, letter in enumerate(word) if place not in out)
        for count in range(most + 1)
        for out in combinations(range(len(word)), count)
    }


def likeness(one: str, other: str) -> float:
    """The likeness of two parts, from 0 to 1."""
    longer = max(len(one), len(other))
    if one == other or longer > LONGEST:
        return float(one == other)
    count = edits(one, other)
    return 1 - count / longer if count <= MOST_EDITS and 2 * count < longer else 0.0


def edits(one: str, other: str) -> int:
    """How many letters must be inserted, deleted or replaced to turn one word into another (Levenshtein 1966).

    >>> edits("stephen", "stephens"), edits("jon", "john"), edits("ada", "byron")
    (1, 1, 5)
    """
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        here = [row]
        for column, theirs in enumerate(other, start=1):
            here.append(min(above[column] + 1, here[-1] + 1, above[column - 1] + (letter != theirs)))
        above = here
    return above[-1]
