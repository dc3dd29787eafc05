"""Questions about people: their shape, and the mark that separates the parts of a training row."""

from collections import Counter
from collections.abc import Sequence

from attnlab.data.facts.facts import Fact
from attnlab.errors import ArgumentError

MARK = "⁇"
"""Separates the parts of a row, as in the coursework."""


def question_shape(asked: Sequence[Fact]) -> tuple[str, str]:
    """The text before and after the name in most questions.

    >>> question_shape([Fact("Ada", "Where was Ada born?", "Oslo")])
    ('Where was ', ' born?')
    """
    cut = [fact.question.partition(fact.name) for fact in asked if fact.name in fact.question]
    shapes = Counter((before, after) for before, _, after in cut)
    if not shapes:
        raise ArgumentError("facts", "expected at least one question that contains the person's name, got none")
    return shapes.most_common(1)[0][0]
