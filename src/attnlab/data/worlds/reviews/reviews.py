"""Generated film reviews whose truth is known: each phrase's meaning, the negations, and the deciding half.

A world to test classifiers in, with no download. The kinds of reviews:

        plain      every opinion says the same
        mixed      praise and blame; the heavier side decides (mild 1, plain 2, loud 3; negated 1)
        contrast   two opposite halves, one of which decides: the one after “but”, not the one after “although”
        reported   the opinion of others and the opposite opinion of the writer; one of them loud, the other mild

Every contrast or report is as likely as the same review with its halves swapped, and their labels differ. So nobody can
do better than guess on them from the bag of words alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Literal

from attnlab.data.worlds.reviews.draws import Draw, ReviewSettings
from attnlab.data.worlds.reviews.plans import Kind, Phrase, ReviewPlan, flip, swap, write
from attnlab.settings import Range

Label = Literal["neg", "pos"]
TRAIN, TEST = 4_000, 1_000
"""The number of reviews in the data set `reviews`, to train on and to report on."""


@dataclass(frozen=True)
class Review:
    """A review, its label, and the truth about it."""

    text: str
    label: Label
    phrases: tuple[Phrase, ...]
    """The phrases that praise or blame, in the order of the text."""
    mislabelled: bool
    plan: ReviewPlan = field(repr=False)

    @property
    def kind(self) -> Kind:
        """The kind: plain, mixed, contrast or reported."""
        return self.plan.kind

    @property
    def negated(self) -> bool:
        """Whether a deciding phrase is negated."""
        return any(phrase.opinion.negation for phrase in self.phrases if phrase.decides)

    @property
    def rare(self) -> tuple[str, ...]:
        """The made-up words."""
        return tuple(phrase.opinion.word for phrase in self.phrases if phrase.opinion.made_up)

    @property
    def loud(self) -> Phrase | None:
        """The phrase with a loud word against the label, if there is one."""
        against = -1 if self.label == "pos" else 1
        found = (p for p in self.phrases if p.opinion.weight == 3 and p.opinion.says == against)
        return next((phrase for phrase in found if not phrase.opinion.made_up), None)

    @property
    def swapped(self) -> "Review | None":
        """The same words with the halves swapped, so that the label changes; None without halves."""
        return as_review(swap(self.plan)) if self.kind in ("contrast", "reported") else None

    @property
    def flipped(self) -> "Review | None":
        """The review with every negation reversed, so that the label changes; None without negations."""
        if not any(phrase.opinion.negation for phrase in self.phrases):
            return None
        turned = flip(self.plan)
        return as_review(turned) if turned.balance * self.plan.balance < 0 else None


def as_review(plan: ReviewPlan, *, mislabelled: bool = False) -> Review:
    """The review of a plan."""
    text, phrases = write(plan)
    return Review(text, "pos" if (plan.balance > 0) != mislabelled else "neg", phrases, mislabelled, plan)


def generate_reviews(count: int, settings: ReviewSettings | None = None, *, seed: int = 0) -> list[Review]:
    """`count` distinct reviews, the same on every machine; a larger count begins with the same reviews.

    >>> review = generate_reviews(2, seed=1)[1]
    >>> review.text, review.label
    ('A detective looks for a missing painter. The middle is never delightful.', 'neg')
    >>> review.flipped.text, review.flipped.label
    ('A detective looks for a missing painter. The middle is delightful.', 'pos')
    """
    Range(0).require("count", count)
    return list(islice(_different(settings or ReviewSettings(), seed), count))


@cache
def named_reviews(part: Literal["train", "test"]) -> tuple[Review, ...]:
    """The reviews of the data set `reviews`: one world with seed 0, in two parts."""
    reviews = generate_reviews(TRAIN + TEST)
    return tuple(reviews[:TRAIN] if part == "train" else reviews[TRAIN:])


def _different(settings: ReviewSettings, seed: int) -> Iterator[Review]:
    draw, seen = Draw(settings, seed), set()
    while True:
        review = as_review(draw.plan(), mislabelled=draw.mislabelled())
        if review.text not in seen:
            seen.add(review.text)
            yield review
