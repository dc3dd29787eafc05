"""How much two names resemble each other.

A name has parts: "Jacob Henry Studer" has three. Two parts are alike by 1 where they are the same, by 1 − edits/length
where one or two edits (a letter more, less or other) turn one into the other and change less than half of the longer,
and else by 0. Two names resemble each other by how much each part is like the one of the other name that it is most
like, in the mean over the parts of both: 1 for the same parts in any order, 0 where no part is like another. Capital
letters, accents and points do not count. Words of more than 40 letters are alike where they are the same.
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
    """The parts of a name, each once, as they are compared.

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
    """How much each name that is asked resembles each that is known."""
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
    """For two names each, how much the parts of the one are like the parts of the other that they are most like."""
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
    """The pairs of parts that are alike, and by how much.

    Two words that so many edits turn into each other have a word in common that is left when at most so many letters
    are taken out of each. So few pairs are compared letter by letter.
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
    """The word with up to two letters taken out; of a long one, which has very many of them, only itself."""
    most = min(MOST_EDITS, len(word)) if len(word) <= LONGEST else 0
    return {
        "".join(letter for place, letter in enumerate(word) if place not in out)
        for count in range(most + 1)
        for out in combinations(range(len(word)), count)
    }


def likeness(one: str, other: str) -> float:
    """How much two parts are alike."""
    longer = max(len(one), len(other))
    if one == other or longer > LONGEST:
        return float(one == other)
    count = edits(one, other)
    return 1 - count / longer if count <= MOST_EDITS and 2 * count < longer else 0.0


def edits(one: str, other: str) -> int:
    """How many letters must be put in, taken out or changed to turn one word into another (Levenshtein 1966).

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
