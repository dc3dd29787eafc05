"""Draws generated reviews: how often each difficulty occurs, and what the reviews say."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Annotated, TypeVar

from attnlab.data.worlds.reviews.plans import Kind, Opinion, ReviewPlan, understates
from attnlab.data.worlds.reviews.vocabulary import (
    ADJECTIVES,
    CONTRASTS,
    FACTS,
    INTENSIFIERS,
    MADE_UP,
    NEGATIONS,
    NOUNS,
    OPENINGS,
    PLURAL,
    REPORTS,
    SINGULAR,
    UNDERSTATED,
    VERBS,
    made_up_word,
)
from attnlab.errors import ArgumentError
from attnlab.settings import Fraction, Range, settings

Item = TypeVar("Item")
MOST_WORDS = min(len(row) for rows in ADJECTIVES.values() for row in rows)


@settings
class ReviewSettings:
    """How often reviews are difficult, and in which way. All other reviews are plain."""

    contrast: Fraction = 0.15
    """The share of reviews with two contrasting halves, one of which decides."""
    reported: Fraction = 0.1
    """The share of reviews that also report the opinion of others."""
    mixed: Fraction = 0.15
    """The share of reviews with both praise and blame."""
    negation: Fraction = 0.25
    """The share of opinions that negate their opposite ("not bad")."""
    made_up: Fraction = 0.03
    """The share of opinions with a made-up word, which is rare or never seen before."""
    mislabelled: Fraction = 0.01
    """The share of reviews with the wrong label."""
    asides: Fraction = 0.4
    """The probability of each of three neutral sentences: two before the opinions and one after."""
    words: Annotated[int, Range(2, MOST_WORDS)] = MOST_WORDS
    """How many adjectives there are of each strength, for praise and for blame; nouns are half as many. Fewer words are
    easier to learn."""

    def __post_init__(self):
        if self.contrast + self.reported + self.mixed > 1 + 1e-9:
            total = self.contrast + self.reported + self.mixed
            raise ArgumentError("contrast", f"expected contrast + reported + mixed to be at most 1, got {total:g}")


class Draw:
    """Draws reviews. Uses only `Random.random`, the one method whose numbers Python promises not to change."""

    def __init__(self, settings: ReviewSettings, seed: int):
        self.settings = settings
        self._random = Random(seed).random
        self._said: set[str] = set()
        """The subjects and facts that the current review already has."""

    def plan(self) -> ReviewPlan:
        """The plan of the next review."""
        settings, share = self.settings, self._random()
        self._said = set()
        label = self._pick((-1, 1))
        if share < settings.contrast:
            plan = self._contrast(label)
        elif share < settings.contrast + settings.reported:
            plan = self._reported(label)
        elif share < settings.contrast + settings.reported + settings.mixed:
            plan = self._mixed(label)
        else:
            plan = self._sentences("plain", [self._opinion(label) for _ in range(self._pick((1, 2, 2, 3)))])
        asides = [self._new(each) if self._random() < settings.asides else "" for each in (OPENINGS, FACTS, FACTS)]
        return replace(plan, before=" ".join(filter(None, asides[:2])), after=asides[2])

    def mislabelled(self) -> bool:
        """Whether the next review has the wrong label."""
        return self._random() < self.settings.mislabelled

    def _contrast(self, label: int) -> ReviewPlan:
        """A review with two halves of one or two opinions each; one half decides."""
        pattern, deciding = self._pick(CONTRASTS)
        sides = (label, -label) if deciding == 0 else (-label, label)
        groups = [tuple(self._opinion(side) for _ in range(self._pick((1, 1, 2)))) for side in sides]
        return ReviewPlan("contrast", tuple(groups), pattern, (deciding,))

    def _reported(self, label: int) -> ReviewPlan:
        """A review with one loud opinion and one or two mild ones; either may be the writer's own."""
        pattern, deciding = self._pick(REPORTS)
        loud = self._pick((0, 1))
        groups = []
        for place in (0, 1):
            side = label if place == deciding else -label
            strengths = (3,) if place == loud else (1,) * self._pick((1, 2))
            groups.append(tuple(self._opinion(side, strength, denied=strength < 3) for strength in strengths))
        return ReviewPlan("reported", tuple(groups), pattern, (deciding,))

    def _mixed(self, label: int) -> ReviewPlan:
        """Draws until there are both praise and blame, and the label is the wanted one."""
        while True:
            self._said = set()
            opinions = [self._opinion(self._pick((-1, 1))) for _ in range(self._pick((2, 3, 3, 4)))]
            plan = self._sentences("mixed", opinions)
            if plan.balance * label > 0 and len({each.says for each in opinions}) == 2:
                return plan

    def _sentences(self, kind: Kind, opinions: Sequence[Opinion]) -> ReviewPlan:
        pattern = " ".join(f"{{{number}}}." for number in range(len(opinions)))
        return ReviewPlan(kind, tuple((each,) for each in opinions), pattern, tuple(range(len(opinions))))

    def _opinion(self, says: int, strength: int = 0, *, denied: bool = True) -> Opinion:
        """An opinion that praises or blames; strength 0 means any strength; it is negated only if `denied` allows."""
        negated = denied and self._random() < self.settings.negation
        polarity = -says if negated else says
        strength = strength or self._pick((1, 1, 2, 2, 3))
        made_up = self._random() < self.settings.made_up
        parts, number = self._pick(((SINGULAR, 0), (SINGULAR, 0), (PLURAL, 1)))
        noun = strength == 3 and number == 0 and not made_up and self._random() < 0.4
        if made_up:
            word = made_up_word(2 * int(self._random() * (MADE_UP // 2)) + (polarity > 0))
        else:
            most = self.settings.words
            word = self._pick(NOUNS[polarity][: most // 2] if noun else ADJECTIVES[polarity][strength - 1][:most])
        intensifier = self._pick(INTENSIFIERS) if not noun and self._random() < 0.2 else ""
        subject = f"the {self._new(parts)} {self._pick(VERBS[: 2 if noun else None])[number]}"
        drawn = Opinion(subject, intensifier, word, polarity, strength, made_up)
        if not negated:
            return drawn
        half = understates(drawn) and self._random() < 0.15
        return replace(drawn, negation=UNDERSTATED if half else self._pick(NEGATIONS))

    def _new(self, items: Sequence[str]) -> str:
        """An item that the review does not have yet."""
        while (item := self._pick(items)) in self._said:
            pass
        self._said.add(item)
        return item

    def _pick(self, items: Sequence[Item]) -> Item:
        return items[int(self._random() * len(items))]
