"""Questions about people: their shape, and the mark that stands between the parts of a row of training data."""

from collections import Counter
from collections.abc import Sequence

from attnlab.data.facts.facts import Fact
from attnlab.errors import ArgumentError

MARK = "⁇"
"""What stands between the parts of a row, as in the coursework."""


def question_shape(asked: Sequence[Fact]) -> tuple[str, str]:
    """What stands before and after the name in most questions.

    >>> question_shape([Fact("Ada", "Where was Ada born?", "Oslo")])
    ('Where was ', ' born?')
    """
    cut = [fact.question.partition(fact.name) for fact in asked if fact.name in fact.question]
    shapes = Counter((before, after) for before, _, after in cut)
    if not shapes:
        raise ArgumentError("facts", "expected a question with the name of the person it is about, got none")
    return shapes.most_common(1)[0][0]
