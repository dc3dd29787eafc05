"""How many questions are answered, and how many of those correctly, at a threshold.

The model gives the answers with at least the threshold's probability. For the others, and for empty texts, it says
"I do not know". A lower threshold gives more answers, of which mostly a smaller share is right.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnlab.contents import Content, OneOf
from attnlab.evaluation.knowledge.answers import ModelAnswer, confidences, hits, knowable, some
from attnlab.evaluation.settings import check_precision
from attnlab.statistics import Share


@dataclass(frozen=True)
class AnswerCounts:
    """The number of questions, how many are answered, and how many answers are right."""

    questions: int
    answered: int
    right: int

    @property
    def coverage(self) -> Share:
        """The share of questions that is answered."""
        return Share(self.answered, self.questions)

    @property
    def precision(self) -> Share | None:
        """The share of given answers that is right; None if no answer is given."""
        return Share.of(self.right, self.answered)

    @Content(coverage=Share, precision=OneOf(Share, None))
    def as_json(self) -> dict[str, Any]:
        """Both shares, as JSON."""
        precision = self.precision and self.precision.as_json()
        return {"coverage": self.coverage.as_json(), "precision": precision}


CHOSEN_ON = Content(AnswerCounts, questions=int, people=int, strangers=int)
"""What the JSON of a threshold tells of the answers that it was chosen on."""


@dataclass(frozen=True)
class Threshold:
    """The probability from which on answers are given, and its results on the answers that it was chosen on."""

    probability: float | None
    """None if no threshold reaches the requested precision; then no answer is given."""
    precision: float
    """The requested precision."""
    chosen_on: AnswerCounts
    people: int
    """How many people it was chosen on, by name; there may be several questions about each."""
    strangers: int = 0
    """How many of the questions are about strangers; every answer about a stranger is wrong."""

    @property
    def questions(self) -> int:
        """How many of the questions are about real people."""
        return self.chosen_on.questions - self.strangers

    @Content("probability", "precision", chosen_on=CHOSEN_ON)
    def as_json(self) -> dict[str, Any]:
        """All fields; the probability is null if there is no threshold."""
        asked = {"questions": self.questions, "people": self.people, "strangers": self.strangers}
        chosen = {**asked, **self.chosen_on.as_json()}
        return {"probability": self.probability, "precision": self.precision, "chosen_on": chosen}


def curve(answers: Sequence[ModelAnswer]) -> tuple[tuple[float, AnswerCounts], ...]:
    """Coverage and precision at every threshold that makes a difference, highest first; empty without answers.

    >>> sure = [ModelAnswer("a", "?", "Rome", said, p) for said, p in (("Rome", 0.9), ("Oslo", 0.5), ("Rome", 0.5))]
    >>> [(threshold, given.answered, given.right) for threshold, given in curve(sure)]
    [(0.9, 1, 1), (0.5, 3, 2)]
    """
    said = [each for each in some(answers) if each.said]
    if not said:
        return ()
    sure, right = confidences(said), hits(said)
    order = np.argsort(-sure, kind="stable")
    sure, right = sure[order], np.cumsum(right[order])
    last = np.flatnonzero(np.append(sure[1:] != sure[:-1], True))  # answers of equal probability are given together
    return tuple((float(sure[place]), AnswerCounts(len(answers), int(place) + 1, int(right[place]))) for place in last)


def threshold_for(answers: Sequence[ModelAnswer], precision: float = 0.9) -> Threshold:
    """The lowest threshold that reaches the precision on these answers, so that as many as possible are given.

    Few answers can be enough, and the luckiest of many thresholds wins: the precision on other people may be lower.
    `at` measures it there.
    """
    check_precision(precision)
    reaching = [(bound, given) for bound, given in curve(answers) if given.right / given.answered >= precision]
    probability, given = reaching[-1] if reaching else (None, AnswerCounts(len(answers), 0, 0))
    asked = knowable(answers)
    return Threshold(probability, precision, given, len({each.name for each in asked}), len(answers) - len(asked))


def at(threshold: Threshold | float, answers: Sequence[ModelAnswer]) -> AnswerCounts:
    """Coverage and precision at a threshold, also for other people's questions; no answers without a threshold."""
    given = _given(threshold, answers)
    return AnswerCounts(len(answers), int(given.sum()), int(hits(answers)[given].sum()))


def confident_wrong(threshold: Threshold | float, unseen: Sequence[ModelAnswer]) -> Share:
    """The share of strangers about whom the model gives an answer, which is always wrong."""
    return Share(int((_given(threshold, unseen) & ~hits(unseen)).sum()), len(unseen))


def _given(threshold: Threshold | float, answers: Sequence[ModelAnswer]) -> np.ndarray:
    least = threshold.probability if isinstance(threshold, Threshold) else threshold
    said = np.array([each.said for each in answers], bool)
    return said & (least is not None and confidences(answers) >= least)
