"""The names of generated biographies: unlike each other, except those made to resemble or collide."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Literal, TypeVar

from attnlab.data.worlds.biographies.vocabulary import words

Item = TypeVar("Item")
Difference = Literal["first", "middle", "last", "nothing"]
"""The part in which a name differs from a similar one."""
PARTS: tuple[Difference, ...] = ("first", "middle", "last")

WOMEN = words(
    "Ada Agnes Alana Alice Amalia Amelia Ana Anja Anna Anne Beatrice Bella Carla Clara Della Dina Edith Elena Elina "
    "Elisa Eliza Ella Elsa Emilia Emily Emma Erika Eva Fanny Frieda Gabriela Greta Hanna Hannah Helen Helena Ida Ilse "
    "Irma Jana Jane Joan Johanna Julia Julie Karen Karin Karla Klara Lana Lara Laura Lena Lina Lisa Louise Lucia Luise "
    "Magda Maria Marie Marta Martha Maya Mina Mira Nadia Nina Nora Olga Paula Petra Rosa Rose Ruth Sara Sarah Simone "
    "Sofia Sophia Stella Tina Vera Wilma"
)
MEN = words(
    "Aaron Adam Alan Albert Alfred Allan Allen Anton Anders Arthur Bernard Boris Bruno Carl Carlo Carlos Cyril Daniel "
    "David Edgar Edmund Edvard Edward Emil Emile Eric Erik Ernest Ernst Felix Filip Frank Franz Fred George Georg Hans "
    "Harald Harold Henri Henrik Henry Herman Hermann Hugh Hugo Igor Ivan Ivar Jan John Johan Jon Julian Julius Karel "
    "Karl Leo Leon Lewis Louis Lucas Luis Lukas Marc Marco Marcus Mario Mark Markus Martin Marvin Max Nicolas Nikolas "
    "Oscar Oskar Otto Paul Peter Philip Pieter Ralf Ralph Robert Roberto Rudolf Rupert Simon Stefan Stephan Theo "
    "Thomas Tomas Victor Viktor Walter William"
)
FIRST = (*WOMEN, *MEN)
_BEGINNINGS = "Al Ar Bal Bel Bran Cal Col Dor Dun El Far Fen Gar Gil Hal Har Hol In Kel Kin Lan Lin Mar Mel Nor Or Pel"
_MIDDLES = " a e i o ing er en am ist und"
_ENDINGS = "bach berg by dahl den field ford hart holm hurst kov ley man mere mont sen ski son stad ton vik well worth"
VOWELS, CONSONANTS = "aeiou", "bcdfghklmnprstvwz"
INITIALS = words("A. B. C. D. E. F. G. H. I. J. K. L. M. N. O. P. R. S. T. U. V. W. Y. Z.")


@dataclass(frozen=True)
class Name:
    """A name in its parts; the middle one may be a name, an initial or nothing.

    >>> str(Name("Ada", "B.", "Halberg")), str(Name("Ada", "", "Halberg"))
    ('Ada B. Halberg', 'Ada Halberg')
    """

    first: str
    middle: str
    last: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.first, self.middle, self.last)))


@cache
def last_names() -> tuple[str, ...]:
    """All last names, built from syllables."""
    beginnings = f"{_BEGINNINGS} Ros Sal Sel Stan Tal Tor Ul Val Ver Wal Wen Wil Zel".split()
    parts = product(beginnings, _MIDDLES.split(" "), _ENDINGS.split())
    return tuple(dict.fromkeys(map("".join, parts)))


def blurred(word: str) -> set[str]:
    """The word with any one letter unknown or added: two words share such a form if they are at most one letter apart.

    >>> sorted(blurred("ab"))
    ['?ab', '?b', 'a?', 'a?b', 'ab?']
    >>> [bool(blurred("Jan") & blurred(other)) for other in ("Jon", "Jean", "Joe")]
    [True, True, False]
    """
    places = range(len(word) + 1)
    return {f"{word[:at]}?{word[at + 1 :]}" for at in places[:-1]} | {f"{word[:at]}?{word[at:]}" for at in places}


@cache
def similar_first(first: str) -> tuple[str, ...]:
    """The first names that differ by one letter."""
    return tuple(other for other in FIRST if other != first and blurred(other) & blurred(first))


def resemblance(one: Name, other: Name) -> Difference | None:
    """The one part in which two names differ (first and last names by one letter at most); None for unlike names.

    >>> [resemblance(Name("Anna", "", "Halby"), Name(first, "", "Halby")) for first in ("Anne", "Eva")]
    ['first', None]
    """
    differ: list[Difference] = [part for part in PARTS if getattr(one, part) != getattr(other, part)]
    if len(differ) > 1:
        return None
    part = differ[0] if differ else "nothing"
    near = part in ("nothing", "middle") or blurred(getattr(one, part)) & blurred(getattr(other, part))
    return part if near else None


class Namer:
    """Draws names of which no two resemble each other, except on request.

    Uses only `Random.random`, the one method whose numbers Python promises not to change.
    """

    def __init__(self, random: Callable[[], float], families: int):
        self._random = random
        every = last_names()
        begin, step = int(random() * len(every)), 1009  # a coprime step: neighbours look different
        self._families = [every[(begin + number) * step % len(every)] for number in range(min(families, len(every)))]
        self._taken: set[tuple[str, str, str]] = set()

    def fresh(self) -> Name:
        """A name that resembles no earlier name."""
        while True:
            given = self._pick((WOMEN, MEN))
            middle = self._pick((("",), ("",), INITIALS, given))  # half of all people have no middle name
            name = Name(self._pick(given), self._pick(middle), self._pick(self._families))
            if name.first != name.middle and self._take(_traces(name)):
                return name

    def lookalike(self, name: Name) -> tuple[Name, Difference]:
        """A name that resembles only this one, and the part that differs."""
        while True:
            part = self._pick(PARTS)
            other = self._changed(name, part)
            if other and resemblance(name, other) == part and self._take(_traces(other) - _traces(name)):
                return other, part

    def _changed(self, name: Name, part: Difference) -> Name | None:
        if part == "middle":
            return replace(name, middle=self._pick(INITIALS))
        if part == "first":
            found = similar_first(name.first)
            return replace(name, first=self._pick(found)) if found else None
        at = 1 + int(self._random() * (len(name.last) - 1))
        letters = VOWELS if name.last[at] in VOWELS else CONSONANTS
        return replace(name, last=f"{name.last[:at]}{self._pick(letters)}{name.last[at + 1 :]}")

    def _take(self, traces: set[tuple[str, str, str]]) -> bool:
        """Takes these traces if nobody has any of them; returns whether it did."""
        free = self._taken.isdisjoint(traces)
        if free:
            self._taken |= traces
        return free

    def _pick(self, items: Sequence[Item]) -> Item:
        return items[int(self._random() * len(items))]


def _traces(name: Name) -> set[tuple[str, str, str]]:
    """Traces of a name: two names share a trace if, and only if, they resemble each other or are equal."""
    first, middle, last = name.first, name.middle, name.last
    blurs = {(blur, middle, last) for blur in blurred(first)} | {(first, middle, blur) for blur in blurred(last)}
    return blurs | {(first, "?", last)}
