"""Plans: the content of a generated review before it is written, so that it can be changed.

Opinion (word, polarity, negated or not) ──▶ plan (groups, and which decide) ──write──▶ text, and each phrase's place
                                              └──▶ swap (the halves), flip (the negations)
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Literal

from attnlab.data.worlds.reviews.vocabulary import UNDERSTATED

Kind = Literal["plain", "mixed", "contrast", "reported"]
KINDS: tuple[Kind, ...] = ("plain", "mixed", "contrast", "reported")
_SENTENCE = re.compile(r"(?:^|(?<=[.] ))[a-z]")
_SLOT = re.compile(r"\{(\d)\}")


@dataclass(frozen=True)
class Opinion:
    """One opinion on one part of a film: “the acting was not very good”."""

    subject: str
    """The words before: “the acting was”."""
    intensifier: str
    word: str
    polarity: int
    """Of the word alone: +1 praises, −1 blames."""
    strength: int
    """Mild 1, plain 2, loud 3."""
    made_up: bool = False
    negation: str = ""
    """The negating words, if any."""

    @property
    def says(self) -> int:
        """+1 for praise, −1 for blame, after the negation."""
        return -self.polarity if self.negation else self.polarity

    @property
    def weight(self) -> int:
        """Its strength; a negated opinion is mild (a film that is not awful need not be good)."""
        return 1 if self.negation else self.strength

    @property
    def phrase(self) -> str:
        """The words of the opinion: “not very good”."""
        return " ".join(filter(None, (self.negation, self.intensifier, self.word)))


@dataclass(frozen=True)
class ReviewPlan:
    """A review to be written: groups of opinions in a pattern, with neutral sentences around them."""

    kind: Kind
    groups: tuple[tuple[Opinion, ...], ...]
    pattern: str
    deciding: tuple[int, ...]
    """The groups that decide."""
    before: str = ""
    after: str = ""

    @property
    def balance(self) -> int:
        """The weight of praise minus that of blame, in the deciding groups; its sign is the label."""
        return sum(each.says * each.weight for group in self.deciding for each in self.groups[group])


@dataclass(frozen=True)
class Phrase:
    """An opinion's words in a text, from the character `start` on."""

    start: int
    opinion: Opinion
    group: int
    decides: bool

    @property
    def stop(self) -> int:
        """The character after the phrase."""
        return self.start + len(self.opinion.phrase)


def write(plan: ReviewPlan) -> tuple[str, tuple[Phrase, ...]]:
    """The text of a plan, and the place of each opinion's phrase."""
    pieces, phrases, length = [], [], 0
    for piece, opinion, group in _pieces(plan):
        if opinion is not None:
            phrases.append(Phrase(length, opinion, group, group in plan.deciding))
        pieces.append(piece)
        length += len(piece)
    return _SENTENCE.sub(lambda letter: letter[0].upper(), "".join(pieces)), tuple(phrases)


def _pieces(plan: ReviewPlan) -> Iterator[tuple[str, Opinion | None, int]]:
    """Yields the text from left to right; a piece that is a phrase has its opinion and the number of its group."""
    if plan.before:
        yield plan.before + " ", None, -1
    for place, part in enumerate(_SLOT.split(plan.pattern)):
        if place % 2 == 0:
            yield part, None, -1
            continue
        group = plan.groups[int(part)]
        for number, opinion in enumerate(group):
            glue = "" if number == 0 else " and " if number == len(group) - 1 else ", "
            yield f"{glue}{opinion.subject} ", None, -1
            yield opinion.phrase, opinion, int(part)
    if plan.after:
        yield " " + plan.after, None, -1


def swap(plan: ReviewPlan) -> ReviewPlan:
    """The same words with the two halves swapped; the other half decides, so the label changes."""
    first, second = plan.groups
    return replace(plan, groups=(second, first))


def flip(plan: ReviewPlan) -> ReviewPlan:
    """Negates every opinion that was not negated, and the reverse, with the same negations; so the label changes.

    If half of the opinions are negated, the bag of words stays the same: “not good. Dull.” and “good. Not dull.”
    """
    used = cycle([each.negation for group in plan.groups for each in group if each.negation] or ["not"])

    def flipped(opinion: Opinion) -> Opinion:
        if opinion.negation:
            return replace(opinion, negation="")
        negation = next(used)
        fits = negation != UNDERSTATED or understates(opinion)
        return replace(opinion, negation=negation if fits else "not")

    return replace(plan, groups=tuple(tuple(map(flipped, group)) for group in plan.groups))


def understates(opinion: Opinion) -> bool:
    """Whether “not half” can come before it."""
    return opinion.polarity < 0 and opinion.strength < 3 and not opinion.intensifier and not opinion.made_up
